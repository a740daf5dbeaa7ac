import { PASS_METRICS } from "../compare/metric-kind.ts";
import type { Metric } from "../nouns/score.ts";

/** Why a trial whose case has checks has no verdict of them, and how many of the checks that were looked at failed. */
export interface OpenTrial {
  readonly reason: string;
  readonly failed: number;
}

/** What is read of a score; a line's scores and their shortened forms have it. */
type ReadScore =
  | { readonly status: "scored" }
  | {
      readonly status: "unscored";
      readonly reason: string;
      readonly evidence?: readonly { readonly passed: boolean }[] | undefined;
    };

/**
 * A pass metric that was left without a score though checks were made, such as for a judge that gave no verdict. Null
 * where there is none: a case without checks is not open, it asks for nothing.
 */
export function openOf(scores: Readonly<Partial<Record<Metric, ReadScore>>>): OpenTrial | null {
  for (const metric of PASS_METRICS) {
    const score = scores[metric];
    if (score?.status !== "unscored" || score.evidence === undefined) continue;
    return { reason: score.reason, failed: score.evidence.filter(({ passed }) => !passed).length };
  }
  return null;
}
