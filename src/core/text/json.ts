import { cut } from "./cut.ts";

/** A JSON object as it came from outside. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object that is no array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own field of an object, `undefined` for anything else: inherited ones (`__proto__`, `constructor`) never count. */
export function field(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A field reached over several names. */
export function path(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce(field, value);
}

/** A field that is a string, else the empty text. */
export function textField(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === "string" ? found : "";
}

/** An array, or the empty one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** JSON text of a value; `null` where there is none (nested too deep, not JSON at all). */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}

/** The value of a JSON text; `undefined` where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Equal by JSON type and value: 1 equals 1.0 but not "1"; the order of keys doesn't count, that of items does. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => sameJson(item, b[at]));
  }
  if (!isObject(a)) return a === b;
  if (!isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(field(a, key), field(b, key)))
  );
}

/** A value as JSON on one line, cut to `limit` characters. */
export function showJson(value: unknown, limit = 120): string {
  return cut(JSON.stringify(value) ?? "nothing", limit);
}

/** Whether arrays and objects are nested deeper than `limit`. Walks level by level, so no depth overflows the stack. */
export function deeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= limit; depth += 1) {
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}
