import fc from "fast-check";
import { expect, test } from "vitest";
import { METRICS } from "../../src/core/nouns/score.ts";
import { Summary } from "../../src/core/nouns/summary.ts";
import { fisherLess } from "../../src/core/stats/fisher.ts";
import { holm } from "../../src/core/stats/holm.ts";
import { mcNemar } from "../../src/core/stats/mcnemar.ts";
import { newcombePaired } from "../../src/core/stats/newcombe.ts";
import { randomFrom } from "../../src/core/stats/random.ts";
import { signFlip } from "../../src/core/stats/sign-flip.ts";
import { tangoInterval } from "../../src/core/stats/tango.ts";
import { wilson } from "../../src/core/stats/wilson.ts";
import type { TrialRow } from "../../src/core/summary/rows.ts";
import { summarise } from "../../src/core/summary/summarise.ts";
import { plan } from "./results.ts";

const share = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const count = fc.double({ min: 0, max: 1e6, noNaN: true });
const rows: fc.Arbitrary<TrialRow[]> = fc
  .uniqueArray(
    fc.record({
      case: fc.constantFrom(..."abcdefghijkl"),
      arm: fc.constantFrom("baseline" as const, "candidate" as const),
      trial: fc.integer({ min: 1, max: 5 }),
      status: fc.constantFrom(
        "finished" as const,
        "finished" as const,
        "stopped" as const,
        "broken" as const,
      ),
      scores: fc.record(
        {
          toolCallAccuracy: fc.constantFrom(0, 1),
          taskCompletion: share,
          toolCallF1: share,
          turns: count,
          cost: count,
        },
        { requiredKeys: [] },
      ),
      tokens: fc.option(fc.record({ prompt: fc.nat(), cached: fc.nat(), completion: fc.nat() })),
      cost: fc.option(count),
      brokenKind: fc.constant(null),
    }),
    { selector: (row) => `${row.case} ${row.arm} ${row.trial}`, maxLength: 80 },
  )
  .map((all) => all.map((row) => (row.status === "broken" ? { ...row, scores: {} } : row)));

/** Every number of a value that JSON would lose. */
function lost(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (value === undefined) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(lost);
}

test("a summary of anything holds every key, no NaN, ordered intervals, p in [0, 1], and is never green by accident", () => {
  fc.assert(
    fc.property(rows, (all) => {
      const summary = summarise(plan({}, { maxCostIncrease: 0.2 }), all);
      expect(lost(summary)).toBe(false);
      expect(Summary.parse(JSON.parse(JSON.stringify(summary)))).toEqual(summary);
      for (const one of summary.comparisons) {
        if (one.low !== null && one.high !== null && one.difference !== null) {
          expect(one.low).toBeLessThanOrEqual(one.difference + 1e-9);
          expect(one.high).toBeGreaterThanOrEqual(one.difference - 1e-9);
          expect(one.high).toBeGreaterThan(one.low);
        }
        if (one.p !== null) expect(one.p >= 0 && one.p <= 1).toBe(true);
        if (one.verdict === "worse" || one.verdict === "better") expect(one.p).toBeLessThanOrEqual(0.05);
      }
      for (const arm of [summary.arms.baseline, summary.arms.candidate]) {
        for (const metric of METRICS) {
          const { mean, low, high } = arm?.metrics[metric] ?? { mean: null, low: null, high: null };
          if (mean === null || low === null || high === null) continue;
          expect(low).toBeLessThanOrEqual(mean + 1e-9);
          expect(high).toBeGreaterThanOrEqual(mean - 1e-9);
        }
      }
      // Twelve cases can never show that nothing got worse by more than 0.1 unless they differ.
      if (summary.gate.verdict === "passed") {
        const gated = summary.comparisons.filter(({ pAdjusted }) => pAdjusted !== null);
        expect(gated.length).toBeGreaterThan(0);
        expect(gated.every(({ verdict }) => verdict === "same" || verdict === "better")).toBe(true);
      }
      expect(summary.gate.exitCode === 0).toBe(summary.gate.verdict === "passed");
    }),
    { numRuns: 300 },
  );
});

test("swapping the arms mirrors every share's comparison", () => {
  fc.assert(
    fc.property(rows, (all) => {
      const swapped = all.map((row) => ({
        ...row,
        arm: row.arm === "baseline" ? ("candidate" as const) : ("baseline" as const),
      }));
      const there = summarise(plan(), all).comparisons;
      const back = summarise(plan(), swapped).comparisons;
      there.forEach((one, at) => {
        const other = back[at];
        expect(other?.cases).toBe(one.cases);
        if (one.difference === null || one.low === null) return;
        expect(other?.difference).toBeCloseTo(-one.difference, 8);
        expect(other?.high).toBeCloseTo(-one.low, 5);
      });
    }),
    { numRuns: 100 },
  );
});

test("a summary does not depend on the order of the rows", () => {
  fc.assert(
    fc.property(rows, (all) => {
      expect(summarise(plan(), [...all].reverse()).gate.verdict).toBe(summarise(plan(), all).gate.verdict);
    }),
    { numRuns: 50 },
  );
});

test("tests and intervals stay in their ranges", () => {
  const n = fc.integer({ min: 0, max: 40 });
  fc.assert(
    fc.property(n, n, n, n, (both, first, second, none) => {
      const all = both + first + second + none;
      const found = mcNemar(first, second);
      for (const p of Object.values(found)) expect(p >= 0 && p <= 1).toBe(true);
      expect(found.mid).toBeLessThanOrEqual(found.exact);
      expect(mcNemar(second, first).mid).toBeCloseTo(found.mid, 12);
      const p = fisherLess(both, both + first, second, second + none);
      expect(p >= 0 && p <= 1).toBe(true);
      if (all === 0) return;
      const difference = (first - second) / all;
      const table = { both, first, second, none };
      for (const { low, high } of [
        newcombePaired(table, 0.05),
        tangoInterval({ first, second, n: all }, 0.05),
      ]) {
        expect(low).toBeLessThanOrEqual(difference + 1e-9);
        expect(high).toBeGreaterThanOrEqual(difference - 1e-9);
        expect(high).toBeGreaterThan(low);
        expect(low >= -1 - 1e-9 && high <= 1 + 1e-9).toBe(true);
      }
      const rate = wilson(both / all, all, 0.05);
      expect(rate.low >= 0 && rate.high <= 1 && rate.high > rate.low).toBe(true);
    }),
  );
});

test("the sign flip is the same by convolution and by going through every sign", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -4, max: 4 }), { maxLength: 9 }), (whole) => {
      const sums = whole.reduce<number[]>(
        (so, d) => so.flatMap((s) => [s + Math.abs(d), s - Math.abs(d)]),
        [0],
      );
      const observed = whole.reduce((so, d) => so + d, 0);
      const p = sums.filter((s) => Math.abs(s) >= Math.abs(observed)).length / sums.length;
      const found = signFlip(
        whole.map((d) => d / 4),
        4,
        randomFrom(1),
      );
      expect(found.exact).toBe(true);
      expect(found.p).toBeCloseTo(p, 12);
    }),
  );
});

test("Holm never lowers a p, keeps the order, and stays below Bonferroni", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), (ps) => {
      holm(ps).forEach((adjusted, at) => {
        const p = ps[at] ?? 0;
        expect(adjusted).toBeGreaterThanOrEqual(p);
        expect(adjusted).toBeLessThanOrEqual(Math.min(1, p * ps.length) + 1e-12);
        ps.forEach((other, index) => {
          if (other < p) expect(holm(ps)[index]).toBeLessThanOrEqual(adjusted);
        });
      });
    }),
  );
});

test("random numbers: the same seed gives the same, and they spread evenly", () => {
  const draw = (seed: number) => {
    const random = randomFrom(seed);
    return Array.from({ length: 20_000 }, random);
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  const tenths = new Array(10).fill(0);
  for (const value of draw(1)) tenths[Math.floor(value * 10)] += 1;
  for (const tenth of tenths) expect(Math.abs(tenth - 2000)).toBeLessThan(200);
});
