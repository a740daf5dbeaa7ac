import { describe, expect, test } from "vitest";
import {
  betaCdf,
  betaQuantile,
  binomialMass,
  logChoose,
  normalCdf,
  normalQuantile,
  tQuantile,
  tTwoSided,
} from "../../src/core/stats/distribution.ts";
import { fisherLess } from "../../src/core/stats/fisher.ts";

/** Values computed with R and scipy; relative errors, since p-values live in the tails. */
const close = (found: number, wanted: number, digits = 1e-9) =>
  expect(Math.abs(found / wanted - 1), `${found} against ${wanted}`).toBeLessThan(digits);

test.each([
  [-10, 7.61985302416047e-24],
  [-6, 9.865876450376981e-10],
  [-3.5, 0.00023262907903552502],
  [-1.959963984540054, 0.025],
  [0, 0.5],
  [1.2815515655446004, 0.9],
])("normal P(Z ≤ %d)", (z, p) => close(normalCdf(z), p));

test.each([
  [0.975, 1.959963984540054],
  [0.8, 0.8416212335729143],
  [1e-10, -6.361340902404056],
])("normal quantile %d", (p, z) => close(normalQuantile(p), z, 1e-8));

test.each([
  [0.975, 1, 12.706204736432095],
  [0.975, 2, 4.302652729696142],
  [0.975, 4, 2.776445105198054],
  [0.975, 19, 2.093024054408263],
  [0.975, 99, 1.984216951586417],
  [0.9999, 3, 22.203742273205],
  [0.025, 7, -2.3646242515927844],
])("t quantile %d with %d degrees of freedom", (p, df, t) => close(tQuantile(p, df), t));

test("t tails, far out and next to the middle", () => {
  close(tTwoSided(50, 30) / 2, 9.357708829611355e-31);
  close(tTwoSided(1e-3, 7), 0.9992300172449988);
  expect(tTwoSided(Number.POSITIVE_INFINITY, 5)).toBe(0);
  expect(tQuantile(0.5, 3)).toBe(0);
});

test("beta and binomial", () => {
  close(betaCdf(0.3, 2.5, 17), 0.9729745411996821);
  close(betaQuantile(0.025, 20, 1), 0.025 ** (1 / 20));
  expect([betaCdf(-1, 2, 2), betaCdf(2, 2, 2)]).toEqual([0, 1]);
  close(Math.exp(logChoose(10, 3)), 120);
  expect(logChoose(3, 4)).toBe(Number.NEGATIVE_INFINITY);
  close(binomialMass(3, 10, 0.5), 120 / 1024);
  expect([binomialMass(0, 5, 0), binomialMass(1, 5, 0), binomialMass(6, 5, 0.5)]).toEqual([1, 0, 0]);
});

describe("Fisher, one-sided", () => {
  test("three of three against none of three", () => close(fisherLess(3, 3, 0, 3), 0.05));
  test("seven of eight against three of nine", () => close(fisherLess(7, 8, 3, 9), 0.036404771698889345));
  test("no trials, no evidence", () => expect(fisherLess(0, 0, 0, 3)).toBe(1));
});
