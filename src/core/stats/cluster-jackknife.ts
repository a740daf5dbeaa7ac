import { tQuantile } from "./distribution.ts";
import type { Interval } from "./interval.ts";
import { mean, sum } from "./moments.ts";

/**
 * Interval of any statistic of clustered values, each cluster left out once (`without(at)` is the statistic of all the
 * others): SE² = (C − 1)/C Σ (θ₍c₎ − mean)², t with
 * C − 1 degrees (Efron and Tibshirani 1993, chapter 11). Null below two clusters, where the statistic is undefined
 * without one of them, and where leaving out changes nothing: there it knows of no spread, which is not the same as none.
 */
export function clusterJackknife(
  count: number,
  whole: number | null,
  without: (at: number) => number | null,
  alpha: number,
): Interval | null {
  const values = Array.from({ length: count }, (_, at) => without(at)).filter((value) => value !== null);
  const centre = mean(values);
  if (whole === null || centre === null || count < 2 || values.length < count) return null;
  const se = Math.sqrt(((count - 1) / count) * sum(values.map((value) => (value - centre) ** 2)));
  if (se === 0) return null;
  const half = tQuantile(1 - alpha / 2, count - 1) * se;
  return { low: whole - half, high: whole + half };
}
