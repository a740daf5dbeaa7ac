import { fail } from "../core/nouns/problem.ts";
import { MAX_FILE_BYTES } from "../core/variant/source-text.ts";
import type { TreeEntry } from "../core/variant/tree.ts";
import type { Env } from "../core/config/pick.ts";
import { runGit } from "./git-process.ts";
import { type Content, entryMap, tooLarge, type Tree } from "./tree.ts";

interface GitEntry {
  readonly mode: string;
  readonly oid: string;
  /** Bytes; null when the object is missing from this clone. */
  readonly size: number | null;
  readonly path: string;
}

/**
 * The files of a commit, read from git's object store; the working tree and its filters play no part. Paths are
 * relative to `root`, which may lie below the repository's top folder.
 */
export async function openGitTree(
  root: string,
  commit: string,
  env: Env = process.env,
  label = commit,
): Promise<Tree> {
  const shown = await runGit(root, ["rev-parse", "--show-prefix"], env);
  const prefix = shown.code === 0 ? shown.stdout.toString("utf8").replace(/\r?\n$/, "") : "";
  const files = new Map<string, GitEntry>();
  const list = async (folders: readonly string[]): Promise<readonly GitEntry[]> => {
    const entries = await lsTree(root, commit, prefix, folders, env);
    for (const entry of entries) if (entry.mode.startsWith("100")) files.set(entry.path, entry);
    return entries;
  };
  return {
    label,
    list: async (folders) => entryMap(await withTargets(root, await list(folders), env), folders),
    read: async (paths, limit = MAX_FILE_BYTES) => {
      const unseen = paths.filter((path) => !files.has(path));
      if (unseen.length > 0) await list(unseen);
      const wanted = paths.flatMap((path) => files.get(path) ?? []);
      const blobs = await readBlobs(root, wanted, limit, env);
      return new Map(
        wanted.map(({ path, oid }): [string, Content] => [path, blobs.get(oid) ?? missing(oid)]),
      );
    },
  };
}

async function lsTree(
  root: string,
  commit: string,
  prefix: string,
  folders: readonly string[],
  env: Env,
): Promise<readonly GitEntry[]> {
  if (folders.length === 0) return [];
  const paths = folders.map((folder) => `${prefix}${folder}`.replace(/\/$/, ""));
  const all = paths.includes("") ? [] : paths;
  const args = ["ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", ...all];
  const result = await runGit(root, args, env);
  if (result.code !== 0) {
    fail(
      "git-read",
      {},
      `commit ${commit.slice(0, 12)} can't be listed: ${result.stderr.split("\n")[0] ?? ""}`,
      "a partial or damaged clone: run git fetch, or git fsck to see what is missing",
    );
  }
  return result.stdout
    .toString("utf8")
    .split("\0")
    .flatMap((record) => parseEntry(record, prefix));
}

/** `MODE SP TYPE SP OID SP+ SIZE TAB PATH`; the size of a missing object is `BAD`. */
function parseEntry(record: string, prefix: string): readonly GitEntry[] {
  const tab = record.indexOf("\t");
  const [mode = "", , oid = "", size = ""] = record.slice(0, tab).split(/ +/);
  if (tab < 0) return [];
  return [
    {
      mode,
      oid,
      size: /^\d+$/.test(size) ? Number(size) : null,
      path: record.slice(tab + 1 + prefix.length),
    },
  ];
}

/** A link's target is the text of its blob. */
async function withTargets(root: string, entries: readonly GitEntry[], env: Env): Promise<TreeEntry[]> {
  const links = entries.filter((entry) => entry.mode === "120000");
  const targets = await readBlobs(root, links, 4096, env);
  return entries.map(({ mode, oid, path }): TreeEntry => {
    if (mode === "160000") return { path, kind: "submodule" };
    if (mode !== "120000") return { path, kind: "file" };
    const target = targets.get(oid);
    return {
      path,
      kind: "link",
      target: target?.kind === "bytes" ? Buffer.from(target.bytes).toString("utf8") : "",
    };
  });
}

/** Reads blobs by object name through one `git cat-file --batch`; one larger than `limit` is not read at all. */
async function readBlobs(
  root: string,
  entries: readonly GitEntry[],
  limit: number,
  env: Env,
): Promise<ReadonlyMap<string, Content>> {
  const contents = new Map<string, Content>();
  const wanted = new Set<string>();
  for (const { oid, size } of entries) {
    if (size !== null && size > limit) contents.set(oid, tooLarge(size, limit));
    else wanted.add(oid);
  }
  if (wanted.size === 0) return contents;
  const batch = await runGit(
    root,
    ["cat-file", "--batch"],
    env,
    [...wanted].map((oid) => `${oid}\n`).join(""),
  );
  takeBlobs(batch.stdout, contents);
  return contents;
}

/** `OID SP blob SP SIZE LF BYTES LF`, again and again. */
function takeBlobs(output: Buffer, contents: Map<string, Content>): void {
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at);
    if (end < 0) return;
    const [oid = "", type = "", size = "0"] = output.toString("latin1", at, end).split(" ");
    at = end + 1;
    if (type !== "blob") continue;
    contents.set(oid, { kind: "bytes", bytes: output.subarray(at, at + Number(size)) });
    at += Number(size) + 1;
  }
}

function missing(oid: string): Content {
  return {
    kind: "unreadable",
    code: "missing-object",
    reason: `is not in this clone (object ${oid.slice(0, 12)} is missing)`,
    hint: "a partial or damaged clone: run git fetch --refetch, or clone without --filter",
  };
}
