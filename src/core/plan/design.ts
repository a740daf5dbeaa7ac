import { binomialMass, normalQuantile } from "../stats/distribution.ts";
import { type DesignVariance, varianceOfDifference } from "../stats/sample-size.ts";

/** Variance between trials of one case, in each arm, and whether it was seen or assumed. */
export interface NoiseSource {
  readonly baseline: number;
  readonly candidate: number;
  readonly from: "run" | "assumed";
}

/**
 * Without an earlier run: half of the cases waver, their pass rates spread evenly over 0.2 to 0.95, so that a trial's
 * variance is 0.5 · E[p(1 − p)] = 0.0985.
 */
export const ASSUMED_NOISE: NoiseSource = { baseline: 0.0985, candidate: 0.0985, from: "assumed" };

/** What a design is asked for. */
export interface DesignQuestion {
  readonly noise: NoiseSource;
  readonly alpha: number;
  readonly power: number;
}

/** The hardest drop to see is one that comes from a share of the cases breaking altogether: ω² = δ(1 − δ). */
function varianceAt(drop: number, { noise }: DesignQuestion): DesignVariance {
  return { between: drop * (1 - drop), baseline: noise.baseline, candidate: noise.candidate };
}

/**
 * Cases that find a drop with the power asked for. Two bounds, the larger counts: the normal one (statistics B2), and
 * that of the exact test, which needs six cases or so that got worse, however clear they are.
 */
export function casesForDrop(drop: number, trials: number, question: DesignQuestion): number {
  const { alpha, power } = question;
  const z = normalQuantile(1 - alpha / 2) + normalQuantile(power);
  const normal = (z * z * varianceOfDifference(varianceAt(drop, question), trials)) / (drop * drop);
  return Math.max(Math.ceil(normal), exactCases(drop, alpha, power));
}

/** The fewest cases of which, with the power asked for, enough break that 2 · 2^−m can reach alpha. */
function exactCases(drop: number, alpha: number, power: number): number {
  const needed = Math.ceil(Math.log2(2 / alpha));
  let n = needed;
  while (n < 1_000_000 && tooFew(needed, n, drop) > 1 - power) n += Math.max(1, Math.floor(n / 200));
  return n;
}

function tooFew(needed: number, n: number, share: number): number {
  let chance = 0;
  for (let k = 0; k < needed; k += 1) chance += binomialMass(k, n, share);
  return chance;
}

/** The smallest drop that n cases find with the power asked for, by bisection; null when not even a total one. */
export function smallestDrop(cases: number, trials: number, question: DesignQuestion): number | null {
  if (casesForDrop(0.999, trials, question) > cases) return null;
  let missed = 0.0005;
  let found = 0.999;
  for (let step = 0; step < 30; step += 1) {
    const middle = (missed + found) / 2;
    if (casesForDrop(middle, trials, question) <= cases) found = middle;
    else missed = middle;
  }
  return found;
}

/**
 * Cases at which arms that are alike are called the same with the power asked for: the interval must stay above
 * −margin, and even without any difference seen it is as wide as Tango's, z²/(n + z²).
 */
export function casesForSame(margin: number, trials: number, question: DesignQuestion): number {
  const { alpha, power, noise } = question;
  const z = normalQuantile(1 - alpha / 2);
  const reach = z + normalQuantile(power);
  const spread = varianceOfDifference({ between: 0, ...noise }, trials);
  return Math.max(
    Math.floor(z * z * (1 / margin - 1)) + 1,
    Math.ceil((reach * reach * spread) / (margin * margin)),
  );
}
