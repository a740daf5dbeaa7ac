import type { Case, Page } from "../../core/nouns/case.ts";
import type { CommandResult } from "../../core/score/completion.ts";
import type { OpenShell } from "../ports.ts";
import { WorldFiles } from "./files.ts";
import { Shell } from "./shell.ts";
import { openShell as openLocalShell } from "./shell-session.ts";

/** Everything that the tools of one trial act on, and nothing else: no tool reaches the host or a network. */
export class World {
  readonly files: WorldFiles;
  readonly pages: Readonly<Record<string, Page>>;
  /** Address of the page that the browser shows, or null. */
  openPage: string | null = null;
  private readonly shell: Shell;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    files: WorldFiles,
    pages: Readonly<Record<string, Page>>,
    openShell: OpenShell = openLocalShell,
  ) {
    this.files = files;
    this.pages = pages;
    this.shell = new Shell(files, pages, openShell);
  }

  /** Runs a command in the simulated shell over the files. Never throws. */
  run(command: string, signal: AbortSignal): Promise<CommandResult> {
    return this.shell.run(command, signal);
  }

  /** Lets the shell go. */
  end(): void {
    this.shell.close();
  }

  /**
   * One tool at a time, in the order asked: calls of one reply act on the world in their order, so that the same reply
   * has the same results in every trial.
   */
  inOrder<T>(act: () => T | Promise<T>): Promise<T> {
    const turn = this.last.then(act);
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

/** A fresh world for a trial; `mounted` are the skill files that can be read in it. */
export function createWorld(item: Case, mounted: ReadonlyMap<string, string>, openShell?: OpenShell): World {
  return new World(new WorldFiles(textsOf(item), mounted), item.world.pages, openShell);
}

const known = new WeakMap<Case, ReadonlyMap<string, string>>();

/** The case's files under normalised paths; read once a case, since every trial starts from them. */
function textsOf(item: Case): ReadonlyMap<string, string> {
  const made = known.get(item);
  if (made !== undefined) return made;
  const entries = Object.entries(item.world.files);
  const texts = new Map(
    entries.map(([path, text]) => [path.replaceAll("\\", "/").replace(/^(\.\/)+/, ""), text]),
  );
  known.set(item, texts);
  return texts;
}
