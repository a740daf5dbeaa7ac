import { fail } from "../core/nouns/problem.ts";
import { MAX_FILE_BYTES } from "../core/variant/source-text.ts";
import type { TreeEntry } from "../core/variant/tree.ts";
import { runGit, type Env } from "./git-process.ts";
import { type Content, entryMap, tooLarge, type Tree } from "./tree.ts";

interface GitEntry {
  readonly mode: string;
  readonly oid: string;
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
  const oids = new Map<string, string>();
  const list = async (folders: readonly string[]): Promise<readonly GitEntry[]> => {
    const entries = await lsTree(root, commit, prefix, folders, env);
    for (const entry of entries) if (isFile(entry)) oids.set(entry.path, entry.oid);
    return entries;
  };
  return {
    label,
    list: async (folders) => entryMap(await withTargets(root, await list(folders), env), folders),
    read: async (paths, limit = MAX_FILE_BYTES) => {
      const unseen = paths.filter((path) => !oids.has(path));
      if (unseen.length > 0) await list(unseen);
      const blobs = await readBlobs(
        root,
        paths.flatMap((path) => oids.get(path) ?? []),
        limit,
        env,
      );
      return new Map(
        paths.flatMap((path): [string, Content][] => {
          const content = blobs.get(oids.get(path) ?? "");
          return content === undefined ? [] : [[path, content]];
        }),
      );
    },
  };
}

const isFile = (entry: GitEntry) => entry.mode.startsWith("100");

async function lsTree(
  root: string,
  commit: string,
  prefix: string,
  folders: readonly string[],
  env: Env,
): Promise<readonly GitEntry[]> {
  if (folders.length === 0) return [];
  const paths = folders.map((folder) => `${prefix}${folder}`.replace(/\/$/, ""));
  const args = ["ls-tree", "-r", "-z", "--full-tree", commit, "--", ...paths];
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
    .flatMap((record) => {
      const tab = record.indexOf("\t");
      const [mode = "", , oid = ""] = record.slice(0, tab).split(" ");
      return tab < 0 ? [] : [{ mode, oid, path: record.slice(tab + 1 + prefix.length) }];
    });
}

/** A link's target is the text of its blob. */
async function withTargets(root: string, entries: readonly GitEntry[], env: Env): Promise<TreeEntry[]> {
  const links = entries.filter((entry) => entry.mode === "120000").map((entry) => entry.oid);
  const targets = links.length === 0 ? new Map<string, Content>() : await readBlobs(root, links, 4096, env);
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

/** Reads blobs by one `git cat-file --batch`; one larger than `limit` is not kept. */
async function readBlobs(
  root: string,
  oids: readonly string[],
  limit: number,
  env: Env,
): Promise<ReadonlyMap<string, Content>> {
  const wanted = [...new Set(oids)];
  if (wanted.length === 0) return new Map();
  const sizes = await runGit(
    root,
    ["cat-file", "--batch-check"],
    env,
    wanted.map((oid) => `${oid}\n`).join(""),
  );
  const contents = new Map<string, Content>();
  const small: string[] = [];
  for (const line of sizes.stdout.toString("utf8").split("\n")) {
    const [oid = "", type = "", size = ""] = line.split(" ");
    if (type === "blob" && Number(size) <= limit) small.push(oid);
    else if (type === "blob") contents.set(oid, tooLarge(Number(size), limit));
  }
  if (small.length > 0) {
    const batch = await runGit(root, ["cat-file", "--batch"], env, small.map((oid) => `${oid}\n`).join(""));
    takeBlobs(batch.stdout, contents);
  }
  for (const oid of wanted) if (!contents.has(oid)) contents.set(oid, missing(oid));
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
