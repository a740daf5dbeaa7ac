import type { Page } from "../../core/nouns/case.ts";
import type { CommandResult } from "../../core/score/completion.ts";
import { messageOf } from "../../core/text/thrown.ts";
import { type OpenShell, ShellLost, type ShellOutcome, type ShellSession } from "../ports.ts";
import { fullness, isMounted, type WorldFiles } from "./files.ts";

const MAX_COMMAND = 100_000;

/**
 * A simulated shell over a world's files. It is opened when the first command comes, starts every command in the
 * workspace root, and carries changes of files both ways. Commands can't reach the host: files are in memory, and
 * `curl` and `wget` know the case's pages only.
 */
export class Shell {
  private readonly files: WorldFiles;
  private readonly pages: Readonly<Record<string, Page>>;
  private readonly open: OpenShell;
  private session: ShellSession | null = null;
  /** Files as they stand in the shell, by workspace path. */
  private standing = new Map<string, string>();

  constructor(files: WorldFiles, pages: Readonly<Record<string, Page>>, open: OpenShell) {
    this.files = files;
    this.pages = pages;
    this.open = open;
  }

  /** Runs one command. Never throws: a runaway is stopped, and a fault of the shell is exit code 126. */
  async run(command: string, signal: AbortSignal): Promise<CommandResult> {
    if (command.length > MAX_COMMAND) return fault(`the command is longer than ${MAX_COMMAND} characters`);
    try {
      const outcome = await this.exec(command, signal);
      const full = this.takeOver(outcome);
      if (full !== null) return fault(`${full}; the changes of this command are undone`);
      const { stdout, stderr, exitCode } = outcome;
      return { stdout, stderr, exitCode };
    } catch (error) {
      this.close();
      return fault(messageOf(error));
    }
  }

  private async exec(command: string, signal: AbortSignal): Promise<ShellOutcome> {
    const once = (): Promise<ShellOutcome> => {
      this.session ??= this.open(this.pages);
      return this.session.exec({ command, ...this.changes(/\.evalkit/.test(command)) }, signal);
    };
    try {
      return await once();
    } catch (error) {
      if (!(error instanceof ShellLost)) throw error;
      this.close();
      return once();
    }
  }

  /** Lets the shell go; the next command gets a new one over the world's files as they are. */
  close(): void {
    this.session?.close();
    this.session = null;
    this.standing = new Map();
  }

  /** What makes the shell's files those of the world. Skill files are put there only for commands that name them. */
  private changes(withSkills: boolean): { put: Map<string, string>; remove: string[] } {
    const wanted = new Map([...(withSkills ? this.files.mounted : []), ...this.files.texts]);
    const put = new Map([...wanted].filter(([path, text]) => this.standing.get(path) !== text));
    const remove = [...this.standing.keys()].filter((path) => !wanted.has(path));
    this.standing = wanted;
    return { put, remove };
  }

  /** Takes the command's changes over into the world; gives why not, if there are too many files. */
  private takeOver({ put, remove }: ShellOutcome): string | null {
    for (const path of remove) this.standing.delete(path);
    for (const [path, text] of put) this.standing.set(path, text);
    const own = new Map([...this.standing].filter(([path]) => !isMounted(path)));
    const full = fullness(own);
    if (full !== null) {
      this.close();
      return full;
    }
    for (const path of this.files.texts.keys()) if (!own.has(path)) this.files.texts.delete(path);
    for (const [path, text] of own) this.files.texts.set(path, text);
    return null;
  }
}

function fault(message: string): CommandResult {
  return { stdout: "", stderr: `bash: ${message}\n`, exitCode: 126 };
}
