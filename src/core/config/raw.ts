import type { FlagKind } from "./flags.ts";

/** A flag's value as the command line gives it. */
export type RawValue = string | boolean | readonly string[];

/** A value read from a flag or variable, or what it should have been. */
export type RawResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly expected: string };

const TRUE = ["true", "1", "yes", "on"];
const FALSE = ["false", "0", "no", "off"];

/** Reads the text of a flag or variable; lists are split at commas. Whole texts only: `3x` and `1e3` are no numbers. */
export function readRaw(kind: FlagKind, raw: RawValue): RawResult {
  if (typeof raw === "boolean") return { ok: true, value: raw };
  if (kind === "texts") return { ok: true, value: split(typeof raw === "string" ? [raw] : raw) };
  const text = (typeof raw === "string" ? raw : raw.join(" ")).trim();
  if (kind === "text") return { ok: true, value: text };
  if (kind === "switch") return readSwitch(text);
  const form = kind === "integer" ? /^[+-]?\d+$/ : /^[+-]?(\d+(\.\d+)?|\.\d+)$/;
  const expected = kind === "integer" ? "a whole number" : "a number";
  return form.test(text) ? { ok: true, value: Number(text) } : { ok: false, expected };
}

function readSwitch(text: string): RawResult {
  const word = text.toLowerCase();
  if (TRUE.includes(word)) return { ok: true, value: true };
  return FALSE.includes(word) ? { ok: true, value: false } : { ok: false, expected: "true or false" };
}

/** Commas inside braces belong to a glob: `{a,b}*` is one value. */
function split(values: readonly string[]): string[] {
  return values
    .flatMap((value) => value.split(/,(?![^{]*\})/))
    .map((value) => value.trim())
    .filter((value) => value !== "");
}
