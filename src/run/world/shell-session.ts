import type { Bash } from "just-bash";
import type { Page } from "../../core/nouns/case.ts";
import { onAbort } from "../on-abort.ts";
import type { ShellCommand, ShellOutcome, ShellSession } from "../ports.ts";

/** Where the workspace stands in the simulated shell. */
const HOME = "/workspace";
/** A simulated sleep costs no time; more than this in one command is a runaway. */
const MAX_SLEEP_MS = 60_000;

/** A simulated shell in this thread: files are in memory, and it is loaded by its first command. */
export function openShell(pages: Readonly<Record<string, Page>>): ShellSession {
  return new LocalShell(pages);
}

class LocalShell implements ShellSession {
  private readonly pages: Readonly<Record<string, Page>>;
  private bash: Bash | null = null;
  /** Files of the workspace as they stood after the last command. */
  private standing = new Map<string, string>();
  private slept = 0;
  private stop = new AbortController();

  constructor(pages: Readonly<Record<string, Page>>) {
    this.pages = pages;
  }

  async exec({ command, put, remove }: ShellCommand, signal: AbortSignal): Promise<ShellOutcome> {
    this.slept = 0;
    this.stop = new AbortController();
    const letGo = onAbort(signal, () => this.stop.abort());
    try {
      const bash = await this.ready();
      await this.take(bash, put, remove);
      const { stdout, stderr, exitCode } = await bash.exec(command, {
        signal: this.stop.signal,
        rawScript: true,
      });
      const changes = await this.changes(bash);
      if (this.slept <= MAX_SLEEP_MS) return { stdout, stderr, exitCode, ...changes };
      return { stdout, stderr: "bash: stopped: slept over 60 seconds\n", exitCode: 124, ...changes };
    } finally {
      letGo();
    }
  }

  close(): void {
    this.bash = null;
    this.standing = new Map();
  }

  private async ready(): Promise<Bash> {
    if (this.bash !== null) return this.bash;
    const { makeBash } = await import("./bash.ts");
    this.bash = await makeBash(HOME, this.pages, (ms) => this.sleep(ms));
    return this.bash;
  }

  private sleep(ms: number): Promise<void> {
    this.slept += ms;
    if (this.slept > MAX_SLEEP_MS) this.stop.abort();
    return Promise.resolve();
  }

  private async take(bash: Bash, put: ReadonlyMap<string, string>, remove: readonly string[]): Promise<void> {
    for (const path of remove) {
      await bash.fs.rm(`${HOME}/${path}`, { force: true, recursive: true });
      this.standing.delete(path);
    }
    for (const [path, text] of put) {
      await bash.fs.rm(`${HOME}/${path}`, { force: true, recursive: true });
      await bash.fs.mkdir(`${HOME}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await bash.fs.writeFile(`${HOME}/${path}`, text);
      this.standing.set(path, text);
    }
  }

  private async changes(bash: Bash): Promise<Pick<ShellOutcome, "put" | "remove">> {
    const found = await filesIn(bash.fs);
    const put = new Map([...found].filter(([path, text]) => this.standing.get(path) !== text));
    const remove = [...this.standing.keys()].filter((path) => !found.has(path));
    this.standing = found;
    return { put, remove };
  }
}

/** Regular files of the workspace, links left out. Bytes that are no UTF-8 are read with replacement characters. */
async function filesIn(fs: Bash["fs"]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const path of fs.getAllPaths()) {
    if (!path.startsWith(`${HOME}/`)) continue;
    const stat = await fs.lstat(path);
    if (stat.isFile) found.set(path.slice(HOME.length + 1), await fs.readFile(path));
  }
  return found;
}
