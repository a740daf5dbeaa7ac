import { type Document, isAlias, isMap, isScalar, LineCounter, parseDocument, visit } from "yaml";
import { cut } from "../text/cut.ts";
import { MAX_NESTING, tokensOf } from "../text/nesting.ts";
import { repairColons } from "./repair.ts";

/** Something wrong in a header; lines and columns count from 1 within the whole file. */
export interface HeaderIssue {
  readonly code: string;
  readonly line: number;
  readonly column?: number;
  readonly key?: string;
  readonly message: string;
  readonly hint?: string;
}

/** A header's YAML document that is sound: no error, no repeated key, few aliases, a map at the top. */
export interface HeaderDocument {
  readonly document: Document;
  /** Line in the file of an offset in the header. */
  lineOf(offset: number): number;
  readonly warnings: readonly HeaderIssue[];
}

export type HeaderResult =
  | { readonly ok: true; readonly header: HeaderDocument }
  | { readonly ok: false; readonly issue: HeaderIssue };

/** A header longer than this holds no name and description any more. */
const MAX_HEADER = 65_536;
/** Aliases are never expanded, but a ladder of them is refused: whoever prints the map later would expand it. */
const MAX_ALIASES = 20;

/** Parses a header as YAML 1.2 (core schema). A plain value that holds `: ` is read as it was meant, with a warning. */
export function parseHeader(header: string, firstLine: number): HeaderResult {
  if (header.length > MAX_HEADER) {
    return no({
      code: "front-matter-size",
      line: 1,
      message: `the front matter is longer than ${MAX_HEADER} characters`,
    });
  }
  if (tokensOf(header, new LineCounter()) === null) {
    return no({
      code: "front-matter-yaml",
      line: firstLine,
      message: `the front matter is nested deeper than ${MAX_NESTING} levels`,
    });
  }
  const end = header.split("\n").findIndex((line) => /^\.\.\.(?:\s|$)/.test(line));
  // The YAML parser stops at `...` and drops what follows without a word.
  if (end >= 0) {
    return no({
      code: "front-matter-yaml",
      line: end + firstLine,
      message: "`...` ends the YAML before the closing ---",
      hint: "remove the line, or quote the text",
    });
  }
  const repaired = repairColons(header, (text) => firstError(text));
  const result = parseOnce(repaired.text, firstLine);
  if (!result.ok) return result;
  const warnings = repaired.values.map(
    ({ line, key, value }): HeaderIssue => ({
      code: "front-matter-colon",
      line: line + firstLine - 1,
      key,
      message: `the plain value of ${key} holds ": "; it is read as ${JSON.stringify(cut(value, 80))}`,
      hint: "put the value in quotes",
    }),
  );
  return { ok: true, header: { ...result.header, warnings } };
}

function parseOnce(header: string, firstLine: number): HeaderResult {
  const lines = new LineCounter();
  const document = parse(header, lines);
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: line + firstLine - 1, column: col };
  };
  // A warning is a tag that nobody resolves (`!important x` would lose its first word), or another YAML version.
  const error = document.errors[0] ?? document.warnings[0];
  if (error !== undefined) {
    return no({
      code: "front-matter-yaml",
      ...place(error.pos[0]),
      message: `the front matter is not valid YAML: ${error.message.split("\n")[0] ?? ""}`,
      hint: "put a value with [ ] { } : # ! or @ in quotes",
    });
  }
  const contents = document.contents;
  if (contents !== null && !isMap(contents) && !(isScalar(contents) && contents.value === null)) {
    return no({
      code: "front-matter-yaml",
      line: firstLine,
      message: "the front matter is no map of keys and values",
      hint: "write name: and description:",
    });
  }
  const issue = repeatedKey(document, place) ?? tooManyAliases(document, firstLine);
  if (issue !== null) return no(issue);
  return { ok: true, header: { document, lineOf: (offset) => place(offset).line, warnings: [] } };
}

function parse(header: string, lines: LineCounter): Document {
  return parseDocument(header, {
    version: "1.2",
    schema: "core",
    merge: false,
    strict: true,
    // Checked by `repeatedKey` instead, which names both lines and takes linear time.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
    lineCounter: lines,
  });
}

/** Line and kind of the first error of a header, for the second pass over plain values. */
function firstError(header: string): { readonly line: number; readonly code: string } | null {
  const lines = new LineCounter();
  const error = parse(header, lines).errors[0];
  return error === undefined ? null : { line: lines.linePos(error.pos[0]).line, code: error.code };
}

function repeatedKey(
  document: Document,
  place: (offset: number) => { readonly line: number; readonly column: number },
): HeaderIssue | null {
  let issue: HeaderIssue | null = null;
  visit(document, {
    Map(_key, map) {
      const seen = new Map<string, number>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        const at = place(key.range?.[0] ?? 0);
        const before = seen.get(name);
        if (before !== undefined) {
          issue = {
            code: "repeated-key",
            ...at,
            key: name,
            message: `the key ${name} stands twice, in lines ${before} and ${at.line}`,
            hint: "keep one of them",
          };
          return visit.BREAK;
        }
        seen.set(name, at.line);
      }
      return undefined;
    },
  });
  return issue;
}

function tooManyAliases(document: Document, line: number): HeaderIssue | null {
  let aliases = 0;
  visit(document, {
    Alias(_key, node) {
      if (isAlias(node)) aliases += 1;
    },
  });
  if (aliases <= MAX_ALIASES) return null;
  return {
    code: "front-matter-aliases",
    line,
    message: `the front matter holds ${aliases} YAML aliases, at most ${MAX_ALIASES} are read`,
  };
}

function no(issue: HeaderIssue): HeaderResult {
  return { ok: false, issue };
}
