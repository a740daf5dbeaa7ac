import type { RunRecord } from "../nouns/run.ts";
import type { Arm } from "../nouns/score.ts";

/** What names a trial. */
export interface TrialName {
  readonly case: string;
  readonly arm: Arm;
  readonly trial: number;
}

/**
 * Takes a run's trials one after the other and says why one can't be counted: it stood there before, or the run never
 * planned it (a line of another run). Null: it can. An imported run has no plan but its lines.
 */
export function trialGuard(record: RunRecord): (trial: TrialName) => string | null {
  const seen = new Map<string, Set<string>>(record.cases.map(({ id }) => [id, new Set()]));
  return ({ case: id, arm, trial }) => {
    const own = seen.get(id);
    const planned = record.arms[arm] !== null && (record.kind === "import" || trial <= record.trials);
    const name = `${id}, ${arm}, trial ${trial}`;
    if (own === undefined || !planned) return `${name}: this run never planned it`;
    const key = `${arm} ${trial}`;
    if (own.has(key)) return `${name}: it stands there a second time`;
    own.add(key);
    return null;
  };
}
