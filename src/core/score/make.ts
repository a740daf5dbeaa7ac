import type { Evidence, Score } from "../nouns/score.ts";

/** A number with its evidence. */
export function scored(value: number, evidence: readonly Evidence[] = []): Score {
  return { status: "scored", value, evidence: [...evidence] };
}

/** No score, and why. */
export function unscored(reason: string): Score {
  return { status: "unscored", reason };
}

/** 1 if all evidence passed, else 0. */
export function allPassed(evidence: readonly Evidence[]): Score {
  return scored(evidence.every((one) => one.passed) ? 1 : 0, evidence);
}
