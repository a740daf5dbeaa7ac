import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { CaseUsage } from "../core/plan/usage.ts";
import { normaliseReply } from "../core/reply/normalise.ts";
import { linesOf } from "./lines.ts";
import { recordingName } from "./recording-file.ts";
import { field, list, parseJson, path } from "../core/text/json.ts";

/** What each case took per trial, as its recordings tell; cases without recordings are left out. */
export async function recordedUsage(dir: string, ids: readonly string[]): Promise<Map<string, CaseUsage>> {
  const found = new Map<string, CaseUsage>();
  for (const id of ids) {
    const usage = await usageOf(join(dir, recordingName(id)));
    if (usage !== null) found.set(id, usage);
  }
  return found;
}

/**
 * Calls per trial = recorded replies per conversation start: trials of one number are told apart by arm and prompt,
 * which the first message stands for.
 */
async function usageOf(file: string): Promise<CaseUsage | null> {
  if (!(await stat(file).catch(() => null))?.isFile()) return null;
  const trials = new Set<string>();
  const total = { calls: 0, known: 0, prompt: 0, cached: 0, completion: 0 };
  for await (const line of linesOf(file)) {
    const value = parseJson(line);
    const raw = field(value, "raw");
    if (raw === undefined) continue;
    total.calls += 1;
    trials.add(JSON.stringify([field(value, "trial"), field(value, "salt"), firstMessage(value)]));
    const reply = normaliseReply(raw);
    const usage = reply.ok ? reply.reply.usage : null;
    if (usage === null) continue;
    total.known += 1;
    total.prompt += usage.prompt;
    total.cached += usage.cached;
    total.completion += usage.completion;
  }
  if (trials.size === 0) return null;
  const each = (tokens: number): number | null =>
    total.known === 0 ? null : ((tokens / total.known) * total.calls) / trials.size;
  return {
    calls: total.calls / trials.size,
    prompt: each(total.prompt),
    cached: each(total.cached),
    completion: each(total.completion),
  };
}

function firstMessage(line: unknown): unknown {
  return list(path(line, "request", "messages"))[0];
}
