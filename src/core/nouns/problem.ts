/** Where in the user's files something is wrong. Lines and columns count from 1. */
export interface Where {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** Dotted key inside the file, such as `expect.tools.calls[0].name`. */
  readonly key?: string;
}

/**
 * One thing that is wrong with what the user handed in. `error` stops before the first model call;
 * `warning` is printed and recorded and lets the run go on.
 */
export interface Problem {
  /** Stable kebab-case code, such as `unknown-key`; tests and scripts may rely on it. */
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly where: Where;
  /** One sentence: what is wrong, naming what was expected and what came. */
  readonly message: string;
  /** What to do about it, if that can be said. */
  readonly hint?: string;
}

/** `file:line:column` as far as known, or `undefined`. */
export function placeOf(where: Where): string | undefined {
  if (where.file === undefined) return undefined;
  const line = where.line === undefined ? "" : `:${where.line}`;
  const column = where.line === undefined || where.column === undefined ? "" : `:${where.column}`;
  return `${where.file}${line}${column}`;
}

/** The one place that turns a problem into words: `place: severity: message [key] (code)` and a hint line. */
export function formatProblem(problem: Problem): string {
  const place = placeOf(problem.where);
  const key = problem.where.key === undefined ? "" : ` (at ${problem.where.key})`;
  const head = `${place === undefined ? "" : `${place}: `}${problem.severity}: ${problem.message}${key} [${problem.code}]`;
  return problem.hint === undefined ? head : `${head}\n  hint: ${problem.hint}`;
}

/** Builds an error problem. */
export function problem(code: string, where: Where, message: string, hint?: string): Problem {
  return { code, severity: "error", where, message, ...(hint === undefined ? {} : { hint }) };
}

/** Builds a warning problem. */
export function warning(code: string, where: Where, message: string, hint?: string): Problem {
  return { code, severity: "warning", where, message, ...(hint === undefined ? {} : { hint }) };
}

/** The only error that commands throw for bad input: it ends with exit code 2 and prints every problem. */
export class InputError extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join("\n"));
    this.name = "InputError";
    this.problems = problems;
  }
}

/** Throws one problem as an `InputError`. */
export function fail(code: string, where: Where, message: string, hint?: string): never {
  throw new InputError([problem(code, where, message, hint)]);
}
