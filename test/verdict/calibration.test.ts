import { describe, expect, test } from "vitest";
import { gateFails, powerAtPlan, simulate } from "../../bench/calibrate/fixed.ts";
import {
  allWorse,
  MIXTURES,
  type Mixture,
  meanRate,
  someBroke,
  unchanged,
} from "../../bench/calibrate/population.ts";
import { naive, ours, stopping } from "../../bench/calibrate/sequential.ts";

/**
 * A short, seeded version of `npm run calibrate`: the same numbers every time. Bounds leave room for the sampling error
 * of so few runs; the full figures are in docs/statistics.md.
 */
const mixture = (name: string): Mixture => {
  const found = MIXTURES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no mixture ${name}`);
  return found;
};

describe("A/A runs", () => {
  test.each(["5 % flaky", "half flaky", "all flaky"])(
    "%s: worse at most at half of alpha, the gate at alpha",
    (name) => {
      const one = mixture(name);
      const found = simulate(unchanged(one), meanRate(one), 40, 3, 600);
      expect(found.worse).toBeLessThanOrEqual(0.035);
      expect(found.covered).toBeGreaterThanOrEqual(0.93);
      expect(gateFails(one, 20, 3, 150)).toBeLessThanOrEqual(0.06);
    },
  );
  test("stable cases are the same only where there are enough of them", () => {
    const stable = mixture("all stable");
    expect(simulate(unchanged(stable), 1, 20, 3, 20)).toMatchObject({
      same: 0,
      unsure: 1,
      covered: 1,
      armCovered: 1,
    });
    expect(simulate(unchanged(stable), 1, 40, 3, 20)).toMatchObject({ same: 1, covered: 1 });
  });
});

test("a loss of exactly the margin is hardly ever called the same, and intervals cover it", () => {
  const half = mixture("half flaky");
  for (const population of [someBroke(half, 0.1), allWorse(half, 0.1)]) {
    const found = simulate(population, 0, 40, 3, 600);
    expect(found.same).toBeLessThanOrEqual(0.05);
    expect(found.covered).toBeGreaterThanOrEqual(0.93);
  }
});

test("plan keeps its promise: a drop is found at the size it names", () => {
  const found = powerAtPlan(mixture("20 % flaky"), 0.2, 3, 300);
  expect(found.broke).toBeGreaterThanOrEqual(0.76);
  expect(found.spread).toBeGreaterThanOrEqual(0.76);
});

describe("stopping early", () => {
  const flaky = mixture("all flaky");
  test("keeps its level under A/A where the naive way does not", () => {
    expect(stopping(ours, "ours", unchanged(flaky), 80, 3, 150).worse).toBeLessThanOrEqual(0.04);
    expect(stopping(naive, "naive", unchanged(flaky), 80, 3, 150).worse).toBeGreaterThan(0.08);
  });
  test("saves cases where the drop is large", () => {
    const found = stopping(ours, "ours", someBroke(flaky, 0.3), 80, 3, 60);
    expect(found.worse).toBeGreaterThan(0.95);
    expect(found.cases).toBeLessThan(0.65);
  });
});
