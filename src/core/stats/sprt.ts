import { normalQuantile } from "./distribution.ts";

/** Wald's sequential probability ratio test of a rate p0 against p1. */
export interface Sprt {
  /** Stop for p1 at or above. */
  readonly upper: number;
  /** Stop for p0 at or below. */
  readonly lower: number;
  /** Added to the log likelihood ratio by a pass and by a fail. */
  readonly pass: number;
  readonly fail: number;
  /** Wald's expected numbers of trials, without overshoot. */
  readonly expected: { readonly p0: number; readonly p1: number };
  /** Trials of the one-look test with the same errors. */
  readonly fixed: number;
}

/** Wald's test of p0 against p1 with error chances alpha and beta. */
export function sprt(p0: number, p1: number, alpha: number, beta: number): Sprt {
  const upper = Math.log((1 - beta) / alpha);
  const lower = Math.log(beta / (1 - alpha));
  const pass = Math.log(p1 / p0);
  const fail = Math.log((1 - p1) / (1 - p0));
  const step = (p: number): number => p * pass + (1 - p) * fail;
  const spread = (p: number): number => Math.sqrt(p * (1 - p));
  const zs = normalQuantile(1 - alpha) * spread(p0) + normalQuantile(1 - beta) * spread(p1);
  return {
    upper,
    lower,
    pass,
    fail,
    expected: {
      p0: (alpha * upper + (1 - alpha) * lower) / step(p0),
      p1: ((1 - beta) * upper + beta * lower) / step(p1),
    },
    fixed: (zs / (p1 - p0)) ** 2,
  };
}
