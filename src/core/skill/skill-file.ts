import { type Document, isMap, isNode, isScalar, isSeq, type Node } from "yaml";
import { type Problem, problem, warning } from "../nouns/problem.ts";
import { sameName } from "../text/same-name.ts";
import { cut } from "../text/cut.ts";
import { wellFormed } from "../text/well-formed.ts";
import { splitFrontMatter } from "./front-matter.ts";
import { type HeaderDocument, type HeaderIssue, parseHeader } from "./header.ts";

/** What a SKILL.md says, before tiers and states. */
export interface ParsedSkill {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly priority: number;
  readonly body: string;
}

export type SkillResult =
  | { readonly ok: true; readonly skill: ParsedSkill; readonly notes: readonly Problem[] }
  | { readonly ok: false; readonly problem: Problem };

/** What stands in the index for a skill without a description. */
export const NO_DESCRIPTION = "No description";
const MAX_NAME = 64;

/**
 * Reads one SKILL.md (LF, no BOM). `file` is for messages, `folder` the name of the folder it lies in. What can't be
 * read is refused with file, line and reason; nothing in it is ever run.
 */
export function parseSkill(file: string, folder: string, text: string): SkillResult {
  const fenced = splitFrontMatter(text);
  if (fenced.kind === "refused") {
    return {
      ok: false,
      problem: problem(fenced.code, { file, line: fenced.line }, `the skill ${fenced.reason}`, fenced.hint),
    };
  }
  if (fenced.kind === "none") {
    const note = warning(
      "no-front-matter",
      { file, line: 1 },
      "the skill has no front matter",
      "begin the file with ---, name:, description:, ---",
    );
    return finish(
      file,
      { name: folder, description: NO_DESCRIPTION, tags: [], priority: 0, body: fenced.body },
      [note],
    );
  }
  const parsed = parseHeader(fenced.header, fenced.headerLine);
  if (!parsed.ok) return { ok: false, problem: toProblem(file, parsed.issue, problem) };
  const notes = parsed.header.warnings.map((issue) => toProblem(file, issue, warning));
  const fields = readFields(parsed.header);
  if (!fields.ok) return { ok: false, problem: toProblem(file, fields.issue, problem) };
  const { name, description, tags, priority, warnings } = fields;
  notes.push(...warnings.map((issue) => toProblem(file, issue, warning)));
  return finish(
    file,
    { name: name ?? folder, description: description ?? NO_DESCRIPTION, tags, priority, body: fenced.body },
    notes,
    fields.nameLine,
  );
}

function finish(file: string, skill: ParsedSkill, notes: readonly Problem[], line = 1): SkillResult {
  const reason = badName(skill.name);
  if (reason !== null) {
    const shown = JSON.stringify(cut(skill.name, 80));
    return {
      ok: false,
      problem: problem(
        "skill-name",
        { file, line },
        `the skill's name ${shown} ${reason}`,
        "a name is 1 to 64 characters on one line, such as web-access",
      ),
    };
  }
  const empty =
    skill.body === ""
      ? [warning("empty-skill", { file }, `the skill ${skill.name} has no text below its front matter`)]
      : [];
  return { ok: true, skill: { ...skill, name: sameName(skill.name) }, notes: [...notes, ...empty] };
}

/** The name stands in the index, in tool results and in headings: one line, nothing invisible. */
function badName(name: string): string | null {
  if (name.trim() === "") return "is empty";
  if (name !== name.trim()) return "begins or ends with a blank";
  if ([...name].length > MAX_NAME) return `is longer than ${MAX_NAME} characters`;
  // A trial's world holds a skill's files below a folder of its name.
  if (/[/\\]|^\.\.?$/.test(name)) return "holds a slash or is a folder's dots";
  return /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(name) ? "holds a control character or line break" : null;
}

type Fields =
  | {
      readonly ok: true;
      readonly name: string | null;
      readonly description: string | null;
      readonly tags: readonly string[];
      readonly priority: number;
      readonly warnings: readonly HeaderIssue[];
      readonly nameLine: number;
    }
  | { readonly ok: false; readonly issue: HeaderIssue };

function readFields(header: HeaderDocument): Fields {
  const node = (key: string) => nodeOf(header.document, key);
  const lineOf = (found: Node | null) => header.lineOf(found?.range?.[0] ?? 0);
  for (const key of ["name", "description"]) {
    const found = node(key);
    if (found !== null && !isScalar(found)) {
      return {
        ok: false,
        issue: {
          code: "front-matter-type",
          line: lineOf(found),
          key,
          message: `${key} must be text, found ${isMap(found) ? "a map" : isSeq(found) ? "a list" : "an alias"}`,
          hint: "put the value in quotes",
        },
      };
    }
  }
  const tagList = node("tags");
  const tags = readTags(tagList);
  const priority = node("priority");
  const number =
    isScalar(priority) && typeof priority.value === "number" && Number.isFinite(priority.value)
      ? priority.value
      : null;
  const warnings: HeaderIssue[] = [...oddKeys(header), ...cutByComment(header, node)];
  if (isSeq(tagList) && tags !== null && tags.length < tagList.items.length)
    warnings.push({
      code: "front-matter-type",
      line: lineOf(tagList),
      key: "tags",
      message: "a tag is empty or null and is left out",
      hint: "put the word in quotes",
    });
  if (tags === null)
    warnings.push({
      code: "front-matter-type",
      line: lineOf(tagList),
      key: "tags",
      message: "tags must be a list of words; they are left out",
    });
  if (priority !== null && number === null)
    warnings.push({
      code: "front-matter-type",
      line: lineOf(priority),
      key: "priority",
      message: "priority must be a number; it is taken as 0",
    });
  return {
    ok: true,
    name: textOf(node("name")),
    description: textOf(node("description")),
    tags: tags ?? [],
    priority: number ?? 0,
    warnings,
    nameLine: lineOf(node("name")),
  };
}

function nodeOf(document: Document, key: string): Node | null {
  if (!isMap(document.contents)) return null;
  const pair = document.contents.items.find((item) => isScalar(item.key) && item.key.value === key);
  const value: unknown = pair?.value;
  return isNode(value) ? value : null;
}

/** The words as they stand: `123`, `no` and `2024-01-01` are names like any other. Null and blank count as missing. */
function textOf(node: Node | null): string | null {
  if (!isScalar(node) || node.value === null || node.value === undefined) return null;
  const text = typeof node.value === "string" ? node.value : (node.source ?? String(node.value));
  // YAML escapes can spell half a character (`"\\ud800"`), which no valid JSON or UTF-8 may hold.
  const whole = wellFormed(text).trim();
  return whole === "" ? null : whole;
}

/** A list of scalars, or words with commas between; null when it is neither. */
function readTags(node: Node | null): readonly string[] | null {
  if (node === null) return [];
  if (isScalar(node))
    return (textOf(node) ?? "")
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== "");
  if (!isSeq(node)) return null;
  if (!node.items.every((item) => isScalar(item))) return null;
  return node.items.flatMap((item) => (isScalar(item) ? (textOf(item) ?? []) : []));
}

const KEYS = ["name", "description", "tags", "priority"];

/** `Name:` is read by nobody: the skill would be listed by its folder's name without a word. */
function oddKeys(header: HeaderDocument): HeaderIssue[] {
  const { contents } = header.document;
  if (!isMap(contents)) return [];
  return contents.items.flatMap(({ key }): HeaderIssue[] => {
    const name = isScalar(key) ? String(key.value) : "";
    const meant = KEYS.find((known) => known === name.trim().toLowerCase());
    if (meant === undefined || meant === name) return [];
    const line = header.lineOf(isNode(key) ? (key.range?.[0] ?? 0) : 0);
    const message = `the key ${JSON.stringify(name)} is not read`;
    return [{ code: "front-matter-key", line, key: name, message, hint: `write it ${meant}` }];
  });
}

/** `description: Fix issue #12 first`: YAML takes what follows ` #` for a comment, and the author rarely knows. */
function cutByComment(header: HeaderDocument, node: (key: string) => Node | null): HeaderIssue[] {
  return ["name", "description"].flatMap((key): HeaderIssue[] => {
    const found = node(key);
    if (!isScalar(found) || found.type !== "PLAIN" || typeof found.comment !== "string") return [];
    const line = header.lineOf(found.range?.[0] ?? 0);
    const message = `the plain value of ${key} ends where YAML sees a comment: #${cut(found.comment, 80)}`;
    return [{ code: "front-matter-comment", line, key, message, hint: "put the value in quotes" }];
  });
}

function toProblem(
  file: string,
  issue: HeaderIssue,
  build: (code: string, where: Problem["where"], message: string, hint?: string) => Problem,
): Problem {
  const where = {
    file,
    line: issue.line,
    ...(issue.column === undefined ? {} : { column: issue.column }),
    ...(issue.key === undefined ? {} : { key: issue.key }),
  };
  return build(issue.code, where, issue.message, issue.hint);
}
