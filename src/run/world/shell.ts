import type { Bash, InMemoryFs } from "just-bash";
import type { Page } from "../../core/nouns/case.ts";
import type { CommandResult } from "../../core/score/completion.ts";
import { onAbort } from "../on-abort.ts";
import { fullness, isMounted, type WorldFiles } from "./files.ts";
import { messageOf } from "../../core/text/thrown.ts";

/** Where the workspace stands in the simulated shell. */
export const HOME = "/workspace";
/** A simulated sleep costs no time; more than this in one command is a runaway. */
const MAX_SLEEP_MS = 60_000;
const MAX_COMMAND = 100_000;

/**
 * A simulated shell over a world's files. It is made when the first command comes, starts every command in the
 * workspace root, and carries changes of files both ways. Commands can't reach the host: files are in memory, and
 * `curl` and `wget` know the case's pages only.
 */
export class Shell {
  private readonly files: WorldFiles;
  private readonly pages: Readonly<Record<string, Page>>;
  private bash: Bash | null = null;
  /** Files as they stand in the shell, by workspace path. */
  private standing = new Map<string, string>();
  private slept = 0;
  private stop = new AbortController();

  constructor(files: WorldFiles, pages: Readonly<Record<string, Page>>) {
    this.files = files;
    this.pages = pages;
  }

  /** Runs one command. Never throws: a runaway is stopped, and a fault of the shell is exit code 126. */
  async run(command: string, signal: AbortSignal): Promise<CommandResult> {
    if (command.length > MAX_COMMAND) return fault(`the command is longer than ${MAX_COMMAND} characters`);
    this.slept = 0;
    this.stop = new AbortController();
    const letGo = onAbort(signal, () => this.stop.abort());
    try {
      return await this.runInside(command);
    } catch (error) {
      this.forget();
      return fault(messageOf(error));
    } finally {
      letGo();
    }
  }

  private async runInside(command: string): Promise<CommandResult> {
    const bash = await this.ready();
    await this.carryIn(bash, /\.evalkit/.test(command));
    const { stdout, stderr, exitCode } = await bash.exec(command, {
      signal: this.stop.signal,
      rawScript: true,
    });
    const full = await this.carryOut(bash);
    if (full !== null) return fault(`${full}; the changes of this command are undone`);
    if (this.slept > MAX_SLEEP_MS)
      return { stdout, stderr: `bash: stopped: slept over 60 seconds\n`, exitCode: 124 };
    return { stdout, stderr, exitCode };
  }

  /** The shell itself; loaded late, because most cases run no command. */
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

  /** Makes the shell's files those of the world. Skill files are put there only for commands that name them. */
  private async carryIn(bash: Bash, withSkills: boolean): Promise<void> {
    const wanted = new Map([...(withSkills ? this.files.mounted : []), ...this.files.texts]);
    for (const path of this.standing.keys()) {
      if (!wanted.has(path)) await bash.fs.rm(`${HOME}/${path}`, { force: true, recursive: true });
    }
    for (const [path, text] of wanted) {
      if (this.standing.get(path) === text) continue;
      await bash.fs.rm(`${HOME}/${path}`, { force: true, recursive: true });
      await bash.fs.mkdir(`${HOME}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await bash.fs.writeFile(`${HOME}/${path}`, text);
    }
    this.standing = wanted;
  }

  /** Takes the shell's files over into the world; gives why not, if they are too many. */
  private async carryOut(bash: Bash): Promise<string | null> {
    const found = await filesIn(bash.fs);
    const own = new Map([...found].filter(([path]) => !isMounted(path)));
    const full = fullness(own);
    if (full !== null) {
      this.forget();
      return full;
    }
    this.standing = found;
    for (const path of this.files.texts.keys()) if (!own.has(path)) this.files.texts.delete(path);
    for (const [path, text] of own) this.files.texts.set(path, text);
    return null;
  }

  /** The next command gets a new shell over the world's files as they are. */
  private forget(): void {
    this.bash = null;
    this.standing = new Map();
  }
}

/** Regular files of the workspace, links left out. Bytes that are no UTF-8 are read with replacement characters. */
async function filesIn(fs: Bash["fs"] | InMemoryFs): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const path of fs.getAllPaths()) {
    if (!path.startsWith(`${HOME}/`)) continue;
    const stat = await fs.lstat(path);
    if (stat.isFile) found.set(path.slice(HOME.length + 1), await fs.readFile(path));
  }
  return found;
}

function fault(message: string): CommandResult {
  return { stdout: "", stderr: `bash: ${message}\n`, exitCode: 126 };
}
