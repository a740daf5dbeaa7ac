import { type Problem, problem, type Where, warning } from "../nouns/problem.ts";

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Whether a text asks for a variable of the environment. */
export function namesVariable(text: string): boolean {
  return /\$\{[A-Za-z_][A-Za-z0-9_]*\}/.test(text);
}

/** A text with its `${NAME}` filled, or null when one is missing: an error where the value is needed, else a warning. */
export function substitute(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  where: Where,
  needed: boolean,
  problems: Problem[],
): string | null {
  const missing = [...text.matchAll(VARIABLE)]
    .map((found) => found[1] ?? "")
    .filter((name) => (env[name] ?? "") === "");
  for (const name of new Set(missing)) {
    const message = `the environment variable ${name} is not set`;
    const make = needed ? problem : warning;
    problems.push(
      make("missing-variable", where, message, `set ${name}, or take the value out of the config`),
    );
  }
  return missing.length > 0 ? null : text.replace(VARIABLE, (_, name: string) => env[name] ?? "");
}
