import { join } from "node:path";
import type { HumanSummary } from "../core/human/schema.ts";
import { type SavedRun, writeAtomically } from "./run-store.ts";

/** Puts people's scores into summary.json. False when the run has no summary yet. */
export async function keepHuman(run: SavedRun, human: HumanSummary): Promise<boolean> {
  const summary = await run.summary();
  if (summary === null) return false;
  await writeAtomically(join(run.dir, "summary.json"), `${JSON.stringify({ ...summary, human }, null, 2)}\n`);
  return true;
}
