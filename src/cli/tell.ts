import { formatProblem, type Problem } from "../core/nouns/problem.ts";
import { visible } from "../core/text/visible.ts";
import type { CliIo } from "./command.ts";

/** Problems in words, to stderr. What they quote of a branch's files can't act on the terminal. */
export function tellProblems(problems: readonly Problem[], io: CliIo): void {
  for (const one of problems) io.err(visible(formatProblem(one)));
}
