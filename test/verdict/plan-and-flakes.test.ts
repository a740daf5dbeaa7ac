import { describe, expect, test } from "vitest";
import { LedgerBuilder } from "../../src/core/flakes/ledger.ts";
import { ledgerText } from "../../src/core/flakes/report.ts";
import { importedLine } from "../../src/core/import/import-record.ts";
import type { TrialLine } from "../../src/core/nouns/run.ts";
import { ASSUMED_NOISE, casesForDrop, casesForSame, smallestDrop } from "../../src/core/plan/design.ts";
import { noiseSeen, usageSeen } from "../../src/core/plan/seen.ts";
import { reckonRun } from "../../src/core/plan/usage.ts";
import { cases } from "./results.ts";

const question = { noise: ASSUMED_NOISE, alpha: 0.05, power: 0.8 };
const silent = { noise: { baseline: 0, candidate: 0, from: "run" as const }, alpha: 0.05, power: 0.8 };

describe("design", () => {
  test("cases for a drop by hand: (1.95996 + 0.84162)² (δ(1 − δ) + 2 · 0.0985 / 3) / δ²", () => {
    expect(casesForDrop(0.1, 3, question)).toBe(Math.ceil((7.8489 * (0.09 + 0.197 / 3)) / 0.01));
  });
  test("without noise the exact test sets the limit: six broken cases must be likely", () => {
    expect(casesForDrop(0.1, 3, silent)).toBe(78);
  });
  test("the smallest drop and the cases for it are each other's inverse", () => {
    const drop = smallestDrop(123, 3, question) ?? 0;
    expect(casesForDrop(drop, 3, question)).toBeLessThanOrEqual(123);
    expect(casesForDrop(drop - 0.003, 3, question)).toBeGreaterThan(123);
    expect(smallestDrop(5, 3, question)).toBeNull();
  });
  test("more trials never cost cases; a wider margin needs fewer", () => {
    expect(casesForDrop(0.1, 10, question)).toBeLessThan(casesForDrop(0.1, 1, question));
    expect(casesForSame(0.1, 3, silent)).toBe(35);
    expect(casesForSame(0.05, 3, silent)).toBe(73);
  });
});

describe("usage", () => {
  const known = new Map([
    ["a", { calls: 2, prompt: 1000, cached: 400, completion: 100 }],
    ["b", { calls: 4, prompt: 3000, cached: 0, completion: 300 }],
  ]);
  test("trials × calls × tokens × money, in both arms", () => {
    const found = reckonRun(["a", "b"], 3, known, { prompt: 2, cached: 1, completion: 10 });
    expect(found).toMatchObject({
      trials: 12,
      calls: 36,
      prompt: 24_000,
      cached: 2400,
      completion: 2400,
      guessed: [],
    });
    expect(found.cost).toBeCloseTo((21_600 * 2 + 2400 * 1 + 2400 * 10) / 1e6, 12);
  });
  test("an unknown case is reckoned as the mean and named; nothing known stays unknown", () => {
    const found = reckonRun(["a", "b", "new"], 1, known, null);
    expect(found).toMatchObject({ calls: 18, guessed: ["new"], cost: null });
    expect(reckonRun(["x"], 3, new Map(), null)).toMatchObject({
      trials: 6,
      calls: null,
      prompt: null,
      cost: null,
    });
  });
  test("what was seen in a run", () => {
    const rows = cases(4, "110", "111").map((row) => ({
      ...row,
      scores: { ...row.scores, turns: 3 },
      tokens: { prompt: 10, cached: 5, completion: 1 },
    }));
    expect(usageSeen(rows).get("c0")).toEqual({ calls: 3, prompt: 10, cached: 5, completion: 1 });
    const noise = noiseSeen(rows, ["taskCompletion"]);
    expect(noise.baseline).toBeCloseTo(1 / 3, 12);
    expect(noise).toMatchObject({ candidate: 0, from: "run" });
    expect(noiseSeen(cases(4, "1", "1"), ["taskCompletion"])).toEqual(ASSUMED_NOISE);
  });
});

describe("flakes", () => {
  const line = (
    id: string,
    arm: "baseline" | "candidate",
    trial: number,
    value: number,
    check = "answer",
  ): TrialLine => {
    const plain = importedLine({ case: id, arm, trial, status: "finished", scores: {}, line: 1 }, "");
    return {
      ...plain,
      scores: {
        taskCompletion: { status: "scored", value, evidence: [{ check, passed: value === 1, detail: "" }] },
      },
    };
  };
  const ledger = () => {
    const builder = new LedgerBuilder();
    for (const run of ["r1", "r2"]) {
      for (const trial of [1, 2, 3]) {
        builder.add(run, line("steady", "baseline", trial, 1));
        builder.add(run, line("never", "baseline", trial, 0));
        builder.add(run, line("wavers", "baseline", trial, trial === 1 ? 0 : 1));
      }
      // All pass in one arm, all fail in the other: a change, not a flake.
      for (const trial of [1, 2]) {
        builder.add(run, line("changed", "baseline", trial, 1));
        builder.add(run, line("changed", "candidate", trial, 0));
      }
      builder.add(run, line("once", "baseline", 1, 1));
    }
    return builder.finish(5);
  };
  test("a case is flaky within a run and arm, not across versions", () => {
    const states = Object.fromEntries(ledger().cases.map(({ id, state }) => [id, state]));
    expect(states).toEqual({
      changed: "stable",
      never: "stable",
      once: "unknown",
      steady: "stable",
      wavers: "flaky",
    });
    expect(ledger().cases.find(({ id }) => id === "wavers")).toMatchObject({
      groups: 2,
      wavering: 2,
      trials: 6,
      passes: 4,
    });
  });
  test("assertions that never failed or never passed are named once seen often enough", () => {
    expect(ledger().neverFailed.map((one) => one.case)).toEqual(["steady"]);
    expect(ledger().neverPassed.map((one) => one.case)).toEqual(["never"]);
  });
  test("a recording counts once, however many runs replay it and in whatever order they are read", () => {
    const of = (replies: TrialLine["replies"], trial: number): TrialLine => ({
      ...line("wavers", "baseline", trial, trial === 1 ? 0 : 1),
      replies,
    });
    const seen = (...runs: readonly TrialLine["replies"][]) => {
      const builder = new LedgerBuilder();
      for (const [run, replies] of runs.entries())
        for (const trial of [1, 2, 3]) builder.add(`r${run}`, of(replies, trial), `recording of ${trial}`);
      const found = builder.finish(1);
      const [{ trials = 0, groups = 0 } = {}] = found.cases;
      return { copies: found.copies, trials, groups };
    };
    expect(seen("live", "replayed", "replayed")).toEqual({ copies: 6, trials: 3, groups: 1 });
    expect(seen("replayed", "live", "replayed")).toEqual({ copies: 6, trials: 3, groups: 1 });
    expect(seen("replayed", "replayed")).toEqual({ copies: 3, trials: 3, groups: 1 });
    expect(seen("live", "live")).toEqual({ copies: 0, trials: 6, groups: 2 });
  });
  test("as text", () => {
    const text = ledgerText(ledger());
    expect(text).toContain("5 cases over 2 runs: 1 flaky, 1 never repeated in a run");
    expect(text).toContain("wavers: wavered in 2 of 2, 4 of 6 trials passed");
    expect(text).toContain("steady: answer (6 times)");
  });
});
