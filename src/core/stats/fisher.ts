import { logChoose } from "./distribution.ts";

/**
 * Fisher's exact one-sided p that the second group passes less often: `a` of `n` passed in the first, `b` of `m` in
 * the second. The binomial test of one case's trials, valid at any number of them.
 */
export function fisherLess(a: number, n: number, b: number, m: number): number {
  const passed = a + b;
  const whole = logChoose(n + m, passed);
  let p = 0;
  for (let k = Math.max(0, passed - n); k <= b; k += 1) {
    p += Math.exp(logChoose(m, k) + logChoose(n, passed - k) - whole);
  }
  return Math.min(1, p);
}
