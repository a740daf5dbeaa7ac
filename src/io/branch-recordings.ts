import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";
import type { Env } from "../core/config/pick.ts";
import { findRepositoryRoot, headCommit, openGitTree } from "./git.ts";
import { isBelow } from "./own-places.ts";
import { RecordingFile } from "./recording-file.ts";

/** Says of a recordings file (by name) which of its lines the branch brought; null: none, it is not the branch's file. */
export type Brought = (name: string) => Promise<((key: string, line: string) => boolean) | null>;

/** Recordings of one case on the baseline that are read; beyond it they count as changed. */
const LARGEST = 64 * 1024 * 1024;

/**
 * Which recordings the commit that is checked out adds or changes against the baseline's. What lies in the folder without
 * being committed (a cache, an earlier run) is not the branch's. Null where the folder holds no committed file.
 */
export async function recordingsOfBranch(
  dir: string,
  root: string,
  baseline: string | null,
  env: Env,
): Promise<Brought | null> {
  const top = await findRepositoryRoot(root, env);
  const head = await headCommit(root, env);
  const [real, realTop] = await Promise.all(
    [dir, top ?? root].map((path) => realpath(path).catch(() => null)),
  );
  if (top === null || head === null || !real || !realTop || !isBelow(real, realTop)) return null;
  const folder = relative(realTop, real).split(sep).join("/");
  const entries = await (await openGitTree(top, head, env)).list([folder]);
  if (entries.size === 0) return null;
  const before = baseline === null ? null : await openGitTree(top, baseline, env);
  // A folder that is itself an entry is a submodule; some file systems don't tell A from a.
  const whole = entries.has(folder);
  const committed = new Set([...entries.keys()].map((path) => path.toLowerCase()));
  return async (name) => {
    const path = folder === "" ? name : `${folder}/${name}`;
    if (!whole && !committed.has(path.toLowerCase())) return null;
    const content = (await before?.read([path], LARGEST))?.get(path);
    const known = RecordingFile.of(content?.kind === "bytes" ? content.bytes : new Uint8Array());
    return (key, line) => known.line(key)?.trimEnd() !== line.trimEnd();
  };
}
