import { cut } from "../text/cut.ts";

/** A SKILL.md taken apart by its fences. `headerLine` is the line (from 1) on which the header's text begins. */
export type Fenced =
  | { readonly kind: "header"; readonly header: string; readonly headerLine: number; readonly body: string }
  | { readonly kind: "none"; readonly body: string }
  | {
      readonly kind: "refused";
      readonly code: string;
      readonly line: number;
      readonly reason: string;
      readonly hint: string;
    };

/** A fence is a line of exactly three dashes plus blanks: `---notes` is a key, `----` a rule in the text. */
const FENCE = /^---[ \t]*$/;

/**
 * Splits a text (LF, no BOM) into YAML header and body. Written for this one job: a search for "newline, three dashes"
 * would close the header at `---notes`, and front matter libraries run JavaScript for a fence such as `---js`.
 */
export function splitFrontMatter(text: string): Fenced {
  const lines = text.split("\n");
  const first = lines[0] ?? "";
  if (!FENCE.test(first)) return withoutHeader(text, lines);
  const close = lines.findIndex((line, at) => at > 0 && FENCE.test(line));
  if (close < 0) {
    return refused(
      "front-matter-open",
      1,
      "opens its front matter with --- and never closes it",
      "close it with a line of ---",
    );
  }
  return {
    kind: "header",
    header: lines.slice(1, close).join("\n"),
    headerLine: 2,
    body: lines
      .slice(close + 1)
      .join("\n")
      .trim(),
  };
}

/** First lines of headers in other languages: `---js`, TOML's `+++`, JSON's `;;;`. */
const OTHER_LANGUAGE = /^(?:---[^-]|\+\+\+|;;;)/;
/** What the line below a fence looks like where a header was meant, and no rule in the text. */
const KEY_LINE = /^\s*["']?(?:name|description)["']?\s*:/i;

/** A first line such as `---js` or a header that begins later would go to the model as text: all are refused. */
function withoutHeader(text: string, lines: readonly string[]): Fenced {
  const first = lines[0] ?? "";
  const dashes = /^-{4,}\s*$/.test(first) && KEY_LINE.test(lines[1] ?? "");
  if (OTHER_LANGUAGE.test(first) || dashes) {
    return refused(
      "front-matter-language",
      1,
      `opens its front matter with ${JSON.stringify(cut(first, 40))}: only YAML is read, between two lines of ---`,
      "make the first line exactly ---",
    );
  }
  const start = lateHeader(lines);
  if (start >= 0) {
    return refused(
      "front-matter-late",
      start + 1,
      "begins its front matter after the start of the file",
      "make --- the first line",
    );
  }
  return { kind: "none", body: text.trim() };
}

/** Index of a fence that opens a header too late: after blanks, or (a header by its keys) after a comment or title. */
function lateHeader(lines: readonly string[]): number {
  const start = lines.findIndex((line) => line.trim() !== "");
  if (start >= 0 && FENCE.test((lines[start] ?? "").trim())) return start;
  const fence = lines.findIndex((line) => FENCE.test(line) || line.startsWith("```"));
  return FENCE.test(lines[fence] ?? "") && KEY_LINE.test(lines[fence + 1] ?? "") ? fence : -1;
}

function refused(code: string, line: number, reason: string, hint: string): Fenced {
  return { kind: "refused", code, line, reason, hint };
}
