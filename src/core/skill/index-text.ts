import type { Skill } from "../nouns/variant.ts";
import { byText } from "../text/order.ts";

/** What the index holds and what it had to give up; names in order. */
export interface IndexText {
  /** One `- NAME: DESCRIPTION [tag, tag]` a line; empty without enabled skills. */
  readonly text: string;
  /** Skills whose description or tags were cut. */
  readonly shortened: readonly string[];
  /** Skills that stand in no line. */
  readonly omitted: readonly string[];
}

/** Limit of the whole index in UTF-8 bytes, its heading (at most `Skills available:` and a line end) included. */
export const INDEX_BYTES = 4096;
const HEADING_BYTES = 18;
/** A description shorter than this no longer tells when to load: rather the least important skill is left out. */
const MIN_DESCRIPTION = 40;
const ELLIPSIS = "…";

interface Row {
  readonly name: string;
  readonly priority: number;
  readonly label: string;
  readonly description: string;
  readonly tags: string;
}

/**
 * The index of the enabled skills, sorted by name. Too much text is evened out: the longest descriptions are cut first,
 * all to one length; then tags go; only then whole skills, those of the lowest `priority` and the last names first.
 */
export function renderIndex(skills: readonly Skill[]): IndexText {
  const rows = skills
    .filter((skill) => skill.enabled)
    .sort((a, b) => byText(a.name, b.name))
    .map(rowOf);
  const limit = INDEX_BYTES - HEADING_BYTES;
  const bare = rows.map((row) => ({ ...row, tags: "" }));
  const lines = fitted(rows, limit) ?? fitted(bare, limit);
  if (lines !== null) return result(rows, new Map(rows.map((row, at) => [row.name, lines[at] ?? ""])));
  return result(rows, dropLeast(bare, limit));
}

/** Drops one row after the other, the least important first, until the others fit. */
function dropLeast(rows: readonly Row[], limit: number): ReadonlyMap<string, string> {
  const order = [...rows].sort((a, b) => b.priority - a.priority || byText(a.name, b.name));
  let kept = order.length;
  // The least that each row takes grows along the order, so the first cut that may fit is found without trying each.
  for (let used = 0, at = 0; at < order.length; at += 1) {
    const row = order[at];
    used += row === undefined ? 0 : bytes(row.label) + Math.min(MIN_DESCRIPTION, bytes(row.description)) + 1;
    if (used > limit + 1) {
      kept = at;
      break;
    }
  }
  for (; kept > 0; kept -= 1) {
    const some = order.slice(0, kept).sort((a, b) => byText(a.name, b.name));
    const lines = fitted(some, limit);
    if (lines !== null) return new Map(some.map((row, at) => [row.name, lines[at] ?? ""]));
  }
  return new Map();
}

function result(rows: readonly Row[], lines: ReadonlyMap<string, string>): IndexText {
  const shown = rows.filter((row) => lines.has(row.name));
  return {
    text: shown.map((row) => lines.get(row.name) ?? "").join("\n"),
    shortened: shown.filter((row) => lines.get(row.name) !== lineOf(row, Infinity)).map((row) => row.name),
    omitted: rows.filter((row) => !lines.has(row.name)).map((row) => row.name),
  };
}

/** The rows' lines with descriptions cut to the largest common length that fits, or null when that is too short. */
function fitted(rows: readonly Row[], limit: number): readonly string[] | null {
  const sizes = rows.map((row) => bytes(row.description));
  const fixed = rows.reduce((sum, row) => sum + bytes(row.label) + bytes(row.tags) + 1, -1);
  const room = limit - fixed;
  if (sizes.reduce((sum, size) => sum + size, 0) <= room) return rows.map((row) => lineOf(row, Infinity));
  let cap = 0;
  for (let low = 0, high = limit; low <= high; ) {
    const middle = (low + high) >> 1;
    if (sizes.reduce((sum, size) => sum + Math.min(size, middle), 0) <= room) {
      cap = middle;
      low = middle + 1;
    } else high = middle - 1;
  }
  return cap < MIN_DESCRIPTION ? null : rows.map((row) => lineOf(row, cap));
}

function rowOf(skill: Skill): Row {
  const tags = skill.tags.map(oneLine).filter((tag) => tag !== "");
  return {
    name: skill.name,
    priority: skill.priority ?? 0,
    label: `- ${oneLine(skill.name)}: `,
    description: oneLine(skill.description),
    tags: tags.length === 0 ? "" : ` [${tags.join(", ")}]`,
  };
}

function lineOf(row: Row, cap: number): string {
  return `${row.label}${cutToBytes(row.description, cap)}${row.tags}`;
}

/**
 * Text that stays inside its list item: line breaks, control and invisible direction characters become blanks, and a
 * `<` that could open or close a tag becomes `&lt;`, so that a description can't leave the list it is put into.
 */
export function oneLine(text: string): string {
  return text
    .replace(/\p{Cs}/gu, "\uFFFD")
    .replace(/[\s\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .trim()
    .replace(/<(?=[A-Za-z/!?])/g, "&lt;");
}

const encoder = new TextEncoder();
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

function bytes(text: string): number {
  return encoder.encode(text).length;
}

/** Cuts between whole characters (graphemes), so that text and `…` together hold at most `limit` bytes. */
export function cutToBytes(text: string, limit: number): string {
  if (text.length <= limit && bytes(text) <= limit) return text;
  const room = limit - bytes(ELLIPSIS);
  let used = 0;
  let kept = "";
  // A character takes at least one byte a code unit: what lies beyond can't be kept and need not be segmented.
  for (const { segment } of graphemes.segment(text.slice(0, Math.max(0, room) + 64))) {
    used += bytes(segment);
    if (used > room) break;
    kept += segment;
  }
  return `${kept.trimEnd()}${ELLIPSIS}`;
}
