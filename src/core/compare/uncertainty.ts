import { clamp, hull, type Interval } from "../stats/interval.ts";
import { mcNemar } from "../stats/mcnemar.ts";
import { mean, sum, variance } from "../stats/moments.ts";
import type { Random } from "../stats/random.ts";
import { signFlip } from "../stats/sign-flip.ts";
import { tInterval } from "../stats/t-interval.ts";
import { tangoInterval } from "../stats/tango.ts";
import type { PairedCase } from "./pairs.ts";

/** Everything a comparison says in numbers. */
export interface Uncertainty {
  readonly difference: number | null;
  readonly interval: Interval | null;
  readonly se: number | null;
  readonly p: number | null;
  readonly method: string;
  readonly notes: readonly string[];
}

/** What kind of values are compared, at which level. */
export interface UncertaintyOptions {
  /** Scores are shares: differences lie in [−1, 1]. */
  readonly share: boolean;
  /** The width of another scale with ends: differences lie in [−range, range]. */
  readonly range?: number;
  readonly alpha: number;
  readonly random: Random;
}

const NOTHING: Uncertainty = {
  difference: null,
  interval: null,
  se: null,
  p: null,
  method: "none",
  notes: [],
};

/**
 * Difference, standard error, interval and p of paired cases: difference = mean of d_i, SE = sd(d_i)/√n.
 * - One trial per case and arm, 0 or 1: Tango's score interval and McNemar's mid-p.
 * - Otherwise Student's t interval of d_i and the sign-flip p.
 * - Few cases differ (so few that the exact test could not reach alpha), or all by the same amount: the t interval is
 *   not to be trusted, a share's interval is widened to Tango's over the discordant mass (`massInterval`).
 * - The interval and the exact test never contradict each other: where p > alpha the interval reaches 0.
 */
export function uncertainty(cases: readonly PairedCase[], options: UncertaintyOptions): Uncertainty {
  if (cases.length === 0) return { ...NOTHING, notes: ["no case has a score in both arms"] };
  const differences = cases.map(differenceOf);
  const difference = settled(mean(differences) ?? 0);
  const spread = variance(differences);
  const se = spread === null ? null : Math.sqrt(spread / differences.length);
  const test = testOf(cases, differences, options);
  const shape = cases.length < 2 ? onlyOne() : intervalOf(cases, differences, options);
  const kept = shape.interval === null ? shape : agreeWithTest(shape, test.p, options.alpha);
  return { difference, se, p: test.p, ...kept, method: [shape.method, test.method].join(", ") };
}

/** candidate − baseline of one case: the difference of its means over trials. */
export function differenceOf(pair: PairedCase): number {
  return settled((mean(pair.candidate) ?? 0) - (mean(pair.baseline) ?? 0));
}

/** Rounding noise around 0 is 0, or a case that stood still would count as one that moved. */
function settled(value: number): number {
  return Math.abs(value) < 1e-12 ? 0 : value;
}

interface Shape {
  readonly interval: Interval | null;
  readonly method: string;
  readonly notes: readonly string[];
}

function onlyOne(): Shape {
  return { interval: null, method: "no interval", notes: ["one case: an interval is not defined"] };
}

function intervalOf(
  cases: readonly PairedCase[],
  differences: readonly number[],
  { share, alpha, range = share ? 1 : undefined }: UncertaintyOptions,
): Shape {
  if (share && isSingleVerdict(cases)) {
    return { interval: massInterval(differences, alpha), method: "Tango paired", notes: [] };
  }
  const t = tInterval(differences, alpha);
  const constant = t === null || t.se < 1e-12;
  if (range === undefined) return unbounded(t, constant);
  if (!constant && !tooFewDiffer(differences, alpha)) {
    return { interval: clamp(t, -range, range), method: "paired t", notes: [] };
  }
  const shares = differences.map((d) => d / range);
  const found = constant ? constantInterval(shares, alpha) : massInterval(shares, alpha);
  const mass = { low: found.low * range, high: found.high * range };
  const interval = t === null ? mass : hull(t, mass);
  const moved = differences.filter((d) => d !== 0).length;
  return {
    interval: clamp(interval, -range, range),
    method: "paired t widened to Tango paired",
    notes: [
      constant
        ? "every case changed by the same amount: the interval is Tango's over cases, since a t interval would have no width"
        : `only ${moved} of ${cases.length} cases differ: the t interval is widened to Tango's over cases`,
    ],
  };
}

function unbounded(t: Interval | null, constant: boolean): Shape {
  if (!constant && t !== null) {
    return { interval: { low: t.low, high: t.high }, method: "paired t", notes: [] };
  }
  return {
    interval: null,
    method: "no interval",
    notes: ["every case changed by the same amount: there is no spread to make an interval of"],
  };
}

/**
 * Tango's interval with Σ max(d, 0) and Σ max(−d, 0) as discordant counts. With one trial per case these are the
 * counts. With more, d² ≤ |d| makes its variance an upper bound, so that the interval errs on the wide side; with no
 * difference at all it is ±z²/(n + z²): n equal cases cannot exclude that a share of unseen ones changed wholly.
 */
export function massInterval(differences: readonly number[], alpha: number): Interval {
  const first = sum(differences.map((d) => Math.max(d, 0)));
  const second = sum(differences.map((d) => Math.max(-d, 0)));
  return tangoInterval({ first, second, n: differences.length }, alpha);
}

/**
 * All cases changed by the same d. Away from 0 as far as `massInterval` goes; towards 0 as far as Tango's does when d
 * is the unit, so that a loss of one trial in three in every case is no less certain than a loss of all three.
 */
function constantInterval(differences: readonly number[], alpha: number): Interval {
  const mass = massInterval(differences, alpha);
  const unit = differences[0] ?? 0;
  if (unit === 0) return mass;
  const n = differences.length;
  const near = unit * tangoInterval({ first: n, second: 0, n }, alpha).low;
  return unit < 0 ? { low: mass.low, high: near } : { low: near, high: mass.high };
}

/** So few differ that even all in one direction the exact two-sided p, 2 · 2^−m, stays above alpha. */
function tooFewDiffer(differences: readonly number[], alpha: number): boolean {
  const moved = differences.filter((d) => d !== 0).length;
  return 2 * 0.5 ** moved > alpha;
}

function agreeWithTest(shape: Shape, p: number, alpha: number): Shape {
  const { interval } = shape;
  if (interval === null || p <= alpha || (interval.low <= 0 && interval.high >= 0)) return shape;
  return {
    ...shape,
    interval: hull(interval, { low: 0, high: 0 }),
    notes: [...shape.notes, "the exact test does not exclude 0, so the interval is widened to reach it"],
  };
}

function testOf(
  cases: readonly PairedCase[],
  differences: readonly number[],
  { share, random }: UncertaintyOptions,
): { p: number; method: string } {
  if (share && isSingleVerdict(cases)) {
    const lost = differences.filter((d) => d < 0).length;
    const gained = differences.filter((d) => d > 0).length;
    return { p: mcNemar(lost, gained).mid, method: "McNemar mid-p" };
  }
  const flip = signFlip(differences, commonScale(cases), random);
  return { p: flip.p, method: flip.exact ? "exact sign flip" : "sign flip, sampled" };
}

/** One 0-or-1 score per case and arm. */
export function isSingleVerdict(cases: readonly PairedCase[]): boolean {
  return cases.every(
    ({ baseline, candidate }) =>
      baseline.length === 1 && candidate.length === 1 && [...baseline, ...candidate].every(isVerdict),
  );
}

/** Whether a score is a plain yes or no. */
export function isVerdict(value: number): boolean {
  return value === 0 || value === 1;
}

/** Least common multiple of the numbers of trials: whole scores give differences in multiples of its inverse. */
function commonScale(cases: readonly PairedCase[]): number {
  let scale = 1;
  for (const { baseline, candidate } of cases) {
    for (const trials of [baseline.length, candidate.length]) {
      scale = (scale / divisor(scale, trials)) * trials;
      if (scale > 100_000) return 1;
    }
  }
  return scale;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
