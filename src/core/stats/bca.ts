import { normalCdf, normalQuantile } from "./distribution.ts";
import type { Interval } from "./interval.ts";
import { mean, sum } from "./moments.ts";
import type { Random } from "./random.ts";

/** How resamples equal to the estimate count towards the bias: half (as scipy does) or not at all. */
export type Ties = "mid" | "strict";

/**
 * BCa bootstrap interval of a mean over cases (Efron 1987): whole cases are resampled. Returns the point when all
 * values are equal, where no bootstrap can tell anything. Null without values.
 */
export function bcaInterval(
  values: readonly number[],
  draws: number,
  random: Random,
  alpha: number,
): Interval | null {
  const n = values.length;
  if (n === 0) return null;
  const resample = (): number => {
    let total = 0;
    for (let at = 0; at < n; at += 1) total += values[Math.floor(random() * n)] ?? 0;
    return total / n;
  };
  return bcaOf(values, Array.from({ length: draws }, resample), alpha, "mid").interval;
}

/** BCa from a given set of bootstrap means, so that it can also be had from all n^n of them. */
export function bcaOf(
  values: readonly number[],
  means: readonly number[],
  alpha: number,
  ties: Ties,
): { interval: Interval; bias: number; acceleration: number } {
  const point = mean(values) ?? 0;
  const slack = 1e-12 * Math.max(1, Math.abs(point));
  const below = means.filter((value) => value < point - slack).length;
  const equal = means.filter((value) => Math.abs(value - point) <= slack).length;
  const share = (below + (ties === "mid" ? equal / 2 : 0)) / means.length;
  const acceleration = accelerationOf(values);
  if (share <= 0 || share >= 1) return { interval: { low: point, high: point }, bias: 0, acceleration };
  const bias = normalQuantile(share);
  const sorted = Float64Array.from(means).sort();
  const at = (z: number): number =>
    quantile(sorted, normalCdf(bias + (bias + z) / (1 - acceleration * (bias + z))));
  const z = normalQuantile(1 - alpha / 2);
  return { interval: { low: at(-z), high: at(z) }, bias, acceleration };
}

/** Σu³ / (6 (Σu²)^1.5), u = mean of the leave-one-out means less each of them. */
function accelerationOf(values: readonly number[]): number {
  const total = sum(values);
  const left = values.map((value) => (total - value) / (values.length - 1));
  const centre = mean(left) ?? 0;
  const u = left.map((value) => centre - value);
  const squares = sum(u.map((value) => value ** 2));
  return squares === 0 || !Number.isFinite(squares)
    ? 0
    : sum(u.map((value) => value ** 3)) / (6 * squares ** 1.5);
}

/** The smallest value that a share p of the sorted values does not exceed. */
function quantile(sorted: Float64Array, p: number): number {
  const at = Math.min(sorted.length - 1, Math.max(0, Math.ceil(p * sorted.length) - 1));
  return sorted[at] ?? 0;
}
