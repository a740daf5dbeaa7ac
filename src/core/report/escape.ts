import { visible } from "../text/visible.ts";

/**
 * Every text that a branch or a model wrote goes through one of these before it is printed: a name must not move the
 * cursor, an answer must not close a fence, start a tag, mention a person or speak to the CI runner.
 */

/** Any text with LF line ends and no control or direction-changing characters; halves of surrogate pairs are replaced. */
function clean(text: string): string {
  return visible(text.replaceAll("\r\n", "\n"))
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/[\u2028\u2029\u200e\u200f]/g, " ");
}

/** One line: line ends and tabs become blanks. */
export function oneLine(text: string): string {
  return clean(text)
    .replace(/[\n\t ]+/g, " ")
    .trim();
}

/** For a terminal: line ends and tabs stay, nothing else of what controls one. */
export function terminalText(text: string): string {
  return clean(text);
}

/**
 * A printed line that no GitHub runner takes for a command: `::name::` counts at the start of a line, `##[name]`
 * anywhere. One character takes the place of another or of two, so that a line never gets wider.
 */
export function inertLine(line: string): string {
  return line.replace(/^(\s*)::/, "$1\u2237").replaceAll("##[", "# [");
}

/**
 * Markdown inside a line. Besides Markdown's own signs, what GitHub makes of plain text is kept from happening:
 * mentions, links of bare addresses, formulas.
 */
export function markdownText(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_[\]|~$#]/g, "\\$&")
    .replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? "")
    .replace(/^[-+=]/, "\\$&")
    .replace(/^(\d+)([.)])(?=\s|$)/, "$1\\$2")
    .replaceAll("://", ":\\//")
    .replace(/\bwww\./gi, (found) => `${found.slice(0, -1)}\\.`)
    .replaceAll("@", "@&#8203;");
}

/** Entities, not backslashes: they hold in an HTML block of somebody's template as well. */
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** A Markdown code span, which holds any text on one line; empty text is written out as such. */
export function markdownCode(text: string): string {
  const line = oneLine(text);
  if (line === "") return "*(empty)*";
  const ticks = "`".repeat(longestRun(line, "`") + 1);
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** A cell of a Markdown table made of plain text. */
export function markdownCell(text: string): string {
  return markdownText(text);
}

/** A cell of a Markdown table in a code span: there a bar ends the cell even inside a span, unless escaped. */
export function markdownCodeCell(text: string): string {
  // A backslash just before a bar would make the escape a pair of its own; a blank keeps them apart.
  return markdownCode(oneLine(text).replaceAll("\\|", "\\ |")).replaceAll("|", "\\|");
}

/** A fenced block at the start of a line, with a fence longer than any run of its sign in the text. `info`: `diff`, … */
export function markdownFence(text: string, info = ""): string {
  const fence = "`".repeat(Math.max(3, longestRun(text, "`") + 1));
  return `${fence}${info}\n${clean(text).replace(/\n+$/, "")}\n${fence}`;
}

/** Text between HTML tags. */
export function htmlText(text: string): string {
  return clean(text).replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Text inside a quoted HTML attribute, on one line. */
export function htmlAttribute(text: string): string {
  return htmlText(text).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;");
}

/** Text of an XML element or attribute (JUnit); signs that XML 1.0 does not know are replaced. */
export function xmlText(text: string): string {
  return htmlAttribute(text.replace(/[\ufffe\uffff]/g, "\ufffd"));
}

/** The message of a GitHub workflow command. */
export function workflowData(text: string): string {
  return clean(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** A property of a GitHub workflow command, such as `title`. */
export function workflowProperty(text: string): string {
  return workflowData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function longestRun(text: string, sign: string): number {
  let [longest, run] = [0, 0];
  for (const one of text) {
    run = one === sign ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
