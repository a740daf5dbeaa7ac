import type { Verdict } from "../nouns/summary.ts";
import type { Interval } from "../stats/interval.ts";

/** What a verdict is made of; `sign` turns "less is better" around, `margin` is in the metric's own unit. */
export interface VerdictInput {
  readonly difference: number | null;
  readonly interval: Interval | null;
  readonly p: number | null;
  readonly cases: number;
  readonly sign: 1 | -1;
  readonly margin: number;
  readonly alpha: number;
  /** Share of cases that may have changed unseen when none was seen to: the margin for a constant metric. */
  readonly shareMargin: number;
}

/** `worse`: interval below 0. `better`: above. `same`: lower bound above −margin. Else `unsure`. */
export function verdictOf(input: VerdictInput): Verdict {
  const { interval, sign, margin } = input;
  if (interval === null) return verdictWithoutInterval(input);
  const low = sign === 1 ? interval.low : -interval.high;
  const high = sign === 1 ? interval.high : -interval.low;
  if (high < 0) return "worse";
  if (low > 0) return "better";
  return low > -margin ? "same" : "unsure";
}

/**
 * A constant unbounded metric has no interval. All cases moved the same way: the exact test decides. None moved:
 * `same` once so many cases stood still that a change of more than the margin's share of them would have shown.
 */
function verdictWithoutInterval(input: VerdictInput): Verdict {
  const { difference, p, cases, sign, alpha, shareMargin } = input;
  if (difference === null || p === null || cases < 2) return "unsure";
  if (difference !== 0) return p > alpha ? "unsure" : difference * sign > 0 ? "better" : "worse";
  return (1 - shareMargin) ** cases <= alpha / 2 ? "same" : "unsure";
}
