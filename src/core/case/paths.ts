import { compileGlob } from "../text/glob.ts";

/** Names of case files. */
const CASE_FILE = /\.ya?ml$/i;
/** Eval files of the agentskills.io form, beside a SKILL.md. */
const EVALS_FILE = /(^|\/)evals\/evals\.json$/;

/** Where cases are looked for; folders from the project's root. */
export interface CaseHome {
  readonly roots: readonly string[];
  readonly skills: string;
}

/** A path with `/` between names, whichever separator was typed, and without `./` and a last `/`. */
export function tidyPath(path: string): string {
  const tidy = path
    .replaceAll("\\", "/")
    .replace(/^(\.\/)+/, "")
    .replace(/\/+$/, "");
  return tidy === "." ? "" : tidy;
}

/** Whether a path is an eval file of a skill. */
export function isEvalsFile(path: string): boolean {
  return EVALS_FILE.test(path);
}

/** The skill folder of an eval file, or null when no SKILL.md lies there. */
export function skillOfEvals(path: string, paths: ReadonlySet<string>): string | null {
  const folder = path.replace(EVALS_FILE, "");
  return paths.has(`${folder}/SKILL.md`) ? folder : null;
}

/** Case files of the project among all its paths: YAML below the roots, eval files beside skills. */
export function defaultCaseFiles(paths: readonly string[], home: CaseHome): string[] {
  const all = new Set(paths);
  return paths.filter((path) => {
    if (isHidden(path)) return false;
    if (CASE_FILE.test(path)) return home.roots.some((root) => isAtOrBelow(path, root));
    return isEvalsFile(path) && isAtOrBelow(path, home.skills) && skillOfEvals(path, all) !== null;
  });
}

/** Case files that one typed path means, among all paths below the folders that were listed. */
export function matchCaseFiles(paths: readonly string[], typed: string): string[] {
  const path = tidyPath(typed);
  const files = paths.filter((one) => CASE_FILE.test(one) || isEvalsFile(one));
  // What exists is meant as it is written: brackets in real names are no pattern.
  const literal = files.filter((one) => isAtOrBelow(one, path));
  if (literal.length > 0) return literal.filter((one) => one === path || !isHidden(one.slice(path.length)));
  const { base, glob } = splitGlob(path, paths);
  const matches = compileGlob(glob, "paths");
  return files.filter((one) => isBelow(one, base) && matches(base === "" ? one : one.slice(base.length + 1)));
}

/** The folder that a typed path must be listed from: the part before the first name with a wildcard. */
export function listingBase(typed: string): string {
  const names = tidyPath(typed).split("/");
  const first = names.findIndex((name) => /[*?[\]{}()!+@]/.test(name));
  return first < 0 ? names.join("/") : names.slice(0, first).join("/");
}

/** Leading names that exist as folders are literal, the rest is a glob. */
function splitGlob(path: string, paths: readonly string[]): { base: string; glob: string } {
  const names = path.split("/");
  let base = "";
  let taken = 0;
  for (const name of names.slice(0, -1)) {
    const next = base === "" ? name : `${base}/${name}`;
    if (!paths.some((one) => isBelow(one, next))) break;
    base = next;
    taken += 1;
  }
  return { base, glob: names.slice(taken).join("/") };
}

/** Whether a path is a folder or lies in it; the empty folder is the root. */
export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

function isBelow(path: string, folder: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}

function isHidden(path: string): boolean {
  return path.split("/").some((name) => (name.startsWith(".") && name !== ".") || name === "node_modules");
}
