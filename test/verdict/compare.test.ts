import { describe, expect, test } from "vitest";
import { whatSettles } from "../../src/core/compare/settle.ts";
import { compareMetric } from "../../src/core/compare/compare-metric.ts";
import { indexScores, pairCases } from "../../src/core/compare/pairs.ts";
import { sentenceOf } from "../../src/core/compare/sentence.ts";
import type { Metric } from "../../src/core/nouns/score.ts";
import type { TrialRow } from "../../src/core/summary/rows.ts";
import { cases, row, rowsOf } from "./results.ts";

const compare = (rows: readonly TrialRow[], metric: Metric = "taskCompletion") =>
  compareMetric(metric, pairCases(indexScores(rows), metric), { margin: 0.1, alpha: 0.05, seed: 1 });

/** d = .25, .5, −.25, 0, .75, .25, .5, 0 from four trials a case. */
const EIGHT = [
  ["1000", "1100"],
  ["1000", "1110"],
  ["1100", "1000"],
  ["1100", "1100"],
  ["0000", "1110"],
  ["1100", "1110"],
  ["1000", "1110"],
  ["1111", "1111"],
].flatMap(([before = "", after = ""], at) => rowsOf(`c${at}`, before, after));

describe("paired by case", () => {
  test("difference, standard error, t interval and exact p of trusted values", () => {
    const found = compare(EIGHT);
    expect(found.difference).toBe(0.25);
    expect(found.se).toBeCloseTo(0.115728, 6);
    expect(found.low).toBeCloseTo(0.25 - 2.364624 * 0.115728, 5);
    expect(found.high).toBeCloseTo(0.25 + 2.364624 * 0.115728, 5);
    expect(found.p).toBe(0.125);
    expect(found.method).toBe("paired t, exact sign flip");
    expect(found.cases).toBe(8);
  });
  test("one trial a case: Tango's interval and McNemar's mid-p", () => {
    const rows = [
      ...cases(20, "1", "1", "both"),
      ...cases(2, "1", "0", "lost"),
      ...cases(12, "0", "1", "won"),
      ...cases(16, "0", "0", "none"),
    ];
    const found = compare(rows);
    expect(found.difference).toBeCloseTo(0.2, 12);
    expect(found.low).toBeCloseTo(0.061112, 5);
    expect(found.high).toBeCloseTo(0.344709, 5);
    expect(found.p).toBeCloseTo(0.0073853, 6);
    expect(found.verdict).toBe("better");
    expect(found.failToPass).toHaveLength(12);
    expect(found.passToFail).toEqual(["lost0", "lost1"]);
  });
  test("swapping the arms turns everything around", () => {
    const swapped = EIGHT.map((one) => ({
      ...one,
      arm: one.arm === "baseline" ? ("candidate" as const) : ("baseline" as const),
    }));
    const [there, back] = [compare(EIGHT), compare(swapped)];
    expect(back.difference).toBeCloseTo(-(there.difference ?? 0), 12);
    expect(back.low).toBeCloseTo(-(there.high ?? 0), 12);
    expect(back.p).toBe(there.p);
    expect(back.passToFail).toEqual(there.failToPass);
  });
  test("unequal trials: each case counts once, and the test stays exact", () => {
    const rows = [...rowsOf("a", "110", "10"), ...rowsOf("b", "1", "11111"), ...rowsOf("c", "10", "1x1")];
    const found = compare(rows);
    expect(found.difference).toBeCloseTo((0.5 - 2 / 3 + 0 + 0.5) / 3, 12);
    expect(found.method).toContain("exact sign flip");
  });
});

describe("edges", () => {
  test("no case in both arms: nothing is said, and that is said", () => {
    const found = compare([row("a", "baseline", 1, { taskCompletion: 1 })]);
    expect(found).toMatchObject({ difference: null, low: null, high: null, se: null, p: null, cases: 0 });
    expect(found.verdict).toBe("unsure");
    expect(found.notes).toEqual([
      "no case has a score in both arms",
      "scored in the baseline only, so not compared: a",
    ]);
  });
  test("one case: no interval, unsure, whatever happened to it", () => {
    expect(compare(rowsOf("a", "111", "000"))).toMatchObject({
      low: null,
      high: null,
      se: null,
      verdict: "unsure",
    });
  });
  test.each(["1", "111", "0", "000"])("five cases of %s on both sides are not the same yet", (trials) => {
    const found = compare(cases(5, trials, trials));
    expect(found.difference).toBe(0);
    expect(found.low).toBeCloseTo(-0.434482, 5);
    expect(found.high).toBeCloseTo(0.434482, 5);
    expect(found.verdict).toBe("unsure");
    expect(found.sentence).toContain("About 35 cases in all (30 more)");
  });
  test("same is earned from 35 equal cases on at a margin of 0.1, not before", () => {
    expect(compare(cases(34, "111", "111")).verdict).toBe("unsure");
    expect(compare(cases(35, "111", "111")).verdict).toBe("same");
  });
  test("the same loss in every case is no certainty of zero width", () => {
    const found = compare(cases(10, "111", "110"));
    expect(found.difference).toBeCloseTo(-1 / 3, 12);
    expect((found.high ?? 0) - (found.low ?? 0)).toBeGreaterThan(0.3);
    expect(found.p).toBeCloseTo(2 / 1024, 12);
    expect(found.verdict).toBe("worse");
  });
  test("everything lost in every case is worse, within −1", () => {
    const found = compare(cases(20, "111", "000"));
    expect(found.verdict).toBe("worse");
    expect(found.low).toBe(-1);
    expect(found.high).toBeLessThan(-0.6);
  });
  test("a t interval that the exact test does not back reaches 0", () => {
    // Four of four changed cases fell: t says p = 0.03, the exact test 0.125.
    const found = compare([...cases(16, "111", "111"), ...cases(4, "111", "011", "d")]);
    expect(found.p).toBe(0.125);
    expect(found.high).toBeGreaterThanOrEqual(0);
    expect(found.verdict).toBe("unsure");
  });
  test("broken trials have no score: a case broken in one arm is not compared", () => {
    const found = compare([...rowsOf("a", "111", "xxx"), ...rowsOf("b", "111", "11x")]);
    expect(found.cases).toBe(1);
    expect(found.notes.join()).toContain("scored in the baseline only, so not compared: a");
  });
});

test("what is shown as zero has no sign and is no rise or fall", () => {
  const words = sentenceOf({
    ...{ metric: "taskCompletion", difference: -0.0003, interval: { low: -0.0003, high: 0.207 } },
    ...{ alpha: 0.05, cases: 9, verdict: "same", margin: 0.1, settle: { cases: null, trials: null } },
  });
  expect(words).toContain("changed by less than 0.1 points over 9 cases (95 % interval 0.0 to +20.7)");
});

describe("less is better", () => {
  const turns = (changes: readonly number[]): TrialRow[] =>
    changes.flatMap((more, at) => [
      row(`c${at}`, "baseline", 1, { turns: 4 }),
      row(`c${at}`, "candidate", 1, { turns: 4 + more }),
    ]);
  test("more turns are worse", () => {
    const found = compare(turns([1, 2, 1, 2, 1, 2, 1, 2]), "turns");
    expect(found.difference).toBe(1.5);
    expect(found.verdict).toBe("worse");
    expect(found.sentence).toContain("rose by 1.50 (less is better)");
    expect(found.passToFail).toEqual([]);
  });
  test("within a tenth of the baseline's mean they are the same", () => {
    const found = compare(
      turns(Array.from({ length: 40 }, (_, at) => (at % 8 === 0 ? (at % 16) / 8 - 0.5 : 0))),
      "turns",
    );
    expect(found.verdict).toBe("same");
  });
  test("constant turns: no interval of zero width, same only with many cases", () => {
    expect(compare(turns([0, 0, 0]), "turns")).toMatchObject({ difference: 0, low: null, verdict: "unsure" });
    expect(compare(turns(new Array(40).fill(0)), "turns")).toMatchObject({ low: null, verdict: "same" });
    expect(compare(turns(new Array(40).fill(1)), "turns")).toMatchObject({ low: null, verdict: "worse" });
  });
});

test("variance is split into what more trials can and cannot take away", () => {
  const found = compare(EIGHT);
  expect(found.betweenVariance).toBeGreaterThanOrEqual(0);
  expect(found.withinVariance).toBeGreaterThan(0);
  expect(compare(cases(6, "1", "0")).withinVariance).toBeNull();
});

test("the number of cases that settles holds at Student's t of that number, and not one case earlier", () => {
  const input = { cases: 5, margin: 0.1, toward: 0.2, alpha: 0.05, share: false };
  const settled = whatSettles({
    ...input,
    observed: { total: 0.9, between: null, within: null, parts: null, trials: 3 },
  });
  // t² · 0.9 / 0.3²: 40.85 at 40 degrees of freedom, 40.91 at 39; the normal quantile would say 39.
  expect(settled.cases).toBe(41);
});
