import { clusteredSe } from "./clustered.ts";
import { normalCdf, tQuantile } from "./distribution.ts";
import type { Interval } from "./interval.ts";
import { mean } from "./moments.ts";
import { wilson } from "./wilson.ts";

/**
 * How many independent values say as much about a share as these 0s and 1s in clusters do: p(1 − p)/SE², SE clustered, never
 * more than there are. Where all are equal SE says nothing, and each cluster counts once. Null below two clusters.
 */
export function effectiveSize(clusters: readonly (readonly number[])[]): number | null {
  const values = clusters.flat();
  const rate = mean(values);
  const se = clusteredSe(clusters, true);
  if (rate === null || se === null) return null;
  return se === 0 ? clusters.length : Math.min(values.length, (rate * (1 - rate)) / se ** 2);
}

/**
 * Interval of a share of 0s and 1s that come in clusters: Wilson's at the effective size, times (z/t)² for few clusters (Korn and
 * Graubard 1998 with Wilson's in place of the exact one). Null below two clusters.
 */
export function clusteredShare(clusters: readonly (readonly number[])[], alpha: number): Interval | null {
  const rate = mean(clusters.flat());
  const seen = effectiveSize(clusters);
  if (rate === null || seen === null) return null;
  // Wilson's interval takes a level, not a quantile: t at C − 1 degrees is given as the level where z is as large.
  const t = tQuantile(1 - alpha / 2, clusters.length - 1);
  return wilson(rate, seen, 2 * (1 - normalCdf(t)));
}
