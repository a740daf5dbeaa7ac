import { betaQuantile, normalQuantile } from "./distribution.ts";
import type { Interval } from "./interval.ts";

/**
 * Wilson's score interval of a rate (Wilson 1927). `rate` may come from fractional successes. It never has zero width:
 * 5 of 5 is 57 to 100 %. Throws nothing; `n` must be above 0.
 */
export function wilson(rate: number, n: number, alpha: number): Interval {
  const z = normalQuantile(1 - alpha / 2);
  const centre = rate + (z * z) / (2 * n);
  const half = z * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n));
  const all = 1 + (z * z) / n;
  return { low: rate === 0 ? 0 : (centre - half) / all, high: rate === 1 ? 1 : (centre + half) / all };
}

/** Clopper and Pearson's exact interval of k successes in n. */
export function clopperPearson(k: number, n: number, alpha: number): Interval {
  return {
    low: k === 0 ? 0 : betaQuantile(alpha / 2, k, n - k + 1),
    high: k === n ? 1 : betaQuantile(1 - alpha / 2, k + 1, n - k),
  };
}

/** Upper bound of the failure rate after 0 failures in n trials: 1 − alpha^(1/n), about 3/n at alpha 0.05. */
export function zeroFailuresBound(n: number, alpha: number): number {
  return 1 - alpha ** (1 / n);
}
