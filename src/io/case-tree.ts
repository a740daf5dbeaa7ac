import { parseEvalsJson } from "../core/case/evals-json.ts";
import { duplicateIds } from "../core/case/ids.ts";
import { type ParsedCases, parseCases } from "../core/case/parse.ts";
import {
  type CaseHome,
  defaultCaseFiles,
  isAtOrBelow,
  isEvalsFile,
  listingBase,
  matchCaseFiles,
  tidyPath,
} from "../core/case/paths.ts";
import { MAX_WORLD_CHARS, MAX_WORLD_FILES, withWorldFiles, worldFolder } from "../core/case/world-files.ts";
import type { Case } from "../core/nouns/case.ts";
import { type Problem, problem, warning } from "../core/nouns/problem.ts";
import { resolvePath, type TreeEntry } from "../core/variant/tree.ts";
import { textOf, type Tree } from "./tree.ts";

/** Cases of a tree, in the order of their files, and everything that is wrong with them. */
export interface TreeCases {
  readonly cases: readonly Case[];
  readonly problems: readonly Problem[];
  /** Files that were read, sorted. */
  readonly files: readonly string[];
}

/**
 * Reads cases from a folder or a commit. `paths` are files, folders or globs from the tree's root; null: all case files
 * below the roots and eval files beside skills. YAML inside a folder that a case names by `filesFrom` is no case.
 */
export async function casesInTree(
  tree: Tree,
  home: CaseHome,
  paths: readonly string[] | null,
): Promise<TreeCases> {
  const problems: Problem[] = [];
  const bases = paths === null ? [] : paths.flatMap((path) => [tidyPath(path), listingBase(path)]);
  const folders = [...new Set([...home.roots, home.skills, ...bases.filter((path) => path !== "")])];
  const entries = await tree.list(folders);
  const files = chooseFiles([...entries.keys()], home, paths, problems);
  const texts = await readTexts(tree, entries, files, "", problems);
  const parsed = [...texts].map(([path, text]) => parseFile(path, text, home));
  const worlds = worldFolders(parsed, home.roots, problems);
  const folderNames = [...new Set(worlds.values())];
  const kept = parsed.filter(({ file }) => !folderNames.some((folder) => isAtOrBelow(file, folder)));
  const own = kept.filter(({ attached }) => attached === null).flatMap((one) => one.cases);
  const cases = [
    ...(await fillWorlds(own, worlds, tree, problems)),
    ...(await attachFiles(kept, tree, problems)),
  ];
  problems.push(...kept.flatMap((one) => one.problems), ...duplicateIds(cases));
  return { cases, problems, files: kept.map(({ file }) => file) };
}

function chooseFiles(
  all: readonly string[],
  home: CaseHome,
  paths: readonly string[] | null,
  problems: Problem[],
): string[] {
  if (paths === null) return defaultCaseFiles(all, home);
  const chosen = new Set<string>();
  for (const path of paths) {
    const found = matchCaseFiles(all, path);
    for (const file of found) chosen.add(file);
    if (found.length > 0) continue;
    const exist = defaultCaseFiles(all, home);
    const hint =
      exist.length === 0
        ? `nothing lies in ${home.roots.join(", ")} either`
        : `case files: ${exist.slice(0, 8).join(", ")}`;
    problems.push(
      problem(
        "no-case-files",
        {},
        `no case file (yaml, yml, evals.json) matches ${JSON.stringify(path)}`,
        hint,
      ),
    );
  }
  return [...chosen].sort();
}

interface ParsedFile extends ParsedCases {
  readonly file: string;
  /** Set for eval files of skills. */
  readonly attached: { readonly skill: string; readonly files: ReadonlyMap<Case, readonly string[]> } | null;
}

/** Texts of files by path; links are followed inside `root` only, what can't be read is a problem. */
async function readTexts(
  tree: Tree,
  entries: ReadonlyMap<string, TreeEntry>,
  paths: readonly string[],
  root: string,
  problems: Problem[],
): Promise<Map<string, string>> {
  const targets = new Map<string, string>();
  for (const path of paths) {
    const resolved = resolvePath(entries, path, root);
    if (resolved.kind === "file") targets.set(path, resolved.path);
    else if (resolved.kind === "refused")
      problems.push(problem(resolved.code, { file: path }, `${path} ${resolved.reason}`));
  }
  const contents = await tree.read([...new Set(targets.values())]);
  const texts = new Map<string, string>();
  for (const [path, target] of targets) {
    const content = contents.get(target);
    if (content === undefined) continue;
    const text = textOf(content);
    if (text.ok) texts.set(path, text.text);
    else problems.push(problem(text.code, { file: path }, `${path} ${text.reason}`, text.hint));
  }
  return texts;
}

function parseFile(file: string, text: string, home: CaseHome): ParsedFile {
  if (!isEvalsFile(file)) return { file, ...parseCases(file, text, home.roots), attached: null };
  const skill = file.replace(/\/?evals\/evals\.json$/, "");
  const { cases, problems, files } = parseEvalsJson(file, text, skill.slice(skill.lastIndexOf("/") + 1));
  return { file, cases, problems, attached: { skill, files } };
}

/** Files that an eval hands to the agent, read from the skill's folder. One that can't be read takes its case out. */
async function attachFiles(parsed: readonly ParsedFile[], tree: Tree, problems: Problem[]): Promise<Case[]> {
  const cases: Case[] = [];
  for (const { attached, cases: own } of parsed) {
    if (attached === null) continue;
    const entries = await tree.list([attached.skill]);
    for (const one of own) {
      const wanted = attached.files.get(one) ?? [];
      const found: Problem[] = [];
      const paths = wanted.map((path) => `${attached.skill}/${path}`);
      const texts = await readTexts(tree, entries, paths, attached.skill, found);
      for (const path of paths.filter(
        (path) => !texts.has(path) && found.every(({ where }) => where.file !== path),
      )) {
        found.push(problem("no-such-file", { file: path }, `${path} is missing`));
      }
      problems.push(...found.map((fault) => leftOut(one, fault)));
      const files = Object.fromEntries(
        [...texts].map(([path, text]) => [path.slice(attached.skill.length + 1), text]),
      );
      if (found.length === 0) cases.push(withWorldFiles(one, files));
    }
  }
  return cases;
}

/** Eval files often come with skills from elsewhere: one that can't be used is told and passed over. */
function leftOut(one: Case, { code, message }: Problem): Problem {
  return warning(code, one.source, `eval ${one.id} is left out: ${message}`, "evals run on text files");
}

/** Folders of worlds by case id. A fault in naming one takes the case out. */
function worldFolders(
  parsed: readonly ParsedCases[],
  roots: readonly string[],
  problems: Problem[],
): Map<Case, string> {
  const folders = new Map<Case, string>();
  for (const one of parsed.flatMap(({ cases }) => cases)) {
    const folder = worldFolder(one, roots);
    if (typeof folder === "string") folders.set(one, folder);
    else if (folder !== null) problems.push(folder);
  }
  return folders;
}

async function fillWorlds(
  cases: readonly Case[],
  worlds: ReadonlyMap<Case, string>,
  tree: Tree,
  problems: Problem[],
): Promise<Case[]> {
  const read = new Map<string, Readonly<Record<string, string>>>();
  const filled: Case[] = [];
  for (const one of cases) {
    const folder = worlds.get(one);
    if (folder === undefined) {
      if (one.world.filesFrom === undefined) filled.push(one);
      continue;
    }
    const files = read.get(folder) ?? (await readFolder(folder, one, tree, problems));
    read.set(folder, files);
    filled.push(withWorldFiles(one, files));
  }
  return filled;
}

async function readFolder(
  folder: string,
  one: Case,
  tree: Tree,
  problems: Problem[],
): Promise<Record<string, string>> {
  const where = { file: one.source.file, line: one.source.line, key: "world.filesFrom" };
  const entries = await tree.list([folder]);
  const paths = [...entries.keys()].filter((path) => !path.split("/").includes("node_modules"));
  if (paths.length === 0) {
    problems.push(problem("no-such-folder", where, `the folder ${folder} is missing or empty`));
  } else if (paths.length > MAX_WORLD_FILES) {
    problems.push(problem("too-large", where, `${folder} holds more than ${MAX_WORLD_FILES} files`));
    return {};
  }
  const texts = await readTexts(tree, entries, paths, folder, problems);
  const size = [...texts.values()].reduce((sum, text) => sum + text.length, 0);
  if (size > MAX_WORLD_CHARS) {
    problems.push(
      problem("too-large", where, `${folder} holds more than ${MAX_WORLD_CHARS / 1024 / 1024} MiB`),
    );
  }
  return Object.fromEntries([...texts].map(([path, text]) => [path.slice(folder.length + 1), text]));
}
