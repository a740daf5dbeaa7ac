import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { ALL_FLAGS } from "../core/config/flags.ts";
import { loadProject } from "../io/project.ts";
import { openRun, type SavedRun } from "../io/run-store.ts";
import type { CliIo } from "./command.ts";

/** Flags of a command that works on a saved run. */
export interface SavedRunFlags {
  readonly reports?: string;
  readonly config?: string;
}

/** Declares `--reports` and `--config`. */
export function addSavedRunFlags(command: Command): Command {
  return command
    .option("--reports <dir>", "folder of the runs (default: reports)")
    .option("--config <file>", "config file instead of evalkit.yaml");
}

/** Opens a run by id, by folder (from where the command works), or `latest`. Throws InputError when there is none. */
export async function openSavedRun(name: string, flags: SavedRunFlags, io: CliIo): Promise<SavedRun> {
  const flag = ALL_FLAGS.find((one) => one.name === "reports");
  const given = flag === undefined || flags.reports === undefined ? [] : [{ flag, raw: flags.reports }];
  const { root, settings } = await loadProject({
    ...{ cwd: io.cwd, env: io.env, config: flags.config ?? null, secrets: false },
    flags: given,
  });
  const folder = resolve(io.cwd, name);
  const isFolder = existsSync(join(folder, "run.json"));
  return openRun(resolve(root, settings.reports), isFolder ? folder : name);
}
