import { Composer, type CST, type Document, LineCounter } from "yaml";
import { type Problem, problem } from "../nouns/problem.ts";
import { MAX_NESTING, tokensOf } from "./nesting.ts";
import { keyText, type Path } from "./path.ts";
import { type Fault, type Place, plainValue, type Spot } from "./yaml-value.ts";

/** One YAML document as plain data that knows where it was written. */
export interface YamlDocument {
  readonly value: unknown;
  /** Line of the document's first key. */
  readonly line: number;
  /** Where a key (or list item) is written; a path that isn't there gives its nearest parent. */
  locate(path: Path): Place;
}

/** Documents that hold something, in order, and what is wrong with the file; documents with faults are left out. */
export interface YamlFile {
  readonly documents: readonly YamlDocument[];
  readonly problems: readonly Problem[];
}

/** Longest text that is parsed, in UTF-16 units. */
export const MAX_YAML = 512 * 1024;
const MAX_DOCUMENTS = 1000;

const OPTIONS = {
  version: "1.2",
  schema: "core",
  // Repeated keys are found by us, in linear time and with both lines.
  uniqueKeys: false,
  merge: false,
  prettyErrors: false,
  strict: true,
  logLevel: "silent",
} as const;

/**
 * Parses YAML 1.2 (core schema, so `no` and `on` stay words; JSON is a part of it). Nothing is ever run: custom tags,
 * other YAML versions, repeated keys, alias bombs and deep nesting are problems with file, line and column.
 * `firstLine` is the line of the file where `text` begins, for YAML inside another file.
 */
export function parseYaml(file: string, text: string, firstLine = 1): YamlFile {
  if (text.length > MAX_YAML) {
    const message = `the YAML is larger than ${MAX_YAML / 1024} KiB`;
    return { documents: [], problems: [problem("too-much-yaml", { file }, message)] };
  }
  const lines = new LineCounter();
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line) + firstLine - 1, column: Math.max(1, col) };
  };
  const clean = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const tokens = tokensOf(clean, lines);
  if (tokens === null) {
    const message = `the YAML is nested deeper than ${MAX_NESTING} levels`;
    return { documents: [], problems: [problem("too-much-yaml", { file }, message)] };
  }
  return readDocuments(file, tokens, placeOf);
}

function readDocuments(
  file: string,
  tokens: readonly CST.Token[],
  placeOf: (offset: number) => Place,
): YamlFile {
  const documents: YamlDocument[] = [];
  const problems: Problem[] = [];
  let count = 0;
  for (const document of new Composer(OPTIONS).compose(tokens)) {
    count += 1;
    if (count > MAX_DOCUMENTS) {
      problems.push(problem("too-much-yaml", { file }, `more than ${MAX_DOCUMENTS} documents in one file`));
      break;
    }
    const broken = syntaxProblem(file, document, placeOf);
    if (broken !== null) {
      problems.push(broken);
      continue;
    }
    const { value, spot, faults } = plainValue(document, placeOf);
    if (faults.length > 0) problems.push(...faults.map((fault) => faultProblem(file, fault)));
    else if (value !== null) documents.push(located(value, spot));
  }
  return { documents, problems };
}

function located(value: unknown, spot: Spot): YamlDocument {
  return {
    value,
    line: spot.place.line,
    locate: (path) => {
      let at = spot;
      for (const part of path) {
        const next = at.children.get(part);
        if (next === undefined) break;
        at = next;
      }
      return at.place;
    },
  };
}

/** The first syntax error of a document: those after it are mostly its echo. */
function syntaxProblem(
  file: string,
  document: Document.Parsed,
  placeOf: (offset: number) => Place,
): Problem | null {
  const version = document.directives.yaml;
  if (version.explicit === true && version.version !== "1.2") {
    const message = `%YAML ${version.version} is declared, but evalkit reads YAML 1.2`;
    return problem("bad-yaml", { file, ...placeOf(0) }, message, "leave the line out");
  }
  const found = document.errors[0] ?? document.warnings[0];
  if (found === undefined) return null;
  const message = `this is no valid YAML: ${lowerFirst(found.message)}`;
  return problem("bad-yaml", { file, ...placeOf(found.pos[0]) }, message, hintFor(found.code));
}

function hintFor(code: string): string | undefined {
  if (code === "BLOCK_AS_IMPLICIT_KEY") return "put a value that holds ': ' in quotes";
  if (code === "TAB_AS_INDENT") return "indent with spaces";
  if (code === "TAG_RESOLVE_FAILED") return "tags are not supported; write plain values";
  if (code === "BAD_ALIAS") return "put a value that begins with * or & in quotes";
  return undefined;
}

function faultProblem(file: string, { code, place, path, message, hint }: Fault): Problem {
  const key = path.length === 0 ? {} : { key: keyText(path) };
  return problem(code, { file, ...place, ...key }, message, hint);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
