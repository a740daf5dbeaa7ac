import type { TrialLine } from "../../nouns/run.ts";
import type { Arm } from "../../nouns/score.ts";
import { failedTrial } from "../../summary/passes.ts";
import { rowOf } from "../../summary/rows.ts";

/** How one trial went. `no score`: no check says whether it passed; `not scored`: its checks got no verdict. */
export type Mark = "passed" | "failed" | "broken" | "no score" | "not scored" | "not scored, a check failed";

/** How a trial went. */
export function markOf(line: TrialLine): Mark {
  if (line.status === "broken") return "broken";
  const row = rowOf(line);
  const failed = failedTrial(row);
  if (failed !== null) return failed ? "failed" : "passed";
  if (!row.open) return "no score";
  return row.open.failed > 0 ? "not scored, a check failed" : "not scored";
}

/** One trial of a case, without its transcript. */
export interface ListedTrial {
  readonly arm: Arm;
  readonly trial: number;
  readonly mark: Mark;
}

/** Which trial of a case is asked for; null: any. */
export interface Wanted {
  readonly case: string;
  readonly arm: Arm | null;
  readonly trial: number | null;
}

/** The trial to show and all of its case, sorted; `line` is null where none fits. */
export interface Picked {
  readonly line: TrialLine | null;
  readonly trials: readonly ListedTrial[];
}

/**
 * Takes a run's trials one by one and keeps the one to show: what failed before what broke before the rest, the
 * candidate before the baseline, then by number. Trials end in any order, so the first line is no answer.
 */
export function picker(wanted: Wanted): { take(line: TrialLine): void; done(): Picked } {
  const trials: ListedTrial[] = [];
  let best: { readonly line: TrialLine; readonly rank: readonly number[] } | null = null;
  return {
    take(line) {
      if (line.case !== wanted.case) return;
      const mark = markOf(line);
      trials.push({ arm: line.arm, trial: line.trial, mark });
      if (wanted.arm !== null && wanted.arm !== line.arm) return;
      if (wanted.trial !== null && wanted.trial !== line.trial) return;
      const rank = [ORDER[mark], line.arm === "candidate" ? 0 : 1, line.trial];
      if (best === null || before(rank, best.rank)) best = { line, rank };
    },
    done: () => ({ line: best?.line ?? null, trials: trials.sort(byArmAndTrial) }),
  };
}

const ORDER: Readonly<Record<Mark, number>> = {
  ...{ failed: 0, "not scored, a check failed": 1, broken: 2 },
  ...{ passed: 3, "no score": 3, "not scored": 3 },
};

function before(left: readonly number[], right: readonly number[]): boolean {
  const at = left.findIndex((part, index) => part !== right[index]);
  return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0);
}

function byArmAndTrial(a: ListedTrial, b: ListedTrial): number {
  return a.arm === b.arm ? a.trial - b.trial : a.arm < b.arm ? -1 : 1;
}
