import { regexFinds, regexProblem } from "../../match/regex.ts";
import type { AnswerCheck, CommandCheck, CompletionCheck, FileCheck } from "../../nouns/case.ts";
import type { Path } from "../../text/path.ts";
import type { Inspection } from "../report.ts";
import { schemaFaults } from "./schema-sanity.ts";
import { badWorldPath } from "./world.ts";

/** Completion checks: each says something, and nothing that can't be. */
export function checkCompletion(look: Inspection): void {
  const checks = look.case.expect.completion ?? [];
  checks.forEach((check, at) => {
    const path: Path = ["expect", "completion", at];
    if ("answer" in check) checkAnswer(look, check.answer, [...path, "answer"]);
    if ("file" in check) checkFile(look, check.file, [...path, "file"]);
    if ("command" in check) checkCommand(look, check.command, [...path, "command"]);
  });
  const seen = new Map<string, number>();
  checks.forEach((check, at) => {
    const text = JSON.stringify(check);
    const first = seen.get(text);
    if (first === undefined) seen.set(text, at);
    else look.warn("repeated-check", ["expect", "completion", at], `the same as check ${first + 1}`);
  });
}

function checkAnswer(look: Inspection, check: AnswerCheck, path: Path): void {
  const { ignoreCase: _, ...says } = check;
  if (Object.keys(says).length === 0) {
    const hint = "add contains, notContains, equals, regex or jsonSchema";
    look.error("empty-check", path, "an answer check without a condition always holds", hint);
  }
  checkTexts(look, check, path);
  if (check.jsonSchema === undefined) return;
  for (const fault of schemaFaults(check.jsonSchema)) {
    look.error("bad-schema", [...path, "jsonSchema", ...fault.path], fault.message);
  }
}

function checkFile(look: Inspection, check: FileCheck, path: Path): void {
  const wrong = badWorldPath(check.path.replace(/^\.\//, ""));
  if (wrong !== null) look.error("bad-path", [...path, "path"], `${JSON.stringify(check.path)} ${wrong}`);
  checkTexts(look, check, path);
  const absent = check.absent === true || check.exists === false;
  const there = check.exists === true || check.absent === false;
  const content = ["equals", "contains", "notContains", "regex"].filter((key) => Object.hasOwn(check, key));
  if (absent && there) look.error("contradiction", path, "the file can't both exist and be absent");
  else if (absent && content.length > 0) {
    look.error("contradiction", path, `a file that is absent has no text for ${content.join(", ")}`);
  }
}

function checkCommand(look: Inspection, check: CommandCheck, path: Path): void {
  const impossible = textsOf(check.stdoutContains).filter(
    (text) => check.stdout !== undefined && !check.stdout.includes(text),
  );
  for (const text of impossible)
    contradicts(look, path, `stdout can't be as given and contain ${JSON.stringify(text)}`);
  emptyTexts(look, check.stdoutContains, [...path, "stdoutContains"]);
}

interface TextChecks {
  readonly contains?: string | readonly string[] | undefined;
  readonly notContains?: string | readonly string[] | undefined;
  readonly equals?: string | undefined;
  readonly regex?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
}

function checkTexts(look: Inspection, check: TextChecks, path: Path): void {
  if (check.regex !== undefined) {
    const wrong = regexProblem(check.regex);
    if (wrong !== null) look.error("bad-regex", [...path, "regex"], wrong);
    else oddRegex(look, check.regex, [...path, "regex"]);
  }
  emptyTexts(look, check.contains, [...path, "contains"]);
  emptyTexts(look, check.notContains, [...path, "notContains"]);
  const fold = (text: string) => (check.ignoreCase === true ? text.toLowerCase() : text);
  const contains = textsOf(check.contains).map(fold);
  const unwanted = textsOf(check.notContains).map(fold);
  const equals = check.equals === undefined ? null : fold(check.equals);
  for (const text of unwanted.filter((one) => one !== "")) {
    const wanted = [...contains, ...(equals === null ? [] : [equals])].find((one) => one.includes(text));
    if (wanted !== undefined)
      contradicts(look, path, `it can't hold ${JSON.stringify(wanted)} and not ${JSON.stringify(text)}`);
  }
  for (const text of contains) {
    if (equals !== null && !equals.includes(text))
      contradicts(look, path, `it can't equal the text and contain ${JSON.stringify(text)}`);
  }
}

/** Texts that have nothing in common: a pattern found in all of them is found everywhere. */
const UNLIKE = ["", "\u0001", "\u0002\n\u0002"];

function oddRegex(look: Inspection, pattern: string, path: Path): void {
  if (UNLIKE.every((text) => regexFinds(pattern, text))) {
    const hint = "say what must be found, such as \\S for anything at all";
    look.error("empty-check", path, `${JSON.stringify(pattern)} is found in every text`, hint);
  }
  const written = /^\/(.+)\/([a-z]*)$/s.exec(pattern);
  if (written === null) return;
  const [, inner = "", flags = ""] = written;
  const meant = flags === "" ? inner : `(?${flags.replace(/[^ims]/g, "") || "i"})${inner}`;
  const hint = `if they only enclose it, write ${JSON.stringify(meant)}`;
  look.warn("slashes-in-regex", path, "the slashes are part of what is looked for", hint);
}

function emptyTexts(look: Inspection, texts: string | readonly string[] | undefined, path: Path): void {
  if (textsOf(texts).includes("")) look.error("empty-check", path, "every text contains the empty text");
}

function contradicts(look: Inspection, path: Path, message: string): void {
  look.error("contradiction", path, message);
}

function textsOf(texts: string | readonly string[] | undefined): readonly string[] {
  if (texts === undefined) return [];
  return typeof texts === "string" ? [texts] : texts;
}

/** Whether a check can hold only if the agent did something: a case of the other kind passes on doing nothing. */
export function asksForSomething(check: CompletionCheck, files: Readonly<Record<string, string>>): boolean {
  if ("judge" in check || "command" in check) return true;
  if ("answer" in check) {
    const { contains, equals, regex, jsonSchema } = check.answer;
    if ([contains, jsonSchema].some((one) => one !== undefined) || (equals ?? "") !== "") return true;
    return regex !== undefined && !regexFinds(regex, "");
  }
  const { path, absent, exists, contains, equals, regex } = check.file;
  const inWorld = Object.hasOwn(files, path.replace(/^\.\//, ""));
  if (absent === true || exists === false) return inWorld;
  return !inWorld || [contains, equals, regex].some((one) => one !== undefined);
}
