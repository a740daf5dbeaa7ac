import type { Estimate } from "../nouns/summary.ts";
import { clamp, hull, type Interval } from "../stats/interval.ts";
import { mean } from "../stats/moments.ts";
import { tInterval } from "../stats/t-interval.ts";
import { wilson } from "../stats/wilson.ts";

const NO_DATA: Estimate = { mean: null, low: null, high: null, cases: 0 };

/**
 * Mean over cases of the mean over trials, with its interval from the variance between cases.
 * - One 0-or-1 score per case: Wilson.
 * - Otherwise Student's t over case means; for shares cut to [0, 1].
 * - A share near an edge (so few cases away from 0, or from 1, that a t interval is too narrow, or has no width):
 *   widened to Wilson's over the cases. 5 of 5 is 57 to 100 %.
 * One case alone: Wilson's over its trials, since there is nothing else the rate could be of. It says nothing of other
 * cases: a comparison still counts it as one. No case: nulls.
 */
export function estimateOf(cases: readonly (readonly number[])[], share: boolean, alpha: number): Estimate {
  const means = cases.flatMap((values) => mean(values) ?? []);
  const centre = mean(means);
  if (centre === null) return NO_DATA;
  const interval = intervalOf(cases, means, share, alpha);
  return { mean: centre, low: interval?.low ?? null, high: interval?.high ?? null, cases: means.length };
}

function intervalOf(
  cases: readonly (readonly number[])[],
  means: readonly number[],
  share: boolean,
  alpha: number,
): Interval | null {
  const t = tInterval(means, alpha);
  const width = t !== null && t.se > 1e-12 ? { low: t.low, high: t.high } : null;
  if (!share) return width;
  const score = wilson(Math.min(1, Math.max(0, mean(means) ?? 0)), means.length, alpha);
  const binary = cases.every((values) => values.every((value) => value === 0 || value === 1));
  const [only] = cases;
  if (cases.length === 1 && only !== undefined && binary) return wilson(mean(only) ?? 0, only.length, alpha);
  const single = binary && cases.every((values) => values.length === 1);
  if (single || width === null) return score;
  return clamp(nearEdge(means, alpha) ? hull(width, score) : width, 0, 1);
}

/** As for differences: fewer cases off the edge than an exact two-sided test at alpha could do with. */
function nearEdge(means: readonly number[], alpha: number): boolean {
  const off = Math.min(means.filter((m) => m < 1).length, means.filter((m) => m > 0).length);
  return 2 * 0.5 ** off > alpha;
}
