import type { TrialLine } from "../nouns/run.ts";
import type { Metric } from "../nouns/score.ts";

/** The value of one metric of a trial, or null where it has no score. */
export function measureOf(line: TrialLine, metric: Metric): number | null {
  const score = line.scores[metric];
  return score?.status === "scored" ? score.value : null;
}
