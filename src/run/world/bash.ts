import {
  Bash,
  type CommandName,
  type CpOptions,
  type FsStat,
  getCommandNames,
  InMemoryFs,
  type MkdirOptions,
} from "just-bash";
import type { Page } from "../../core/nouns/case.ts";
import { dateCommand } from "./date-command.ts";
import { lsCommand } from "./ls-command.ts";
import { curlCommand, wgetCommand } from "./web-commands.ts";

/** The clock of the simulated shell stands still: recordings are keyed by what commands print. */
export const SHELL_TIME = new Date("2026-01-01T00:00:00Z");

/** Commands that start threads or are no part of a plain system. */
const LEFT_OUT = ["sqlite3", "xan", "html-to-markdown", "date"];

/** What a command may use. Counted in steps rather than seconds where that can be, so that every machine agrees. */
const LIMITS = {
  maxCommandCount: 3_000,
  maxLoopIterations: 10_000,
  maxAwkIterations: 20_000,
  maxSedIterations: 20_000,
  maxJqIterations: 20_000,
  maxCallDepth: 50,
  maxOutputSize: 1_000_000,
  maxStringLength: 4_000_000,
  maxArrayElements: 50_000,
  maxBraceExpansionResults: 5_000,
  maxGlobOperations: 50_000,
  maxArchiveBytes: 16_000_000,
  maxExecutionTimeMs: 10_000,
};

/** A path takes time and memory by the square of its depth. */
const MAX_PATH = 1_000;

/** Files in memory whose times stand still. */
class StillFs extends InMemoryFs {
  override async mkdir(path: string, options?: MkdirOptions): Promise<void> {
    checkLength(path);
    return super.mkdir(path, options);
  }
  override async writeFile(...args: Parameters<InMemoryFs["writeFile"]>): Promise<void> {
    checkLength(args[0]);
    return super.writeFile(...args);
  }
  override async cp(from: string, to: string, options?: CpOptions): Promise<void> {
    checkLength(to);
    return super.cp(from, to, options);
  }
  override async mv(from: string, to: string): Promise<void> {
    checkLength(to);
    return super.mv(from, to);
  }
  override async stat(path: string): Promise<FsStat> {
    return { ...(await super.stat(path)), mtime: SHELL_TIME };
  }
  override async lstat(path: string): Promise<FsStat> {
    return { ...(await super.lstat(path)), mtime: SHELL_TIME };
  }
}

function checkLength(path: string): void {
  if (path.length > MAX_PATH) throw new Error("ENAMETOOLONG: file name too long");
}

/** A shell in memory: no network, no Python or JavaScript, `sleep` as handed in, the clock at `SHELL_TIME`. */
export async function makeBash(
  home: string,
  pages: Readonly<Record<string, Page>>,
  sleep: (ms: number) => Promise<void>,
): Promise<Bash> {
  const fs = new StillFs({}, { maxTotalBytes: 64_000_000 });
  await fs.mkdir(home, { recursive: true });
  return new Bash({
    fs,
    cwd: home,
    env: { HOME: home, USER: "user", LANG: "C.UTF-8" },
    commands: getCommandNames().filter(isKept),
    customCommands: [dateCommand(SHELL_TIME), lsCommand(), curlCommand(pages), wgetCommand(pages)],
    executionLimits: LIMITS,
    sleep,
  });
}

function isKept(name: string): name is CommandName {
  return !LEFT_OUT.includes(name);
}
