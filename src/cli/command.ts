import type { Command } from "commander";

/** What a command may touch of the process it runs in. */
export interface CliIo {
  /** Folder the command works in: the process's own, or the one named by `-C`. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Data, to stdout. A line end is added. */
  out(text: string): void;
  /** Everything else, to stderr. A line end is added; control characters and a CI runner's commands are made harmless. */
  err(text: string): void;
  /** A command for the CI runner, to stderr, as it is. */
  annotate(command: string): void;
  /** Sets the exit code; the last call counts. */
  exit(code: number): void;
  readonly colour: { readonly stdout: boolean; readonly stderr: boolean };
  /** Columns of the terminal, 80 where there is none. */
  readonly width: number;
}

/** What each file under `commands/` exports. */
export interface CommandModule {
  /** Declares options, help with an example, and the action. */
  define(command: Command, io: CliIo): void;
}

/** A command as the program lists it; its module is loaded only when it is asked for. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CommandModule>;
}
