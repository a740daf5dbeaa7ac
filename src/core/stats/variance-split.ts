import { mean, sum, variance } from "./moments.ts";

/** One-way split of the variance of trial values into between cases and within cases. */
export interface VarianceSplit {
  /** s_b²: variance of the true case means, not below 0. */
  readonly between: number;
  /** s_w²: pooled variance of the trials of one case. */
  readonly within: number;
  /** s_b² / (s_b² + s_w²); null when both are 0. */
  readonly icc: number | null;
  /** 1 + (K − 1) ICC: how much less n·K trials tell than n·K cases. */
  readonly designEffect: number | null;
}

/** Pooled variance within groups, n − 1 each; null when no group has two values. */
export function pooledWithin(groups: readonly (readonly number[])[]): number | null {
  const free = sum(groups.map((group) => Math.max(0, group.length - 1)));
  if (free === 0) return null;
  return sum(groups.map((group) => (variance(group) ?? 0) * Math.max(0, group.length - 1))) / free;
}

/** The split over cases with about K trials each (unequal K: their mean). Null below two cases or without repeats. */
export function varianceSplit(cases: readonly (readonly number[])[]): VarianceSplit | null {
  const groups = cases.filter((group) => group.length > 0);
  const within = pooledWithin(groups);
  const ofMeans = variance(groups.map((group) => mean(group) ?? 0));
  const trials = mean(groups.map((group) => group.length));
  if (within === null || ofMeans === null || trials === null) return null;
  const between = Math.max(0, ofMeans - within / trials);
  const icc = between + within === 0 ? null : between / (between + within);
  return { between, within, icc, designEffect: icc === null ? null : 1 + (trials - 1) * icc };
}
