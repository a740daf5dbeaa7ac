import { betaCdf, logChoose, logGamma } from "./distribution.ts";

/*
 * e-values: products of fair bets against the hypothesis. Looking after every case is allowed; stop at E ≥ 1/alpha
 * (Ville's inequality).
 */

/** Uniform mixture against θ = 1/2 over discordant cases, two-sided: 2^n / ((n + 1) C(n, wins)). */
export function mixtureE(wins: number, losses: number): number {
  const n = wins + losses;
  return Math.exp(n * Math.LN2 - Math.log(n + 1) - logChoose(n, wins));
}

/** The same one-sided, uniform on (1/2, 1): 2^(n+1) ∫ t^wins (1 − t)^losses dt from 1/2 to 1. */
export function mixtureEOneSided(wins: number, losses: number): number {
  const logBeta = logGamma(wins + 1) + logGamma(losses + 1) - logGamma(wins + losses + 2);
  const upper = 1 - betaCdf(0.5, wins + 1, losses + 1);
  return Math.exp((wins + losses + 1) * Math.LN2 + logBeta) * upper;
}

/** Normal mixture (mSPRT) of a mean of n values with variance s2 against theta0, prior variance t2. */
export function normalMixtureE(n: number, mean: number, theta0: number, s2: number, t2: number): number {
  const wide = s2 + n * t2;
  return Math.sqrt(s2 / wide) * Math.exp((n * n * t2 * (mean - theta0) ** 2) / (2 * s2 * wide));
}

/** Half-width of the confidence sequence that belongs to it: valid at every n at once, asymptotically. */
export function normalMixtureHalfWidth(n: number, s2: number, t2: number, alpha: number): number {
  const wide = s2 + n * t2;
  return Math.sqrt(((s2 * wide) / (n * n * t2)) * Math.log(wide / (s2 * alpha * alpha)));
}
