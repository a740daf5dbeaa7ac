import { fail } from "../core/nouns/problem.ts";
import type { Env } from "../core/config/pick.ts";
import { refuseAmbiguous } from "./git-ambiguity.ts";
import { runGit } from "./git-process.ts";
import { nearest } from "../core/text/nearest.ts";

export { openGitTree } from "./tree-git.ts";

/** One commit of a range: the why of a change. */
export interface Commit {
  readonly commit: string;
  readonly subject: string;
  readonly body: string;
}

/** The top folder of the working tree that `dir` lies in, or null outside of any repository. */
export async function findRepositoryRoot(dir: string, env: Env = process.env): Promise<string | null> {
  const result = await runGit(dir, ["rev-parse", "--show-toplevel"], env);
  const top = result.stdout.toString("utf8").replace(/\r?\n$/, "");
  return result.code === 0 && top !== "" ? top : null;
}

/**
 * The commit a revision names, as a full sha. Throws InputError that says what is known: no repository, no such ref
 * (with the nearest, and whether the remote has it or the clone is shallow), something that is no commit, or a name that
 * a branch and a tag share.
 */
export async function resolveCommit(root: string, rev: string, env: Env = process.env): Promise<string> {
  const result = await verify(root, `${rev}^{commit}`, env);
  const sha = result.stdout.toString("utf8").trim();
  if (result.code === 0 && /^[0-9a-f]{40,64}$/.test(sha)) {
    await refuseAmbiguous(root, rev, result.stderr, env);
    return sha;
  }
  return explainMissing(root, rev, result.stderr, env);
}

/** The commit that HEAD names, or null in a repository without commits and outside of one. */
export async function headCommit(root: string, env: Env = process.env): Promise<string | null> {
  const result = await verify(root, "HEAD^{commit}", env);
  return result.code === 0 ? result.stdout.toString("utf8").trim() : null;
}

/** Files below `paths` that the index keeps git from looking at: left out of a sparse checkout, or assumed unchanged. */
export async function unwatchedFiles(
  root: string,
  paths: readonly string[],
  env: Env = process.env,
): Promise<string[]> {
  const result = await runGit(root, ["ls-files", "-v", "-z", "--", ...paths], env);
  const lines = result.code === 0 ? result.stdout.toString("utf8").split("\0") : [];
  return lines.filter((line) => /^[Sa-z] /.test(line)).map((line) => line.slice(2));
}

/** Whether files below `paths` differ from HEAD, untracked and ignored ones included. False outside of a repository. */
export async function isDirty(
  root: string,
  paths: readonly string[],
  env: Env = process.env,
): Promise<boolean> {
  const args = [
    "status",
    "--porcelain",
    "-z",
    "--untracked-files=all",
    "--ignored=matching",
    "--no-renames",
    "--",
    ...paths,
  ];
  const result = await runGit(root, args, env);
  return result.code === 0 && result.stdout.length > 0;
}

/** Commits in `to` and not in `from`, newest first, at most 200. Empty when either is missing. */
export async function commitsBetween(
  root: string,
  from: string,
  to: string,
  env: Env = process.env,
): Promise<Commit[]> {
  // No message can hold a NUL, so none can pass for several commits.
  const args = [
    "log",
    "-z",
    "--no-show-signature",
    "--max-count=200",
    "--format=%H%x00%s%x00%b",
    "--end-of-options",
    `${from}..${to}`,
    "--",
  ];
  const result = await runGit(root, args, env);
  if (result.code !== 0) return [];
  const fields = result.stdout.toString("utf8").split("\0");
  return Array.from({ length: Math.floor(fields.length / 3) }, (_, at) => {
    const [commit = "", subject = "", body = ""] = fields.slice(at * 3, at * 3 + 3);
    return { commit, subject, body: body.trim() };
  });
}

function verify(root: string, rev: string, env: Env) {
  const warn = "core.warnAmbiguousRefs=true";
  return runGit(root, ["-c", warn, "rev-parse", "--verify", "--end-of-options", rev], env);
}

async function explainMissing(root: string, rev: string, stderr: string, env: Env): Promise<string> {
  const refuse = (message: string, hint: string): never => fail("unknown-revision", {}, message, hint);
  const named = `git revision ${JSON.stringify(rev)}`;
  const repository = await runGit(root, ["rev-parse", "--is-shallow-repository"], env);
  if (repository.code !== 0) {
    const foreign = /dubious ownership/.test(repository.stderr);
    return refuse(
      `${named} can't be read: ${firstLine(repository.stderr)}`,
      foreign
        ? `the folder belongs to another user: if it is to be trusted, run git config --global --add safe.directory ${shellWord(root)}`
        : "run evalkit inside a git repository, or give dir:PATH",
    );
  }
  const object = await verify(root, rev, env);
  if (object.code === 0) {
    const name = object.stdout.toString("utf8").trim();
    const { code, stdout } = await runGit(root, ["cat-file", "-t", name], env);
    const type = stdout.toString("utf8").trim();
    // `:/text` takes what is put behind it for a part of the text.
    if (type === "commit") return name;
    if (code === 0) return refuse(`${named} names a ${type}, not a commit`, "give a branch, tag or sha");
  }
  if (/\.\./.test(rev)) return refuse(`${named} is a range, not a commit`, "give one side of it");
  if (/ambiguous/.test(stderr))
    return refuse(`${named} is ambiguous: ${firstLine(stderr)}`, "write more of the sha, or refs/heads/NAME");
  if ((await headCommit(root, env)) === null && (await refNames(root, env)).length === 0)
    return refuse(`${named} is missing: the repository has no commit yet`, "commit first, or give worktree");
  return refuse(
    `${named} is not in this clone`,
    await hintFor(root, rev, repository.stdout.toString("utf8").trim() === "true", env),
  );
}

async function hintFor(root: string, rev: string, shallow: boolean, env: Env): Promise<string> {
  const names = await refNames(root, env);
  const remote = names.find(
    (name) => name.endsWith(`/${rev}`) && name.split("/").length === rev.split("/").length + 1,
  );
  const parts: string[] = [];
  if (remote !== undefined) parts.push(`${remote} exists: give that, or run git branch ${rev} ${remote}`);
  const close = remote === undefined ? nearest(rev, names) : null;
  if (close !== null) parts.push(`did you mean ${close}?`);
  if (shallow) {
    parts.push(
      "this clone is shallow, so older commits and other branches are left out: run git fetch --unshallow (actions/checkout: fetch-depth: 0)",
    );
  }
  if (remote === undefined)
    parts.push(
      `a branch of the remote comes with git fetch origin ${/^[\w./-]+$/.test(rev) ? rev.replace(/^origin\//, "") : "NAME"}`,
    );
  return parts.join("; ");
}

async function refNames(root: string, env: Env): Promise<string[]> {
  const args = [
    "for-each-ref",
    "--count=5000",
    "--format=%(refname:short)",
    "refs/heads",
    "refs/remotes",
    "refs/tags",
  ];
  const result = await runGit(root, args, env);
  return result.code === 0
    ? result.stdout
        .toString("utf8")
        .split("\n")
        .filter((name) => name !== "")
    : [];
}

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function firstLine(text: string): string {
  return (text.split("\n")[0] ?? "").replace(/^fatal: /, "");
}
