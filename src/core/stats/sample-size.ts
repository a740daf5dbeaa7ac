import { normalQuantile } from "./distribution.ts";

/** Where the variance of a paired difference comes from. */
export interface DesignVariance {
  /** ω²: variance over cases of the true difference. */
  readonly between: number;
  /** σ²_A: variance between trials of one case in the baseline. */
  readonly baseline: number;
  /** σ²_B: the same in the candidate. */
  readonly candidate: number;
}

/** Variance of one case's difference at K trials an arm: ω² + σ²_A/K + σ²_B/K (Miller 2024, arXiv 2411.00640). */
export function varianceOfDifference(parts: DesignVariance, trials: number): number {
  return parts.between + (parts.baseline + parts.candidate) / trials;
}

/** Cases needed to find a difference of `delta`: (z_{1−α/2} + z_power)² Var / δ², not rounded. */
export function casesNeeded(
  parts: DesignVariance,
  trials: number,
  delta: number,
  alpha: number,
  power: number,
): number {
  return (zs(alpha, power) ** 2 * varianceOfDifference(parts, trials)) / delta ** 2;
}

/** Smallest difference that n cases find with the power asked for. */
export function detectable(
  parts: DesignVariance,
  trials: number,
  cases: number,
  alpha: number,
  power: number,
): number {
  return zs(alpha, power) * Math.sqrt(varianceOfDifference(parts, trials) / cases);
}

/** Connor's size for one trial a case: p10 and p01 are the shares of pairs that only one arm passes. Not rounded. */
export function connorCases(p10: number, p01: number, alpha: number, power: number): number {
  const both = p10 + p01;
  const delta = p10 - p01;
  const first = normalQuantile(1 - alpha / 2) * Math.sqrt(both);
  const second = normalQuantile(power) * Math.sqrt(both - delta * delta);
  return (first + second) ** 2 / (delta * delta);
}

/** Cases an arm where the arms run different cases, rates p and q: how much pairing saves. Not rounded. */
export function unpairedCases(p: number, q: number, alpha: number, power: number): number {
  const middle = (p + q) / 2;
  const first = normalQuantile(1 - alpha / 2) * Math.sqrt(2 * middle * (1 - middle));
  const second = normalQuantile(power) * Math.sqrt(p * (1 - p) + q * (1 - q));
  return (first + second) ** 2 / (p - q) ** 2;
}

function zs(alpha: number, power: number): number {
  return normalQuantile(1 - alpha / 2) + normalQuantile(power);
}
