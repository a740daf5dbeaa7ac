import { fail } from "../../core/nouns/problem.ts";
import type { RunRecord } from "../../core/nouns/run.ts";
import { ARMS, type Arm } from "../../core/nouns/score.ts";
import { type SavedRun, openRun } from "../../io/open-run.ts";

/** One side of a comparison: an arm of a saved run. */
export interface Side {
  readonly run: SavedRun;
  readonly arm: Arm;
}

/** Opens `RUN` or `RUN#arm`; without an arm it is the candidate, or the only one there is. Throws InputError. */
export async function openSide(reports: string, text: string, cwd: string): Promise<Side> {
  const at = text.lastIndexOf("#");
  const name = at < 0 ? text : text.slice(0, at);
  const run = await openRun(reports, name, cwd);
  return { run, arm: armOf(run.record, at < 0 ? null : text.slice(at + 1), text) };
}

function armOf(record: RunRecord, asked: string | null, text: string): Arm {
  const there = ARMS.filter((arm) => record.arms[arm] !== null);
  const wanted = asked ?? (there.includes("candidate") ? "candidate" : "baseline");
  const arm = there.find((one) => one === wanted);
  return (
    arm ??
    fail(
      "no-arm",
      { key: text },
      `expected one of the run's arms (${there.join(", ")}) after #, got ${JSON.stringify(wanted)}`,
    )
  );
}
