import { cut } from "../core/text/cut.ts";

/** Text can't close the part it stands in, nor open another, however the tag is spaced. */
export function fenced(text: string, parts: readonly string[]): string {
  const tag = new RegExp(String.raw`<\s{0,9}(/?)\s{0,9}(${parts.join("|")})\b[^<>]*>`, "gi");
  return text.replace(tag, "<$1 $2>");
}

/** A text as a judge is shown it: what was left out is told, or it would count as missing. */
export function shown(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${cut(text, limit)}\n(not shown: the rest, of ${text.length} characters in all)`;
}
