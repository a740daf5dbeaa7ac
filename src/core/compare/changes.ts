import { fisherLess } from "../stats/fisher.ts";
import { sum } from "../stats/moments.ts";
import type { PairedCase } from "./pairs.ts";
import { isVerdict } from "./uncertainty.ts";

/** Cases whose verdict changed, by id. */
export interface Changes {
  readonly passToFail: string[];
  readonly failToPass: string[];
}

/**
 * Cases that changed sides. A case passes in an arm when more than half of its scored trials pass: 2 of 3 passes, 1 of
 * 2 does not. Only 0-or-1 scores have sides; other metrics have no changes.
 */
export function caseChangesOf(cases: readonly PairedCase[]): Changes {
  const changes: Changes = { passToFail: [], failToPass: [] };
  for (const pair of cases.filter(hasVerdicts)) {
    const before = passes(pair.baseline);
    const after = passes(pair.candidate);
    if (before && !after) changes.passToFail.push(pair.id);
    if (!before && after) changes.failToPass.push(pair.id);
  }
  return changes;
}

/** One-sided exact p that this case passes less often now: Fisher's test over its trials. */
export function caseRegressionP(pair: PairedCase): number {
  const { baseline, candidate } = pair;
  return fisherLess(sum(baseline), baseline.length, sum(candidate), candidate.length);
}

/** Whether every score of a case is 0 or 1, so that it has sides to change. */
export function hasVerdicts({ baseline, candidate }: PairedCase): boolean {
  return [...baseline, ...candidate].every(isVerdict);
}

function passes(values: readonly number[]): boolean {
  return sum(values) * 2 > values.length;
}
