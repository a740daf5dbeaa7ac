import { binomialMass, normalCdf } from "./distribution.ts";

/** McNemar's test of b (only the first arm passes) against c (only the second), two-sided p-values. */
export interface McNemar {
  readonly exact: number;
  /** Exact less half of what the observed table weighs: the one to use (Fagerland, Lydersen, Laake 2013). */
  readonly mid: number;
  readonly asymptotic: number;
  /** With the continuity correction. */
  readonly corrected: number;
}

/** Only discordant pairs tell. None of them: every p is 1. */
export function mcNemar(b: number, c: number): McNemar {
  const n = b + c;
  if (n === 0) return { exact: 1, mid: 1, asymptotic: 1, corrected: 1 };
  const least = Math.min(b, c);
  let below = 0;
  for (let k = 0; k <= least; k += 1) below += binomialMass(k, n, 0.5);
  const here = binomialMass(least, n, 0.5);
  const exact = Math.min(1, 2 * below);
  const tail = (distance: number): number => 2 * normalCdf(-Math.max(0, distance) / Math.sqrt(n));
  return {
    exact,
    mid: b === c ? 1 - here / 2 : exact - here,
    asymptotic: tail(Math.abs(b - c)),
    corrected: tail(Math.abs(b - c) - 1),
  };
}
