import { realpath, stat } from "node:fs/promises";
import { join, posix, resolve } from "node:path";
import { fail } from "../core/nouns/problem.ts";
import type { Delivery, Profile, Tier, VariantSource, VariantSpec } from "../core/nouns/variant.ts";
import { count } from "../core/text/count.ts";
import type { TreeEntry } from "../core/variant/tree.ts";
import { exists } from "./files.ts";
import { findRepositoryRoot, headCommit, isDirty, resolveCommit, unwatchedFiles } from "./git.ts";
import type { Tree } from "./tree.ts";
import { openFolderTree } from "./tree-folder.ts";
import { openGitTree } from "./tree-git.ts";

/** Where a variant's parts lie and how they are used; from the project's settings. */
export interface VariantOptions {
  /** Folders of the built-in tier, relative to the root. */
  readonly prompts: string;
  readonly skills: string;
  readonly profile: Profile;
  /** null: the profile's default. */
  readonly delivery: Delivery | null;
  readonly personality: string;
  /** Folder of the project tier, relative to the root. */
  readonly tierDir: string;
  /** Folder of the user tier, absolute; null: not used. */
  readonly userDir: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What `dir:PATH` is relative to; the root when not given. */
  readonly cwd?: string;
}

/** One tier of a variant, its entries listed. */
export interface TierSource {
  readonly tier: Tier;
  readonly tree: Tree;
  readonly entries: ReadonlyMap<string, TreeEntry>;
  readonly prompts: string;
  readonly skills: string;
  /** What links may not leave, for layers and for skills. */
  readonly promptRoot: string;
  readonly skillRoot: string;
  /** A file as a person finds it, for records and reports. */
  show(path: string): string;
  /** A file as messages name it: `REV:path` in a commit, so that both arms can be told apart. */
  name(path: string): string;
}

/** A variant's base: where it was read, its tiers from low to high, the project's `skills.json`. */
export interface OpenedBase {
  readonly source: VariantSource;
  readonly label: string;
  readonly tiers: readonly TierSource[];
  readonly stateFile: string;
}

/** Opens a base and lists what lies in its tiers. Throws InputError for missing revisions and folders. */
export async function openBase(
  root: string,
  base: VariantSpec["base"],
  options: VariantOptions,
): Promise<OpenedBase> {
  const prompts = insideFolder("prompts", options.prompts);
  const skills = insideFolder("skills", options.skills);
  const tierDir = insideFolder("tierDir", options.tierDir);
  const opened = await openSource(root, base, [prompts, skills, tierDir], options);
  const entries = await opened.tree.list([prompts, skills, tierDir]);
  const shared = { tree: opened.tree, entries, show: opened.show, name: opened.name };
  const builtin: TierSource = {
    ...shared,
    tier: "builtin",
    prompts,
    skills,
    promptRoot: prompts,
    skillRoot: skills,
  };
  const project: TierSource = {
    ...shared,
    tier: "project",
    prompts: `${tierDir}/prompts`,
    skills: `${tierDir}/skills`,
    promptRoot: tierDir,
    skillRoot: tierDir,
  };
  const user = options.userDir === null ? [] : await openUserTier(options.userDir);
  return {
    source: opened.source,
    label: opened.tree.label,
    tiers: [builtin, ...user, project],
    stateFile: `${tierDir}/skills.json`,
  };
}

interface OpenedSource {
  readonly tree: Tree;
  readonly source: VariantSource;
  show(path: string): string;
  name(path: string): string;
}

async function openSource(
  root: string,
  base: VariantSpec["base"],
  folders: readonly string[],
  options: VariantOptions,
): Promise<OpenedSource> {
  const plain = (path: string) => path;
  switch (base.kind) {
    case "git": {
      const commit = await resolveCommit(root, base.rev, options.env);
      const label = `${base.rev} (${commit.slice(0, 12)})`;
      const tree = await openGitTree(root, commit, options.env, label);
      return {
        tree,
        source: { kind: "git", rev: base.rev, commit },
        show: plain,
        name: (path) => `${base.rev}:${path}`,
      };
    }
    case "worktree": {
      const inRepository = (await findRepositoryRoot(root, options.env)) !== null;
      const commit = inRepository ? await headCommit(root, options.env) : null;
      const unwatched = inRepository ? await unwatchedFiles(root, folders, options.env) : [];
      await refuseSparse(root, unwatched);
      const dirty =
        inRepository &&
        (commit === null || unwatched.length > 0 || (await isDirty(root, folders, options.env)));
      const tree = openFolderTree(await realFolder(root), "worktree");
      return { tree, source: { kind: "worktree", commit, dirty }, show: plain, name: plain };
    }
    case "dir": {
      const folder = resolve(options.cwd ?? root, base.path);
      const show = (path: string) => posix.join(base.path, path);
      const tree = openFolderTree(await realFolder(folder), `dir:${base.path}`, false);
      return { tree, source: { kind: "dir", path: base.path }, show, name: show };
    }
  }
}

/** A skill that a sparse checkout leaves out was not deleted by anybody: measured without it, the version would be another. */
async function refuseSparse(root: string, unwatched: readonly string[]): Promise<void> {
  const missing: string[] = [];
  for (const file of unwatched) if (!(await exists(resolve(root, file)))) missing.push(file);
  const [first] = missing;
  if (first === undefined) return;
  const more = missing.length === 1 ? "" : ` and ${count(missing.length - 1, "more file")}`;
  fail(
    "sparse-checkout",
    {},
    `the working tree is a sparse checkout that leaves out ${first}${more}`,
    "bring them in with git sparse-checkout add or disable, or give HEAD or a branch instead of worktree",
  );
}

/** The user's own folder; not having one is no fault. */
async function openUserTier(userDir: string): Promise<TierSource[]> {
  const folder = await realpath(userDir).catch(() => null);
  if (folder === null) return [];
  // Skills in the home folder are often clones of their own repositories.
  const tree = openFolderTree(folder, userDir, false);
  const entries = await tree.list(["prompts", "skills"]);
  const show = (path: string) => join(userDir, path);
  return [
    {
      tier: "user",
      tree,
      entries,
      prompts: "prompts",
      skills: "skills",
      promptRoot: "",
      skillRoot: "",
      show,
      name: show,
    },
  ];
}

async function realFolder(path: string): Promise<string> {
  const refuse = (why: string) =>
    fail("no-folder", { file: path }, why, "dir: takes a folder with prompts/ and skills/");
  const folder = await realpath(path).catch(() => refuse("this folder doesn't exist"));
  return (await stat(folder)).isDirectory() ? folder : refuse("this is a file, not a folder");
}

/** A folder setting, normalised. It may not leave the root: what lies outside is in no commit. */
function insideFolder(key: string, value: string): string {
  const folder = posix.normalize(value.replaceAll("\\", "/")).replace(/\/$/, "");
  if (
    folder === "." ||
    folder === "" ||
    folder.startsWith("/") ||
    folder.split("/").includes("..") ||
    /^[A-Za-z]:/.test(folder)
  ) {
    fail(
      "bad-folder",
      { key },
      `${key} must be a folder below the repository's root, found ${JSON.stringify(value)}`,
      `such as ${key}: ${key}`,
    );
  }
  return folder;
}
