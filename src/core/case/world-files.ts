import type { Case } from "../nouns/case.ts";
import { type Problem, problem } from "../nouns/problem.ts";

/** Bounds of a folder that `world.filesFrom` names. */
export const MAX_WORLD_FILES = 2000;
export const MAX_WORLD_CHARS = 8 * 1024 * 1024;

/** The folder that `world.filesFrom` names, from the project's root, or what is wrong with it. */
export function worldFolder(one: Case, roots: readonly string[]): string | Problem | null {
  const typed = one.world.filesFrom;
  if (typed === undefined) return null;
  const where = { file: one.source.file, line: one.source.line, key: "world.filesFrom" };
  const folder = joinPaths(one.source.file.split("/").slice(0, -1), typed);
  const root = roots.find((name) => one.source.file.startsWith(`${name}/`));
  const home = root ?? one.source.file.split("/").slice(0, -1).join("/");
  if (folder !== null && (folder.startsWith(`${home}/`) || (home === "" && folder !== ""))) return folder;
  return problem(
    "path-outside",
    where,
    `${JSON.stringify(typed)} leads outside ${home === "" ? "the project" : `${home}/`}`,
    "name a folder beside the case",
  );
}

function joinPaths(from: readonly string[], typed: string): string | null {
  if (typed.startsWith("/") || typed.includes("\\") || /^[A-Za-z]:/.test(typed)) return null;
  const names = [...from];
  for (const name of typed.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.join("/");
}

/** The case with the folder's files in its world; files written in the case itself come first. */
export function withWorldFiles(one: Case, files: Readonly<Record<string, string>>): Case {
  const { filesFrom: _, ...world } = one.world;
  return { ...one, world: { ...world, files: { ...files, ...world.files } } };
}
