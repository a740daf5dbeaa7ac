import { cut } from "../text/cut.ts";
import { deeperThan, isObject } from "../text/json.ts";

const MAX_LENGTH = 1_000_000;
const MAX_DEPTH = 100;

/** A call's arguments, parsed, or why they are none. */
export type ParsedArguments =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly why: string };

/**
 * Parses the raw arguments of a call, once and without coercion: blank means `{}`; anything that is not a JSON object
 * is refused with what came instead. The reason never quotes the engine's own message, which differs between Node
 * versions and would change requests that recordings are keyed by.
 */
export function parseArguments(raw: string): ParsedArguments {
  if (raw.trim() === "") return { ok: true, value: {} };
  if (raw.length > MAX_LENGTH) return refused(`are longer than ${MAX_LENGTH} characters`);
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return refused(`are not valid JSON: ${cut(raw, 200)}`);
  }
  if (deeperThan(value, MAX_DEPTH)) return refused(`are nested deeper than ${MAX_DEPTH} levels`);
  return isObject(value) ? { ok: true, value } : refused(`are ${typeName(value)}: ${cut(raw.trim(), 200)}`);
}

function refused(why: string): ParsedArguments {
  return { ok: false, why };
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return `a ${typeof value}`;
}
