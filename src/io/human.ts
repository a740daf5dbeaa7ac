import type { HumanSummary } from "../core/human/schema.ts";
import { humanSummary } from "../core/human/summary.ts";
import type { Summary } from "../core/nouns/summary.ts";
import { summarise } from "../core/summary/summarise.ts";
import { readRows } from "./saved-rows.ts";
import { readScores } from "./scores.ts";
import { writeSummary } from "./run-store.ts";
import type { SavedRun } from "./open-run.ts";

/** What people scored in a run, summed up; null when no sheet was imported. For `summarise` and the gate. */
export async function humanOf(run: Pick<SavedRun, "dir" | "record">): Promise<HumanSummary | null> {
  return humanSummary(await readScores(run.dir), run.record);
}

/** Writes summary.json anew with people's scores; the gate is decided again, since it may ask for them. */
export async function rewriteSummary(run: SavedRun): Promise<Summary> {
  const summary = summarise(run.record, await readRows(run), await humanOf(run));
  return writeSummary(run.dir, summary);
}
