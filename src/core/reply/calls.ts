import type { ToolCall } from "../nouns/transcript.ts";
import { deeperThan, field, isObject, jsonText } from "../text/json.ts";
import { wellFormed } from "../text/well-formed.ts";

/** What stands beside a call is sent back with it, so it must be fit to be written. */
const MAX_DEPTH = 20;

/** The tool calls of a message and what had to be evened out. */
export interface ReadCalls {
  readonly calls: readonly ToolCall[];
  readonly notes: readonly string[];
}

/**
 * Tool calls in their order. `tool_calls` counts; the older `function_call` is read only where there are none (some
 * servers send a stale copy beside the list). Ids are made unique by position; arguments stay raw text.
 */
export function readCalls(message: unknown): ReadCalls {
  const notes = new Set<string>();
  const entries = callEntries(message, notes).filter((entry) => {
    if (!isObject(entry)) notes.add("call-malformed");
    return isObject(entry);
  });
  const ids = uniqueIds(
    entries.map((entry) => field(entry, "id")),
    notes,
  );
  const calls = entries.map((entry, at) => readCall(entry, ids[at] ?? `call_${at + 1}`, notes));
  return { calls, notes: [...notes] };
}

function callEntries(message: unknown, notes: Set<string>): readonly unknown[] {
  const given = field(message, "tool_calls");
  const older = field(message, "function_call");
  if (Array.isArray(given) && given.length > 0) {
    if (isObject(older)) notes.add("stale-function-call");
    return given;
  }
  if (isObject(given)) {
    notes.add("calls-not-a-list");
    return [given];
  }
  if (!isObject(older)) return [];
  notes.add("function-call");
  return [{ function: older }];
}

function readCall(entry: unknown, id: string, notes: Set<string>): ToolCall {
  const inner = field(entry, "function");
  const source = isObject(inner) ? inner : entry;
  const name = field(source, "name");
  if (typeof name !== "string" || name === "") notes.add("call-name-missing");
  const raw = { id, name: typeof name === "string" ? name : "", arguments: readArguments(source, notes) };
  const extra = field(entry, "extra_content");
  return {
    id: wellFormed(raw.id),
    name: wellFormed(raw.name),
    arguments: wellFormed(raw.arguments),
    ...(isObject(extra) && !deeperThan(extra, MAX_DEPTH) ? { extra } : {}),
  };
}

/** Raw text; an object becomes its JSON text. Missing and null are the empty text, which the loop reads as `{}`. */
function readArguments(source: unknown, notes: Set<string>): string {
  const given = field(source, "arguments") ?? field(source, "parameters");
  if (typeof given === "string") return given;
  if (given === undefined || given === null) {
    notes.add("arguments-missing");
    return "";
  }
  notes.add("arguments-not-text");
  return jsonText(given) ?? "";
}

function uniqueIds(given: readonly unknown[], notes: Set<string>): readonly string[] {
  const texts = given.map((id) => (typeof id === "number" ? String(id) : id));
  const reserved = new Set(texts);
  const used = new Set<string>();
  return texts.map((id, at) => {
    const usable = typeof id === "string" && id !== "" && !used.has(id);
    if (!usable) notes.add(typeof id === "string" && id !== "" ? "call-id-repeated" : "call-id-missing");
    const unique = usable ? id : freeId(`call_${at + 1}`, reserved, used);
    used.add(unique);
    return unique;
  });
}

function freeId(wanted: string, reserved: ReadonlySet<unknown>, used: ReadonlySet<string>): string {
  let id = wanted;
  while (reserved.has(id) || used.has(id)) id = `${id}_`;
  return id;
}
