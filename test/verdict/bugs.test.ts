import { describe, expect, test } from "vitest";
import { importRecord } from "../../src/core/import/import-record.ts";
import { parseResults } from "../../src/core/import/parse-results.ts";
import { passAtK, passHatK } from "../../src/core/stats/pass-k.ts";
import { estimateOf } from "../../src/core/summary/estimate.ts";
import { metricRows } from "../../src/core/report/rows.ts";
import { summarise } from "../../src/core/summary/summarise.ts";
import { shareText } from "../../src/core/text/figures.ts";
import { cases, plan, row, rowsOf } from "./results.ts";

/** Faults of such tools in the field, as imported results; each is impossible here. */

/** A results text turned into rows, as `evalkit import` does. */
function imported(lines: readonly unknown[]) {
  const { rows, problems } = parseResults("r.jsonl", lines.map((line) => JSON.stringify(line)).join("\n"));
  expect(problems).toEqual([]);
  const record = importRecord(rows, {
    ...{ runId: "r", at: "", evalkit: "", node: "", seed: 1, settings: [], source: "r.jsonl" },
    policy: plan().policy,
  });
  return summarise(
    record,
    rows.map((each) => ({ ...each, tokens: null, cost: null, brokenKind: null })),
  );
}

describe("mean of no scores", () => {
  test("no results at all: nulls, undecided, never 0 %", () => {
    const summary = summarise(plan(), []);
    expect(summary.arms.candidate?.metrics.taskCompletion).toEqual({
      mean: null,
      low: null,
      high: null,
      cases: 0,
    });
    expect(summary.gate).toMatchObject({ verdict: "undecided", exitCode: 3 });
  });
  test("a case whose trials all broke has no score and no zero", () => {
    const summary = summarise(plan(), [...rowsOf("a", "111", "xxx"), ...rowsOf("b", "111", "111")]);
    expect(summary.cases[0]?.candidate).toEqual({
      trials: 3,
      broken: 3,
      toolCallAccuracy: null,
      taskCompletion: null,
      turns: null,
      notScored: null,
    });
    expect(summary.arms.candidate?.metrics.taskCompletion.cases).toBe(1);
    expect(summary.gate.exitCode).not.toBe(0);
  });
});

test("all but one broken: the score of one trial is not 100 % of twenty", () => {
  const lines = (arm: string) =>
    Array.from({ length: 20 }, (_, at) => ({
      ...{ case: `c${at}`, arm, trial: 1 },
      ...(at === 0 ? { taskCompletion: 1 } : { status: "broken" }),
    }));
  for (const arms of [["candidate"], ["baseline", "candidate"]]) {
    const { gate } = imported(arms.flatMap(lines));
    expect(gate).toMatchObject({ verdict: "undecided", exitCode: 3 });
    expect(gate.reasons[0]?.message).toContain("1 of 20 planned trials ended (5.0 %)");
  }
});

test("a failing case dropped from the new run is no gain", () => {
  const { gate, comparisons } = imported([
    { case: "a", arm: "baseline", trial: 1, taskCompletion: 1 },
    { case: "b", arm: "baseline", trial: 1, taskCompletion: 0 },
    { case: "c", arm: "baseline", trial: 1, taskCompletion: 1 },
    { case: "a", arm: "candidate", trial: 1, taskCompletion: 1 },
    { case: "c", arm: "candidate", trial: 1, taskCompletion: 1 },
  ]);
  expect(comparisons.find(({ metric }) => metric === "taskCompletion")).toMatchObject({
    cases: 2,
    difference: 0,
  });
  expect(gate).toMatchObject({ verdict: "failed", exitCode: 1 });
  expect(gate.reasons[0]).toMatchObject({ code: "cases-removed", cases: ["b"] });
});

test("pass@k below k trials is not defined, and 0 passes are never more than 0", () => {
  expect([passAtK(2, 0, 5), passHatK(2, 0, 5)]).toEqual([null, null]);
  const { arms } = imported([
    { case: "c", arm: "candidate", trial: 1, taskCompletion: 0 },
    { case: "c", arm: "candidate", trial: 2, taskCompletion: 0 },
    ...[1, 2, 3, 4, 5].map((trial) => ({ case: "d", arm: "candidate", trial, taskCompletion: 0 })),
  ]);
  expect(arms.candidate?.passAtK).toEqual({ 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 });
});

describe("certain rates are not certain", () => {
  test.each([
    [5, 1, 0.5655, 1],
    [5, 0, 0, 0.4345],
    [50, 1, 0.92865, 1],
  ])("%d of the same %d", (n, value, low, high) => {
    const found = estimateOf(new Array(n).fill([value]), true, 0.05);
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
    expect(estimateOf(new Array(n).fill([value, value, value]), true, 0.05)).toEqual(found);
  });
  test("five of five trials of a single case are the rate of that case: 57 to 100 %", () => {
    expect(estimateOf([[1, 1, 1, 1, 1]], true, 0.05).low).toBeCloseTo(0.5655, 3);
  });
  test("one wavering case among twenty keeps a wide interval too", () => {
    const found = estimateOf([...new Array(19).fill([1, 1, 1]), [1, 1, 0]], true, 0.05);
    expect(found.low).toBeLessThan(0.83);
    expect(found.high).toBe(1);
  });
  test("the gate does not pass on five cases alone", () => {
    expect(summarise(plan(), cases(5, "11111", "11111")).gate.exitCode).toBe(3);
  });
});

test("all cases failing everywhere is no pass", () => {
  expect(summarise(plan(), cases(5, "000", "000")).gate.exitCode).toBe(3);
});

test("a metric that no trial has is left out, not 0 or 1", () => {
  const summary = summarise(plan(), [
    row("a", "baseline", 1, { turns: 2 }),
    row("a", "candidate", 1, { turns: 3 }),
  ]);
  expect(summary.arms.baseline?.metrics.toolCallAccuracy.mean).toBeNull();
  expect(summary.arms.baseline?.passHatK["1"]).toBeNull();
  expect(summary.gate.verdict).toBe("undecided");
});

describe("scores that one version lacks are no gain", () => {
  const suite = (candidate: (at: number, trial: number) => object) =>
    Array.from({ length: 60 }, (_, at) => at).flatMap((at) =>
      [1, 2].flatMap((trial) => [
        { case: `c${at}`, arm: "baseline", trial, taskCompletion: 1, toolCallAccuracy: 1 },
        { case: `c${at}`, arm: "candidate", trial, ...candidate(at, trial) },
      ]),
    );
  const both = { taskCompletion: 1, toolCallAccuracy: 1 };
  test("a gated metric gone from every case of the candidate", () => {
    const { gate } = imported(suite(() => ({ taskCompletion: 1 })));
    expect(gate).toMatchObject({ verdict: "undecided", exitCode: 3 });
    expect(gate.reasons[0]?.code).toBe("metric-coverage");
    expect(gate.reasons[0]?.message).toContain(
      "candidate: 0 of 120 ended trials have a score of tool-call accuracy, below the floor of 95 %",
    );
    expect(gate.reasons.map(({ message }) => message).join()).not.toContain(
      "no case has such an expectation",
    );
  });
  test("gone from a quarter of the cases, or from one trial of many cases", () => {
    const cases = imported(suite((at) => (at < 15 ? { turns: 3 } : both))).gate;
    expect(cases).toMatchObject({ verdict: "undecided", exitCode: 3 });
    expect(cases.reasons[0]?.cases).toHaveLength(15);
    const trials = imported(suite((at, trial) => (at < 20 && trial === 2 ? { turns: 3 } : both))).gate;
    expect(trials).toMatchObject({ verdict: "undecided", exitCode: 3 });
  });
  test("a few within the floor are no obstacle", () => {
    expect(imported(suite((at) => (at < 2 ? { turns: 3 } : both))).gate.exitCode).toBe(0);
  });
  test("costs that are unknown are not cheap", () => {
    const rows = cases(60, "1", "1").map((each, at) => ({
      ...each,
      cost: each.arm === "candidate" && at < 30 ? null : 1,
    }));
    const { gate } = summarise(plan({}, { maxCostIncrease: 0.2 }), rows);
    expect(gate).toMatchObject({ verdict: "undecided", exitCode: 3 });
    expect(gate.reasons.find(({ code }) => code === "cost-unknown")?.cases).toHaveLength(15);
  });
});

test("what is neither none nor all is never rounded to it, nor a rise to its limit", () => {
  expect([0.9996, 1, 0.0004, 0, 0.99999, 0.9499].map((share) => shareText(share, 1))).toEqual([
    ...["99.96 %", "100.0 %", "0.04 %", "0.0 %", "99.999 %", "95.0 %"],
  ]);
  expect([0.996, 0.004, 0.95].map((share) => shareText(share, 0))).toEqual(["99.6 %", "0.4 %", "95 %"]);
  const over = cases(60, "1", "1").map((each) => ({ ...each, cost: each.arm === "baseline" ? 1 : 1.2004 }));
  const { gate } = summarise(plan({}, { maxCostIncrease: 0.2 }), over);
  expect(gate.reasons[0]?.message).toContain("rose by more than 20.0 %; allowed is a rise of 20.0 %");
  const { gate: open } = summarise(plan({}, { coverage: 0.996 }), cases(60, "111", "11x"));
  expect(open.reasons[0]?.message).toContain("below the floor of 99.6 %");
});

test("a gated metric that is 0 everywhere is shown, and a cost of 0 is known", () => {
  const none = cases(40, "0", "0", "c").map((each) => ({ ...each, scores: { approvals: 0 }, cost: 0 }));
  const run = plan(
    { settings: [{ key: "gate.metrics", value: ["approvals"], from: "file" }] },
    { metrics: ["approvals"], maxCostIncrease: 0.2 },
  );
  const summary = summarise(run, none);
  expect(metricRows(summary).map(({ name }) => name)).toEqual(["approvals asked"]);
  expect(summary.gate.reasons.map(({ message }) => message)).toContain(
    "cost per trial did not change; allowed is a rise of 20.0 %",
  );
  const dear = none.map((each) => ({
    ...each,
    cost: each.arm === "baseline" ? 0 : 1 + (each.case.length % 2),
  }));
  expect(summarise(run, dear).gate.reasons[0]).toMatchObject({
    code: "cost-increase",
    message: "cost per trial rose from 0; allowed is a rise of 20.0 %",
  });
});
