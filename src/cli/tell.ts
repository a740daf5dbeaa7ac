import { formatProblem, type Problem } from "../core/nouns/problem.ts";
import { visible } from "../core/text/visible.ts";
import type { CliIo } from "./command.ts";

/** A file of one branch can hold any number of faults; nobody reads more than these. */
const SHOWN = 200;

/**
 * Problems in words, to stderr, errors first where there are too many. What they quote of a branch's files can't act on
 * the terminal.
 */
export function tellProblems(problems: readonly Problem[], io: CliIo): void {
  const errors = problems.filter(({ severity }) => severity === "error");
  const many = problems.length > SHOWN;
  const shown = many ? [...errors, ...problems.filter((one) => one.severity !== "error")] : problems;
  for (const one of shown.slice(0, SHOWN)) io.err(visible(formatProblem(one)));
  if (many) io.err(`… and ${problems.length - SHOWN} more problems`);
}
