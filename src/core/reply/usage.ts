import type { Usage } from "../nouns/transcript.ts";
import { field, isObject, list, path } from "../text/json.ts";

/** Token counts of a reply, or null where the server did not tell them. */
export interface ReadUsage {
  readonly usage: Usage | null;
  readonly notes: readonly string[];
}

/**
 * Evens out how servers count tokens: `cached` is a part of `prompt` and `reasoning` a part of `completion`, whatever the
 * server does. Cached tokens: OpenAI `prompt_tokens_details.cached_tokens`, DeepSeek `prompt_cache_hit_tokens` and
 * Moonshot `cached_tokens` are parts of the prompt already; Anthropic's `cache_read_input_tokens` and
 * `cache_creation_input_tokens` come on top of `input_tokens`. Where a total is given, it decides what is on top of what.
 * Counts that are no whole numbers of zero or more are left out; missing counts are never taken for 0.
 */
export function readUsage(raw: unknown): ReadUsage {
  const source = usageObject(raw);
  if (source === undefined) return { usage: null, notes: ["usage-missing"] };
  const notes = new Set<string>();
  const count = (...names: readonly string[]): number | undefined => {
    const value = path(source, ...names);
    if (value === undefined || value === null) return undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    notes.add("usage-odd");
    return undefined;
  };
  const usage = evenOut(count, notes);
  if (usage === null) notes.add("usage-missing");
  return { usage, notes: [...notes] };
}

type Count = (...names: readonly string[]) => number | undefined;

function evenOut(count: Count, notes: Set<string>): Usage | null {
  const total = count("total_tokens");
  const hit = count("prompt_cache_hit_tokens");
  const miss = count("prompt_cache_miss_tokens");
  const told = count("completion_tokens") ?? count("output_tokens");
  const asked = count("prompt_tokens") ?? count("input_tokens") ?? sum(hit, miss);
  const spoken = told ?? rest(total, asked);
  const prompt = asked ?? rest(total, told);
  if (prompt === undefined || spoken === undefined || prompt + spoken === 0) return null;
  const read = count("cache_read_input_tokens");
  const made = count("cache_creation_input_tokens") ?? 0;
  const onTop = read === undefined ? 0 : extra(count, prompt, spoken, total, read + made);
  const cached = read ?? count("prompt_tokens_details", "cached_tokens") ?? inputCached(count) ?? hit ?? 0;
  const reasoning =
    count("completion_tokens_details", "reasoning_tokens") ??
    count("output_tokens_details", "reasoning_tokens") ??
    0;
  const apart = reasoning > 0 && total === prompt + onTop + spoken + reasoning;
  if (onTop > 0) notes.add("cached-on-top");
  if (apart) notes.add("reasoning-on-top");
  const completion = spoken + (apart ? reasoning : 0);
  if (cached > prompt + onTop || reasoning > completion) notes.add("usage-odd");
  return {
    prompt: prompt + onTop,
    cached: Math.min(cached, prompt + onTop),
    completion,
    reasoning: Math.min(reasoning, completion),
  };
}

function inputCached(count: Count): number | undefined {
  return count("input_tokens_details", "cached_tokens") ?? count("cached_tokens");
}

/** Cache tokens that are not in the prompt's count: told by the total, else by the name of the field. */
function extra(
  count: Count,
  prompt: number,
  spoken: number,
  total: number | undefined,
  cache: number,
): number {
  if (total === prompt + spoken + cache) return cache;
  if (total === prompt + spoken) return 0;
  return count("prompt_tokens") === undefined || cache > prompt ? cache : 0;
}

function usageObject(raw: unknown): unknown {
  const candidates = [
    field(raw, "usage"),
    field(list(field(raw, "choices"))[0], "usage"),
    path(raw, "x_groq", "usage"),
  ];
  return candidates.find(isObject);
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

function rest(total: number | undefined, part: number | undefined): number | undefined {
  return total === undefined || part === undefined || total < part ? undefined : total - part;
}
