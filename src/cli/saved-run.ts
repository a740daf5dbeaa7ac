import type { Command } from "commander";
import { type Project, reportsDir } from "../io/project.ts";
import { openRun, type SavedRun } from "../io/open-run.ts";
import type { CliIo } from "./command.ts";
import { declareFlags, projectFor } from "./options.ts";
import { tellProblems } from "./tell.ts";

/** Declares what a command needs that does no more than work on a saved run: `--reports` and `--config`. */
export function declareSavedRun(command: Command): Command {
  return declareFlags(command, ["run"], ["reports"]);
}

/**
 * Opens a run by id, by folder (from where the command works), or `latest`, and the project around it; warnings about its
 * config go to stderr. Throws InputError when there is none.
 */
export async function openSavedRun(
  name: string,
  command: Command,
  io: CliIo,
): Promise<{ readonly project: Project; readonly run: SavedRun }> {
  const project = await projectFor(command, io);
  tellProblems(project.problems, io);
  return { project, run: await openRun(reportsDir(project), name, io.cwd) };
}
