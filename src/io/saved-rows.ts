import { type Dirent, existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { rowOf, type TrialRow } from "../core/summary/rows.ts";
import type { SavedRun } from "./open-run.ts";

/** The rows of a saved run, read line by line: transcripts are not kept. */
export async function readRows(run: SavedRun): Promise<TrialRow[]> {
  const rows: TrialRow[] = [];
  for await (const line of run.trials()) rows.push(rowOf(line));
  return rows;
}

/**
 * Names of the folders in a reports folder, sorted; none where the folder is missing. What `mutate` leaves behind is no
 * run: its arms were damaged on purpose.
 */
export async function runFolders(reports: string): Promise<string[]> {
  const none: Dirent[] = [];
  const entries = await readdir(reports, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return none;
    throw error;
  });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(reports, entry.name))
    .filter((folder) => !existsSync(join(folder, "mutants.json")))
    .sort();
}
