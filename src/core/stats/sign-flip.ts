import type { Random } from "./random.ts";
import { sum } from "./moments.ts";

/** A permutation p-value and how it was come by. */
export interface SignFlip {
  /** Two-sided: share of |S*| ≥ |S|. */
  readonly p: number;
  /** P(S* ≥ S): small when the sum is large. */
  readonly upper: number;
  readonly exact: boolean;
}

const DRAWS = 20_000;
const LARGEST_SUM = 200_000;
const LARGEST_WORK = 40_000_000;

/**
 * Sign-flip permutation test of paired differences: under "no change" every d_i is as likely as −d_i. Exact by
 * convolution where the d_i are multiples of 1/scale; else Monte Carlo with (1 + count) / (1 + draws), never 0.
 * Zeros change nothing. No differences at all: p = 1.
 */
export function signFlip(differences: readonly number[], scale: number, random: Random): SignFlip {
  const moved = differences.filter((d) => d !== 0);
  const whole = wholeNumbers(moved, scale);
  return whole === null ? sampled(moved, random) : convolved(whole);
}

/** The differences as whole numbers, or null where they are none or too large to convolve. */
function wholeNumbers(differences: readonly number[], scale: number): number[] | null {
  const scaled = differences.map((d) => d * scale);
  const whole = scaled.map(Math.round);
  if (whole.some((value, at) => Math.abs(value - (scaled[at] ?? Number.NaN)) > 1e-6)) return null;
  const total = whole.reduce((so, value) => so + Math.abs(value), 0);
  return total > LARGEST_SUM || total * whole.length > LARGEST_WORK ? null : whole;
}

/** The distribution of the sum of ±|w_i| by convolution; index total + s holds P(S* = s). */
function convolved(whole: readonly number[]): SignFlip {
  const total = whole.reduce((so, value) => so + Math.abs(value), 0);
  let mass = new Float64Array(2 * total + 1);
  mass[total] = 1;
  for (const value of whole) {
    const step = Math.abs(value);
    const next = new Float64Array(mass.length);
    for (let at = 0; at < mass.length; at += 1) {
      next[at] = ((mass[at - step] ?? 0) + (mass[at + step] ?? 0)) / 2;
    }
    mass = next;
  }
  const observed = whole.reduce((so, value) => so + value, 0);
  const from = (least: number): number => mass.slice(total + least).reduce((so, value) => so + value, 0);
  const upper = Math.min(1, from(observed));
  const p = observed === 0 ? 1 : Math.min(1, 2 * from(Math.abs(observed)));
  return { p, upper, exact: true };
}

function sampled(differences: readonly number[], random: Random): SignFlip {
  const observed = sum(differences);
  const slack = 1e-9 * differences.reduce((so, d) => so + Math.abs(d), 0);
  let beyond = 0;
  let above = 0;
  const { length } = differences;
  for (let draw = 0; draw < DRAWS; draw += 1) {
    let flipped = 0;
    let signs = 0;
    for (let at = 0; at < length; at += 1) {
      // One number holds the signs of 32 differences.
      if (at % 32 === 0) signs = random() * 2 ** 32;
      const d = differences[at] ?? 0;
      flipped += (signs >>> (at % 32)) & 1 ? d : -d;
    }
    if (Math.abs(flipped) >= Math.abs(observed) - slack) beyond += 1;
    if (flipped >= observed - slack) above += 1;
  }
  return { p: (1 + beyond) / (1 + DRAWS), upper: (1 + above) / (1 + DRAWS), exact: false };
}
