import { spawn } from "node:child_process";
import { InputError, problem } from "../core/nouns/problem.ts";
import type { Env } from "../core/config/pick.ts";

/** What a git command printed and how it ended. */
export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Git may wait for a network or a lock; it never needs minutes to read objects. */
const LIMIT_MS = 120_000;
const MAX_OUTPUT = 256 * 1024 * 1024;

/** Variables by which a surrounding git (a hook, a bisect) points at its own repository: `-C` decides instead. */
const REPOSITORY_VARIABLES =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|INDEX_VERSION|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|INTERNAL_.*|SUPER_PREFIX|SHALLOW_FILE|GRAFT_FILE|REPLACE_REF_BASE|QUARANTINE_PATH|EXTERNAL_DIFF|DIFF_OPTS|PAGER|ASKPASS|LITERAL_PATHSPECS|GLOB_PATHSPECS|NOGLOB_PATHSPECS|ICASE_PATHSPECS|TRACE.*|REDIRECT_.*)$/;

/** Git's environment: no locks, prompts, pager, replaced objects, or words in another language. */
export function gitEnv(env: Env): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined || REPOSITORY_VARIABLES.test(name) ? [] : [[name, value]],
  );
  return {
    ...Object.fromEntries(kept),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    GIT_PAGER: "cat",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_LITERAL_PATHSPECS: "1",
    LC_ALL: "C",
  };
}

/** Runs git without a shell, `input` on its stdin. Throws InputError when git can't be started or hangs. */
export function runGit(
  root: string,
  args: readonly string[],
  env: Env = process.env,
  input = "",
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["-c", "core.fsmonitor=false", ...args], {
      cwd: root,
      env: gitEnv(env),
      timeout: LIMIT_MS,
      windowsHide: true,
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT) child.kill();
      else out.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => void (err.length < 100 && err.push(chunk)));
    child.on("error", (error) => reject(cannotStart(root, error)));
    child.on("close", (code) => {
      const stderr = Buffer.concat(err).toString("utf8").trim();
      resolve({
        code: code ?? 128,
        stdout: Buffer.concat(out),
        stderr: code === null ? "git was stopped" : stderr,
      });
    });
    // A child that has ended does not read the rest: that shows in its exit code.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

function cannotStart(root: string, error: Error): InputError {
  const message = `git can't be started here: ${error.message}`;
  return new InputError([
    problem("no-git", { file: root }, message, "install git, or give a folder that exists"),
  ]);
}
