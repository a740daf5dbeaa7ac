import { describe, expect, test } from "vitest";
import { holm, benjaminiHochberg } from "../../src/core/stats/holm.ts";
import { mcNemar } from "../../src/core/stats/mcnemar.ts";
import { newcombePaired } from "../../src/core/stats/newcombe.ts";
import { passAtK, passHatK } from "../../src/core/stats/pass-k.ts";
import { randomFrom } from "../../src/core/stats/random.ts";
import { connorCases, casesNeeded, detectable, unpairedCases } from "../../src/core/stats/sample-size.ts";
import { signFlip } from "../../src/core/stats/sign-flip.ts";
import { tangoInterval, tangoNonInferiority } from "../../src/core/stats/tango.ts";
import { tInterval } from "../../src/core/stats/t-interval.ts";
import { clopperPearson, wilson, zeroFailuresBound } from "../../src/core/stats/wilson.ts";
import type { Interval } from "../../src/core/stats/interval.ts";

/** Darwin's fifteen pairs of plants. */
const DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
const EIGHT = [0.25, 0.5, -0.25, 0, 0.75, 0.25, 0.5, 0];
const random = randomFrom(1);

function near(interval: Interval, low: number, high: number): void {
  expect(interval.low).toBeCloseTo(low, 5);
  expect(interval.high).toBeCloseTo(high, 5);
}

describe("McNemar", () => {
  test.each([
    [1, 7, 0.0703125, 0.0390625, 0.033895, 0.0771],
    [12, 2, 0.0129395, 0.0073853, null, 0.0161569],
    [4, 13, 0.0490417, 0.0308838, 0.029049, 0.0523451],
  ])("b = %d, c = %d", (b, c, exact, mid, asymptotic, corrected) => {
    const found = mcNemar(b, c);
    expect(found.exact).toBeCloseTo(exact, 6);
    expect(found.mid).toBeCloseTo(mid, 6);
    if (asymptotic !== null) expect(found.asymptotic).toBeCloseTo(asymptotic, 5);
    expect(found.corrected).toBeCloseTo(corrected, 5);
  });
  test("no discordant pair: p = 1; equal counts: 1 less half of the middle", () => {
    expect(mcNemar(0, 0).mid).toBe(1);
    expect(mcNemar(1, 1).mid).toBeCloseTo(0.75, 12);
    expect(mcNemar(3, 3).exact).toBe(1);
  });
});

describe("rates", () => {
  test.each([
    [81, 263, 0.255289, 0.36621],
    [15, 148, 0.062386, 0.160487],
    [0, 20, 0, 0.161125],
    [1, 29, 0.006113, 0.171755],
    [18, 20, 0.698966, 0.972134],
    [10, 10, 0.722467, 1],
  ])("Wilson %d of %d", (k, n, low, high) => near(wilson(k / n, n, 0.05), low, high));
  test("Clopper and Pearson", () => near(clopperPearson(81, 263, 0.05), 0.252737, 0.367622));
  test("no failure in n", () => expect(zeroFailuresBound(100, 0.05)).toBeCloseTo(0.029513, 5));
});

describe("paired differences", () => {
  test.each([
    [20, 12, 2, 16, 0.056156, 0.329207, 0.061112, 0.344709],
    [1, 1, 7, 12, -0.50692, -0.025559, -0.517232, -0.026003],
  ])("table %d %d %d %d", (both, first, second, none, newLow, newHigh, tangoLow, tangoHigh) => {
    near(newcombePaired({ both, first, second, none }, 0.05), newLow, newHigh);
    near(tangoInterval({ first, second, n: both + first + second + none }, 0.05), tangoLow, tangoHigh);
  });
  test("Newcombe with an empty margin", () => {
    near(newcombePaired({ both: 36, first: 12, second: 2, none: 0 }, 0.05), 0.05693, 0.340428);
  });
  test("non-inferiority by Tango", () => {
    const pairs = { first: 10, second: 14, n: 200 };
    near(tangoInterval(pairs, 0.1), -0.06246, 0.021226);
    expect(tangoNonInferiority(pairs, 0.05).z).toBeCloseTo(1.18717, 5);
    expect(tangoNonInferiority(pairs, 0.05).p).toBeCloseTo(0.117579, 6);
    expect(tangoNonInferiority(pairs, 0.1).z).toBeCloseTo(2.88702, 5);
    expect(tangoNonInferiority(pairs, 0.1).p).toBeCloseTo(0.001945, 6);
  });
});

describe("sign flip and t", () => {
  test("Darwin's pairs", () => {
    const flip = signFlip(DARWIN, 1, random);
    expect(flip).toEqual({ p: 1726 / 32768, upper: 863 / 32768, exact: true });
    expect(tInterval(DARWIN, 0.05)?.p).toBeCloseTo(0.049703, 6);
  });
  test("quarters", () => {
    expect(signFlip(EIGHT, 4, random)).toMatchObject({ p: 8 / 64, exact: true });
    const t = tInterval(EIGHT, 0.05);
    expect(t?.mean).toBe(0.25);
    expect(t?.se).toBeCloseTo(0.115728, 6);
    expect(t?.p).toBeCloseTo(0.067583, 6);
  });
  test("sampled where the differences are no multiples: near the exact p, never 0", () => {
    const flip = signFlip(
      EIGHT.map((d) => d * Math.SQRT2),
      4,
      randomFrom(7),
    );
    expect(flip.exact).toBe(false);
    expect(Math.abs(flip.p - 0.125)).toBeLessThan(0.01);
    expect(
      signFlip(
        Array.from({ length: 60 }, (_, at) => Math.sqrt(at + 1)),
        1,
        random,
      ).p,
    ).toBeGreaterThan(0);
  });
});

test("Holm and Benjamini-Hochberg", () => {
  const ps = [0.01, 0.04, 0.03, 0.005];
  expect(holm(ps).map((p) => p.toFixed(2))).toEqual(["0.03", "0.06", "0.06", "0.02"]);
  expect(benjaminiHochberg(ps).map((p) => p.toFixed(2))).toEqual(["0.02", "0.04", "0.04", "0.02"]);
});

test("pass^k and pass@k, undefined below k trials", () => {
  expect(passHatK(4, 3, 2)).toBeCloseTo(0.5, 12);
  expect(passHatK(5, 3, 2)).toBeCloseTo(0.3, 12);
  expect(passHatK(8, 6, 4)).toBeCloseTo(0.214286, 6);
  expect(passHatK(4, 2, 4)).toBe(0);
  expect(passAtK(2, 0, 2)).toBe(0);
  expect(passAtK(2, 0, 5)).toBeNull();
  expect(passHatK(2, 0, 5)).toBeNull();
});

describe("sample sizes", () => {
  test("Connor, paired", () => {
    expect(connorCases(0.15, 0.05, 0.05, 0.8)).toBeCloseTo(154.6, 1);
    expect(connorCases(0.1, 0.05, 0.05, 0.8)).toBeCloseTo(468.57, 1);
    expect(connorCases(0.25, 0.1, 0.05, 0.8)).toBeCloseTo(119.71, 1);
    expect(unpairedCases(0.8, 0.7, 0.05, 0.8)).toBeCloseTo(293.15, 1);
  });
  test("Miller's examples", () => {
    const size = (s2: number, trials: number) =>
      casesNeeded({ between: 1 / 9, baseline: s2, candidate: s2 }, trials, 0.03, 0.05, 0.8);
    expect(size(0, 1)).toBeCloseTo(968.998, 2);
    expect(size(1 / 6, 1)).toBeCloseTo(3876, 0);
    expect(size(1 / 6, 4)).toBeCloseTo(1695.7, 1);
    expect(size(1 / 6, 10)).toBeCloseTo(1259.7, 1);
    const mde = (trials: number) =>
      detectable({ between: 1 / 9, baseline: 1 / 6, candidate: 1 / 6 }, trials, 198, 0.05, 0.8);
    expect(mde(1)).toBeCloseTo(0.13273, 5);
    expect(mde(10)).toBeCloseTo(0.07567, 5);
    expect(mde(1e12)).toBeCloseTo(0.06637, 5);
  });
});
