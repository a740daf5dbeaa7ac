import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "../core/nouns/problem.ts";
import { MAX_FILE_BYTES } from "../core/variant/source-text.ts";
import { IS_FOLDER, type TreeEntry } from "../core/variant/tree.ts";
import { type Content, entryMap, MAX_ENTRIES, tooLarge, type Tree } from "./tree.ts";
import { errorCode } from "./files.ts";

/** Never descended into: dependencies and git's own files hold no prompts, and may be huge. */
const SKIPPED = new Set(["node_modules", ".git"]);

/**
 * The files of a folder as they lie on disk. `root` itself may be reached by a link, what lies below it may not. With
 * `submodules` a nested repository is an entry that is not read, as in a commit; without, a folder like any other.
 */
export function openFolderTree(root: string, label: string, submodules = true): Tree {
  return {
    label,
    async list(folders) {
      const entries = new Map<string, TreeEntry>();
      for (const folder of folders)
        await collectFrom({ root, submodules }, folder.replace(/\/$/, ""), entries);
      return entryMap([...entries.values()], folders);
    },
    async read(paths, limit = MAX_FILE_BYTES) {
      const contents = new Map<string, Content>();
      for (const path of paths) {
        const content = await readOne(join(root, path), limit);
        if (content !== null) contents.set(path, content);
      }
      return contents;
    },
  };
}

interface Place {
  readonly root: string;
  readonly submodules: boolean;
}

/** Walks down to the folder first, so that a link on the way is seen and not stepped through. */
async function collectFrom(place: Place, folder: string, entries: Map<string, TreeEntry>): Promise<void> {
  const names = folder.split("/");
  for (let depth = 1; depth < names.length; depth += 1) {
    const path = names.slice(0, depth).join("/");
    const entry = await entryAt(place, path);
    if (entry === null) return;
    if (entry !== "folder") return void entries.set(path, entry);
  }
  await collect(place, folder, entries);
}

async function collect(place: Place, path: string, entries: Map<string, TreeEntry>): Promise<void> {
  if (entries.size > MAX_ENTRIES) return;
  const entry = path === "" ? "folder" : await entryAt(place, path);
  if (entry === null) return;
  if (entry !== "folder") return void entries.set(path, entry);
  const names = await readdir(join(place.root, path)).catch((error: unknown) => denied(path, error));
  for (const name of names) {
    if (!SKIPPED.has(name)) await collect(place, path === "" ? name : `${path}/${name}`, entries);
  }
}

async function entryAt(place: Place, path: string): Promise<TreeEntry | "folder" | null> {
  const full = join(place.root, path);
  const stats = await lstat(full).catch(absent);
  if (stats === null) return null;
  if (stats.isSymbolicLink()) return { path, kind: "link", target: await readlink(full) };
  if (stats.isFile()) return { path, kind: "file" };
  if (!stats.isDirectory()) return { path, kind: "special" };
  // A nested repository is what git stores as a submodule: read the same way from disk as from a commit.
  const nested = !place.submodules ? null : await lstat(join(full, ".git")).catch(absent);
  return nested === null ? "folder" : { path, kind: "submodule" };
}

async function readOne(path: string, limit: number): Promise<Content | null> {
  let handle: FileHandle;
  try {
    // O_NOFOLLOW: a file that became a link since it was listed is not followed.
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    return unreadable(error);
  }
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) return { kind: "unreadable", code: "not-a-file", reason: IS_FOLDER };
    if (!stats.isFile()) return null;
    if (stats.size > limit) return tooLarge(stats.size, limit);
    return { kind: "bytes", bytes: await handle.readFile() };
  } finally {
    await handle.close();
  }
}

function absent(error: unknown): null {
  return isAbsence(codeOf(error)) ? null : denied("", error);
}

/** A name that is too long names nothing either. */
function isAbsence(code: string): boolean {
  return code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG";
}

function denied(path: string, error: unknown): never {
  return fail("unreadable", { file: path }, `this folder can't be read (${codeOf(error)})`);
}

function unreadable(error: unknown): Content | null {
  const code = codeOf(error);
  if (isAbsence(code) || code === "ELOOP") return null;
  return { kind: "unreadable", code: "unreadable", reason: `can't be read (${code})` };
}

function codeOf(error: unknown): string {
  return errorCode(error) ?? String(error);
}
