import { describe, expect, test } from "vitest";
import { bcaInterval, bcaOf } from "../../src/core/stats/bca.ts";
import { bet, START } from "../../src/core/stats/betting.ts";
import { chanceOfBetter } from "../../src/core/stats/beta-posterior.ts";
import { bonettPrice } from "../../src/core/stats/bonett-price.ts";
import { clusteredSe } from "../../src/core/stats/clustered.ts";
import {
  mixtureE,
  mixtureEOneSided,
  normalMixtureE,
  normalMixtureHalfWidth,
} from "../../src/core/stats/e-values.ts";
import { boundaryConstant, crossing } from "../../src/core/stats/group-sequential.ts";
import { mcNemar } from "../../src/core/stats/mcnemar.ts";
import { randomFrom } from "../../src/core/stats/random.ts";
import { sprt } from "../../src/core/stats/sprt.ts";
import { varianceSplit } from "../../src/core/stats/variance-split.ts";

test("clustered standard errors", () => {
  const cases = [
    [1, 1],
    [0, 1],
    [0, 0],
  ];
  expect(
    clusteredSe(
      cases.flat().map((value) => [value]),
      true,
    ),
  ).toBeCloseTo(0.223607, 6);
  expect(clusteredSe(cases, false)).toBeCloseTo(0.235702, 6);
  expect(clusteredSe(cases, true)).toBeCloseTo(0.288675, 6);
});

test("variance split of the same cases, by hand", () => {
  // Means 1, 0.5, 0: MSB = 2 · 0.25 = 0.5; MSW = 0.5 / 3.
  const split = varianceSplit([
    [1, 1],
    [0, 1],
    [0, 0],
  ]);
  expect(split?.within).toBeCloseTo(1 / 6, 12);
  expect(split?.between).toBeCloseTo((0.5 - 1 / 6) / 2, 12);
  expect(split?.icc).toBeCloseTo(0.5, 12);
  expect(split?.designEffect).toBeCloseTo(1.5, 12);
});

test("Agresti's table: corrected and plain chi-square of McNemar", () => {
  expect(mcNemar(150, 86).asymptotic).toBeCloseTo(3.098e-5, 7);
  expect(mcNemar(150, 86).corrected).toBeCloseTo(4.115e-5, 7);
});

test("Bonett and Price", () => {
  const found = bonettPrice({ first: 1, second: 7, n: 21 }, 0.05);
  expect(found.centre).toBeCloseTo(-0.26087, 6);
  expect(found.low).toBeCloseTo(-0.508359, 6);
  expect(found.high).toBeCloseTo(-0.01338, 6);
});

test("posterior chance of better", () => {
  expect(chanceOfBetter(13, 4)).toBeCloseTo(0.984558, 6);
  expect(chanceOfBetter(12, 2)).toBeCloseTo(0.996307, 6);
});

describe("BCa", () => {
  const values = [0.1, 0.35, -0.05, 0.62, 0.27, 0];
  const all = Array.from({ length: 6 ** 6 }, (_, code) => {
    let total = 0;
    for (let rest = code, at = 0; at < 6; at += 1, rest = Math.floor(rest / 6))
      total += values[rest % 6] ?? 0;
    return total / 6;
  });
  test("all 46,656 resamples of six cases", () => {
    const strict = bcaOf(values, all, 0.05, "strict");
    expect(strict.acceleration).toBeCloseTo(0.0367635, 7);
    expect(strict.bias).toBeCloseTo(0.0166558, 6);
    expect(strict.interval.low).toBeCloseTo(0.053333, 5);
    expect(strict.interval.high).toBeCloseTo(0.426667, 5);
    const mid = bcaOf(values, all, 0.05, "mid");
    expect(mid.bias).toBeCloseTo(0.0464895, 6);
    expect(mid.interval.low).toBeCloseTo(0.058333, 5);
    expect(mid.interval.high).toBeCloseTo(0.43, 5);
  });
  test("Darwin's pairs, within the sampling error of 20,000 draws", () => {
    const darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
    const found = bcaInterval(darwin, 20_000, randomFrom(3), 0.05);
    expect(Math.abs((found?.low ?? 0) + 1.6)).toBeLessThan(1);
    expect(Math.abs((found?.high ?? 0) - 36.3)).toBeLessThan(1);
  });
  test("equal values give the point, no values nothing", () => {
    expect(bcaInterval([1, 1, 1], 100, randomFrom(1), 0.05)).toEqual({ low: 1, high: 1 });
    expect(bcaInterval([], 100, randomFrom(1), 0.05)).toBeNull();
  });
});

describe("sequential", () => {
  test.each([
    [6, 0, 9.1429],
    [7, 0, 16],
    [8, 0, 28.4444],
    [10, 1, 15.5152],
    [11, 1, 26.2564],
    [13, 4, 3.0596],
    [28, 9, 29.0732],
    [10, 10, 0.2703],
  ])("uniform mixture %d to %d", (wins, losses, e) => expect(mixtureE(wins, losses)).toBeCloseTo(e, 4));
  test("one-sided mixture", () => {
    expect(mixtureEOneSided(7, 0)).toBeCloseTo(31.875, 4);
    expect(mixtureEOneSided(13, 4)).toBeCloseTo(6.0246, 4);
  });
  test("normal mixture", () => {
    expect(normalMixtureE(100, 0.1, 0, 0.15, 0.01)).toBeCloseTo(6.554224, 6);
    expect(normalMixtureHalfWidth(100, 0.15, 0.01, 0.05)).toBeCloseTo(0.117681, 6);
  });
  test("Wald's test", () => {
    const test = sprt(0.5, 0.75, 0.05, 0.05);
    expect(test.upper).toBeCloseTo(2.944439, 6);
    expect(test.lower).toBeCloseTo(-2.944439, 6);
    expect(test.pass).toBeCloseTo(0.405465, 6);
    expect(test.fail).toBeCloseTo(-Math.LN2, 6);
    expect(test.expected.p1).toBeCloseTo(20.26, 2);
    expect(test.expected.p0).toBeCloseTo(18.42, 2);
    expect(test.fixed).toBeCloseTo(37.68, 2);
  });
  test.each([
    [2, 8.3],
    [3, 10.7],
    [4, 12.6],
    [5, 14.2],
    [10, 19.3],
    [20, 24.8],
  ])("looking %d times at 5 %% errs in %d %%", (looks, percent) => {
    expect(crossing(1.959964, "pocock", looks) * 100).toBeCloseTo(percent, 1);
  });
  test.each([
    [2, 2.178, 1.977],
    [3, 2.289, 2.004],
    [4, 2.361, 2.024],
    [5, 2.413, 2.04],
  ])("boundaries of %d looks", (looks, pocock, fleming) => {
    expect(Math.abs(boundaryConstant(looks, 0.05, "pocock") - pocock)).toBeLessThan(0.0006);
    expect(Math.abs(boundaryConstant(looks, 0.05, "obrien-fleming") - fleming)).toBeLessThan(0.0006);
  });
  test("betting: the first bet by hand, and a fair game rarely pays twentyfold", () => {
    const m = 0.45;
    const lambda = 0.05 / (0.25 + 0.0025);
    expect(bet(START, 1, 0.1).logWealth).toBeCloseTo(Math.log(1 + lambda * (1 - m)), 12);
    const random = randomFrom(5);
    const wealth = Array.from({ length: 4000 }, () => {
      let state = START;
      // d = −1 with chance 0.55, +1 with 0.45: mean −0.1, the edge of the hypothesis.
      for (let at = 0; at < 30; at += 1) state = bet(state, random() < 0.45 ? 1 : -1, 0.1);
      return state.logWealth;
    });
    expect(wealth.filter((log) => log >= Math.log(20)).length / wealth.length).toBeLessThan(0.05);
  });
});
