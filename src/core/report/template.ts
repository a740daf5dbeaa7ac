import { type Problem, warning } from "../nouns/problem.ts";
import { nearest } from "../text/nearest.ts";

/** A template and where it was read, as a warning names it. */
export interface Template {
  readonly file: string;
  readonly text: string;
}

/** What a placeholder stands for: a few words inside a line, or a block with lines of its own. Made only when asked for. */
export interface Filling {
  readonly kind: "words" | "block";
  text(): string;
}

/** A filled template, and what was wrong with it. */
export interface Filled {
  readonly text: string;
  readonly problems: readonly Problem[];
}

/** In one pass over the template, so that nothing a model or branch wrote is ever read as a placeholder. */
const PARTS = /<!--[\s\S]*?-->\n?|\{\{\s*([^{}\n]*?)\s*\}\}/g;

/**
 * Fills a template. Comments are left out. An unknown placeholder stays as it is, with a warning; so does a block inside
 * a code block of the template, since a fence in a model's text would end it.
 */
export function fillTemplate({ file, text }: Template, fillings: ReadonlyMap<string, Filling>): Filled {
  const source = text.replaceAll("\r\n", "\n").replace(/^\ufeff/, "");
  const fenced = fencedRanges(source);
  const problems: Problem[] = [];
  let [out, done] = ["", 0];
  for (const part of source.matchAll(PARTS)) {
    const [whole, name] = part;
    const inCode = fenced.some(([start, end]) => part.index >= start && part.index < end);
    if (name === undefined && inCode) continue;
    out += source.slice(done, part.index);
    done = part.index + whole.length;
    if (name === undefined) continue;
    const filling = fillings.get(name);
    const where = { file, line: source.slice(0, part.index).split("\n").length };
    if (filling === undefined) problems.push(unknown(name, where, [...fillings.keys()]));
    if (filling?.kind === "block" && inCode) problems.push(inCodeBlock(name, where));
    if (filling === undefined || (filling.kind === "block" && inCode)) out += whole;
    else if (filling.kind === "words") out += filling.text();
    else [out, done] = placeBlock(out, filling.text(), source, done);
  }
  return { text: tidy(out + source.slice(done)), problems };
}

/** A block starts and ends lines of its own: behind other text or indented, its fences and headings would be none. */
function placeBlock(out: string, block: string, source: string, done: number): [string, number] {
  const start = out.lastIndexOf("\n") + 1;
  const before = out.slice(start).trim() === "" ? out.slice(0, start) : `${out}\n\n`;
  const rest = /^[ \t]*(?=\n|$)/.exec(source.slice(done));
  return [`${before}${block}${rest === null ? "\n\n" : ""}`, done + (rest?.[0].length ?? 0)];
}

function tidy(text: string): string {
  return `${text.trim()}\n`;
}

/** Where code blocks stand, as offsets: from the opening fence to the closing one or the end. */
function fencedRanges(text: string): [number, number][] {
  const ranges: [number, number][] = [];
  let [offset, open]: [number, { fence: string; start: number } | null] = [0, null];
  for (const line of text.split("\n")) {
    const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (open === null && fence?.[1] !== undefined) open = { fence: fence[1], start: offset };
    else if (open !== null && fence?.[1]?.startsWith(open.fence) && fence[2]?.trim() === "") {
      ranges.push([open.start, offset + line.length]);
      open = null;
    }
    offset += line.length + 1;
  }
  return open === null ? ranges : [...ranges, [open.start, text.length]];
}

function unknown(name: string, where: Problem["where"], known: readonly string[]): Problem {
  const close = nearest(name, known);
  const hint = close === null ? "" : `did you mean {{${close}}}? `;
  return warning(
    "unknown-placeholder",
    where,
    `{{${name}}} is no placeholder, so it was left as it is`,
    `${hint}known ones: ${known.join(", ")}`,
  );
}

function inCodeBlock(name: string, where: Problem["where"]): Problem {
  return warning(
    "placeholder-in-code",
    where,
    `{{${name}}} becomes several lines and can't stand inside a code block, so it was left as it is`,
    "move it out of the ``` … ``` lines",
  );
}
