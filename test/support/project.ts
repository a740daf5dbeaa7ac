import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";

const bin = join(import.meta.dirname, "../../dist/bin.js");
const made: string[] = [];
afterAll(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** An empty folder of its own, removed when the test file is done. */
export function tempDir(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "evalkit-test-")));
  made.push(dir);
  return dir;
}

/** Files by path; null removes one. */
export type Files = Readonly<Record<string, string | null>>;

export function writeFiles(dir: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(dir, path);
    if (text === null) rmSync(file, { force: true });
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
}

const identity = {
  GIT_AUTHOR_NAME: "test",
  GIT_AUTHOR_EMAIL: "test@example.invalid",
  GIT_COMMITTER_NAME: "test",
  GIT_COMMITTER_EMAIL: "test@example.invalid",
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
};

/** Runs real git in a folder and returns what it prints. */
export function git(dir: string, ...args: string[]): string {
  return execFileSync("git", args, {
    cwd: dir,
    encoding: "utf8",
    env: { ...process.env, ...identity },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Commits files on the branch that is checked out. */
export function commit(dir: string, files: Files, message: string): void {
  writeFiles(dir, files);
  git(dir, "add", "-A");
  git(dir, "commit", "-q", "--allow-empty", "-m", message);
}

/** A real repository: `main` holds `files`; each further branch starts from it with its own changes. */
export function repository(files: Files, branches: Readonly<Record<string, Files>> = {}): string {
  const dir = tempDir();
  git(dir, "init", "-q", "-b", "main");
  commit(dir, files, "Start");
  for (const [name, changes] of Object.entries(branches)) {
    git(dir, "checkout", "-q", "-b", name, "main");
    commit(dir, changes, `Change for ${name}`);
  }
  git(dir, "checkout", "-q", "main");
  return dir;
}

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Environment without whatever the machine sets for model servers or colours. */
export function cleanEnv(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) =>
      value !== undefined && !/^(OPENAI_|EVALKIT_|GITHUB_|NO_COLOR|FORCE_COLOR|CI$|GIT_)/.test(name),
  );
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ""])),
    HOME: "/nonexistent",
    ...extra,
  };
}

/** Starts the built command line; `kill` sends a signal to it. */
export function startCli(
  args: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string>> },
) {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: options.cwd,
    env: cleanEnv(options.env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const done = new Promise<CliResult>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { done, kill: (signal: NodeJS.Signals) => child.kill(signal), stderrSoFar: () => stderr };
}

/** Runs the built command line to its end. */
export function cli(
  args: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string>> },
): Promise<CliResult> {
  return startCli(args, options).done;
}
