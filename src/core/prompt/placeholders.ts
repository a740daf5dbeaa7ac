import { type Problem, problem, warning } from "../nouns/problem.ts";
import type { Role } from "../nouns/variant.ts";

/**
 * Placeholders that a mode file may use, `{{name}}`, by role. What a harness can't know it can't declare: any other
 * `{{word}}` in a mode file is an error, since the model would read the braces.
 */
export const PLACEHOLDERS: Readonly<Record<Role, readonly string[]>> = {
  agent: [],
  plan: ["goal", "taskId", "taskType", "taskDescription"],
  planner: ["goal"],
  "team-planner": ["goal"],
  "team-worker": ["goal", "taskId", "taskType", "taskDescription"],
  "team-reviewer": ["goal", "taskId", "taskType", "taskDescription"],
};

/** `{{name}}`, blanks allowed inside; a backslash in front makes it literal. Other braces are bytes. */
const PLACEHOLDER = /\\\{\{|\{\{[ \t]*([A-Za-z_][\w.-]*)[ \t]*\}\}/g;

/** A filled mode file. `problems` name layer and line; then the text must not be sent. */
export interface Filled {
  readonly text: string;
  readonly problems: readonly Problem[];
}

/**
 * Fills a mode file's placeholders in one pass, so that values are never rendered themselves. `\{{` writes a literal
 * `{{`. A placeholder that is not declared for the role, or has no value, is a problem.
 */
export function fillPlaceholders(
  text: string,
  file: string,
  role: Role,
  values: Readonly<Record<string, string>>,
): Filled {
  const problems: Problem[] = [];
  const filled = text.replace(PLACEHOLDER, (found: string, name: string | undefined, at: number) => {
    if (name === undefined) return "{{";
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (PLACEHOLDERS[role].includes(name) && value !== undefined) return value;
    problems.push(unfilled(text, at, file, role, name));
    return found;
  });
  return { text: filled, problems };
}

/** Problems of a mode file that can be known before there are values. */
export function checkPlaceholders(text: string, file: string, role: Role): readonly Problem[] {
  const declared = Object.fromEntries(PLACEHOLDERS[role].map((name) => [name, ""]));
  return fillPlaceholders(text, file, role, declared).problems;
}

/** Placeholders in any other layer: bytes that reach the model as they stand, so the user is told. */
export function warnPlaceholders(text: string, file: string): readonly Problem[] {
  return [...text.matchAll(PLACEHOLDER)].flatMap((found) => {
    const name = found[1];
    if (name === undefined) return [];
    return [
      warning(
        "placeholder-not-filled",
        whereOf(text, found.index, file),
        `{{${name}}} is not filled: only mode files have placeholders, and the model reads this layer as it stands`,
        "write what is meant, or move the line to a mode file",
      ),
    ];
  });
}

function unfilled(text: string, at: number, file: string, role: Role, name: string): Problem {
  const known = PLACEHOLDERS[role];
  const declared =
    known.length === 0
      ? `mode ${role} has no placeholders`
      : `mode ${role} has ${known.map((word) => `{{${word}}}`).join(", ")}`;
  return problem(
    "placeholder-not-filled",
    whereOf(text, at, file),
    `{{${name}}} can't be filled: ${declared}`,
    `write \\{{${name}}} where the braces themselves are meant`,
  );
}

function whereOf(text: string, at: number, file: string): Problem["where"] {
  const before = text.slice(0, at);
  return { file, line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}
