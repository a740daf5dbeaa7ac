import { normalCdf, normalQuantile } from "./distribution.ts";
import type { Interval } from "./interval.ts";

/** Discordant pairs: `first` where only the first arm passes, `second` where only the second does, of `n` in all. */
export interface Discordance {
  readonly first: number;
  readonly second: number;
  readonly n: number;
}

/**
 * Tango's score statistic of H0: p1 − p2 = delta for paired rates (Tango 1998). Asymptotically standard normal;
 * ±Infinity where the hypothesis leaves no variance but the data differ, 0 where they agree.
 */
export function tangoZ({ first, second, n }: Discordance, delta: number): number {
  const linear = -first - second + (2 * n - first + second) * delta;
  const constant = -second * delta * (1 - delta);
  const root = Math.sqrt(Math.max(0, linear * linear - 8 * n * constant));
  const p21 = Math.max(0, (root - linear) / (4 * n));
  const spread = Math.sqrt(Math.max(0, n * (2 * p21 + delta * (1 - delta))));
  const distance = first - second - n * delta;
  if (spread < 1e-12) return Math.abs(distance) < 1e-9 ? 0 : Math.sign(distance) * Number.POSITIVE_INFINITY;
  return distance / spread;
}

/** One-sided p of H0: p1 − p2 ≤ −margin: small means that a drop of `margin` is excluded. */
export function tangoNonInferiority(pairs: Discordance, margin: number): { z: number; p: number } {
  const z = tangoZ(pairs, -margin);
  return { z, p: normalCdf(-z) };
}

/** Tango's score interval of p1 − p2: every delta that the score test does not reject. Never of zero width. */
export function tangoInterval(pairs: Discordance, alpha: number): Interval {
  const z = normalQuantile(1 - alpha / 2);
  const centre = (pairs.first - pairs.second) / pairs.n;
  return {
    low: bisect(-1, centre, (delta) => tangoZ(pairs, delta) > z),
    high: bisect(1, centre, (delta) => tangoZ(pairs, delta) < -z),
  };
}

/** Where `rejected` turns false on the way from `outer` to `inner`; `outer` itself when it is not rejected. */
function bisect(outer: number, inner: number, rejected: (delta: number) => boolean): number {
  if (!rejected(outer)) return outer;
  let out = outer;
  let into = inner;
  for (let step = 0; step < 60; step += 1) {
    const middle = (out + into) / 2;
    if (rejected(middle)) out = middle;
    else into = middle;
  }
  return into;
}
