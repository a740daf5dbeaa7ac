import { markdownCell, markdownCode, markdownCodeCell } from "../escape.ts";
import { count } from "../../text/count.ts";

/** Texts of a trial are quoted up to this many signs; the whole stands in trials.jsonl. */
export const QUOTED = 600;

/** The text in at most `limit` signs, and how many were left out. */
export function clip(text: string, limit = QUOTED): string {
  const signs = [...text.slice(0, limit * 2)];
  if (signs.length <= limit && text.length <= limit * 2) return text;
  const kept = signs.slice(0, limit).join("");
  return `${kept}… (${count(text.length - kept.length, "more sign")})`;
}

/** An id or name in a code span. */
export function id(text: string): string {
  return markdownCode(text);
}

/** Ids in code spans, at most `limit` of them. */
export function ids(all: readonly string[], limit = 50): string {
  const named = all.slice(0, limit).map(id).join(", ");
  return all.length > limit ? `${named} and ${all.length - limit} more` : named;
}

/** A Markdown table. Cells are ready-made Markdown on one line. `right`: columns of numbers. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number> = new Set(),
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, at) => (right.has(at) ? "---:" : "---"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** Plain text for a table's cell. */
export function cell(text: string): string {
  return markdownCell(clip(text, 300));
}

/** Text of a model or of a file for a table's cell. */
export function codeCell(text: string): string {
  return markdownCodeCell(clip(text, 300));
}

/** A line that says what was left out of a list, or nothing. */
export function leftOut(shown: number, all: number, noun: string, where: string): string[] {
  return all > shown ? [`… and ${count(all - shown, `more ${noun}`)}: ${where}.`] : [];
}
