import type { Evidence, Score } from "../nouns/score.ts";

/** A number with its evidence. */
export function scored(value: number, evidence: readonly Evidence[] = []): Score {
  return { status: "scored", value, evidence: [...evidence] };
}

/** No score, and why; with what the checks found that could be made. */
export function unscored(reason: string, evidence?: readonly Evidence[]): Score {
  return { status: "unscored", reason, ...(evidence === undefined ? {} : { evidence: [...evidence] }) };
}

/** 1 if all evidence passed, else 0. */
export function allPassed(evidence: readonly Evidence[]): Score {
  return scored(evidence.every((one) => one.passed) ? 1 : 0, evidence);
}
