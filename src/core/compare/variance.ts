import { mean, variance } from "../stats/moments.ts";
import type { DesignVariance } from "../stats/sample-size.ts";
import { pooledWithin } from "../stats/variance-split.ts";
import type { PairedCase } from "./pairs.ts";
import { differenceOf } from "./uncertainty.ts";

/** What the observed cases say of where the variance of d_i comes from. Null where trials were not repeated. */
export interface ObservedVariance {
  /** Variance over cases of the observed d_i. */
  readonly total: number;
  /** Part of it that is left with any number of trials; null without repeats. */
  readonly between: number | null;
  /** Part of it that comes from repeating trials. */
  readonly within: number | null;
  /** The parts for another number of trials; null without repeats. */
  readonly parts: DesignVariance | null;
  /** Mean number of trials per case and arm. */
  readonly trials: number;
}

/** Splits the variance of the paired differences (statistics B2). Null below two cases. */
export function observedVariance(cases: readonly PairedCase[]): ObservedVariance | null {
  const total = variance(cases.map(differenceOf));
  const trials = mean(cases.flatMap(({ baseline, candidate }) => [baseline.length, candidate.length]));
  if (total === null || trials === null) return null;
  const baseline = pooledWithin(cases.map((pair) => pair.baseline));
  const candidate = pooledWithin(cases.map((pair) => pair.candidate));
  if (baseline === null || candidate === null) {
    return { total, between: null, within: null, parts: null, trials };
  }
  const within = (baseline + candidate) / trials;
  const between = Math.max(0, total - within);
  return { total, between, within, parts: { between, baseline, candidate }, trials };
}
