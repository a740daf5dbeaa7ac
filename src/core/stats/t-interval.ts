import { tQuantile, tTwoSided } from "./distribution.ts";
import type { Interval } from "./interval.ts";
import { mean, variance } from "./moments.ts";

/** Mean of case values with its standard error. */
export interface TResult extends Interval {
  readonly mean: number;
  /** sd(values, n − 1) / √n. */
  readonly se: number;
  /** Two-sided p of mean = 0; null when all values are equal. */
  readonly p: number | null;
}

/** Student's t interval of a mean at level 1 − alpha. Null below two values; without width when all are equal. */
export function tInterval(values: readonly number[], alpha: number): TResult | null {
  const centre = mean(values);
  const spread = variance(values);
  if (centre === null || spread === null) return null;
  const df = values.length - 1;
  const se = Math.sqrt(spread / values.length);
  const half = tQuantile(1 - alpha / 2, df) * se;
  return {
    mean: centre,
    se,
    low: centre - half,
    high: centre + half,
    p: se === 0 ? null : tTwoSided(centre / se, df),
  };
}
