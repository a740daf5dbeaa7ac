import type { Case } from "../nouns/case.ts";
import { type Problem, problem } from "../nouns/problem.ts";

/**
 * The id of a case that names none: its file's path below the cases folder, without the ending; `#2`, `#3`, … for later
 * documents of the file. `roots` are the cases folders; a file below none of them counts from a folder named `cases`.
 */
export function defaultId(file: string, document: number, roots: readonly string[]): string {
  const root = roots.find((folder) => folder !== "" && folder !== "." && file.startsWith(`${folder}/`));
  const folder = file.lastIndexOf("cases/");
  const start = root !== undefined ? root.length + 1 : folder >= 0 ? folder + "cases/".length : 0;
  const base = file.slice(start).replace(/\.ya?ml$/i, "");
  return document === 1 ? base : `${base}#${document}`;
}

/** Ids that several cases claim, or that look the same (`é` in one or two characters): one error a repeat, with both places. */
export function duplicateIds(cases: readonly Case[]): Problem[] {
  const first = new Map<string, Case>();
  return cases.flatMap((one) => {
    const before = first.get(one.id.normalize());
    if (before === undefined) {
      first.set(one.id.normalize(), one);
      return [];
    }
    const { file, line } = one.source;
    const message = `case id ${JSON.stringify(one.id)} is taken already, at ${before.source.file}:${before.source.line}`;
    return [problem("duplicate-id", { file, line, key: "id" }, message, "give one of them another id")];
  });
}
