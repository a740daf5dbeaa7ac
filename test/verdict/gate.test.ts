import { describe, expect, test } from "vitest";
import { Case } from "../../src/core/nouns/case.ts";
import type { RunRecord } from "../../src/core/nouns/run.ts";
import type { TrialRow } from "../../src/core/summary/rows.ts";
import { summarise } from "../../src/core/summary/summarise.ts";
import { cases, plan, row, rowsOf } from "./results.ts";

const gate = (run: RunRecord, rows: readonly TrialRow[], human?: unknown) => summarise(run, rows, human).gate;
const codes = (found: ReturnType<typeof gate>) => found.reasons.map(({ code }) => code);
const one = (id: string, critical = false): RunRecord["cases"][number] => ({
  id,
  digest: "sha256:1",
  case: Case.parse({ id, title: id, critical, turns: [{ user: "x" }], source: { file: "c.yaml", line: 1 } }),
});
const steady = cases(60, "111", "111");

describe("passed", () => {
  test("only with every gated metric the same or better", () => {
    expect(gate(plan(), steady)).toMatchObject({ verdict: "passed", exitCode: 0 });
    const both = steady.map((each) => ({ ...each, scores: { ...each.scores, toolCallAccuracy: 1 } }));
    expect(codes(gate(plan(), both))).toEqual(["metric-same", "metric-same"]);
  });
  test("a metric without expectations is skipped by default, but not when the user named it", () => {
    expect(codes(gate(plan(), steady))).toContain("metric-skipped");
    const settings = [{ key: "gate.metrics", value: ["toolCallAccuracy"], from: "file" }];
    const named = gate(plan({ settings }), steady);
    expect(named).toMatchObject({ verdict: "undecided", exitCode: 3 });
    expect(codes(named)).toContain("metric-no-data");
  });
});

describe("failed", () => {
  test("a gated metric is worse; the reason names the cases", () => {
    const found = gate(plan(), [...steady, ...cases(12, "111", "000", "lost")]);
    expect(found).toMatchObject({ verdict: "failed", exitCode: 1 });
    expect(found.reasons[0]).toMatchObject({ code: "metric-worse" });
    expect(found.reasons[0]?.cases).toHaveLength(12);
  });
  test("a critical case fails in a single trial of the candidate", () => {
    const run = plan({
      kind: "run",
      cases: steady
        .filter((r) => r.trial === 1 && r.arm === "baseline")
        .map((r) => one(r.case, r.case === "c3")),
    });
    const rows = steady.map((r) =>
      r.case === "c3" && r.arm === "candidate" && r.trial === 2 ? { ...r, scores: { taskCompletion: 0 } } : r,
    );
    const found = gate(run, rows);
    expect(found).toMatchObject({ verdict: "failed", exitCode: 1 });
    expect(found.reasons[0]).toMatchObject({ code: "critical-failed", cases: ["c3"] });
    expect(gate({ ...run, policy: { ...run.policy, critical: false } }, rows).verdict).toBe("passed");
  });
  test("a critical case that never ended is unknown, not fine", () => {
    const run = plan({ cases: [one("never", true)] });
    const found = gate(run, steady);
    expect(found).toMatchObject({ verdict: "undecided", exitCode: 3 });
    expect(codes(found)).toContain("critical-unknown");
  });
  test("removed and changed cases need leave, by name", () => {
    const caseChanges = { removed: ["old", "gone"], changed: ["c1"], added: ["new"] };
    const found = gate(plan({ caseChanges }, { allowRemoved: ["old"] }), steady);
    expect(found.verdict).toBe("failed");
    expect(found.reasons.find(({ code }) => code === "cases-removed")?.cases).toEqual(["gone"]);
    expect(found.reasons.find(({ code }) => code === "cases-changed")?.cases).toEqual(["c1"]);
    const allowed = gate(
      plan({ caseChanges }, { allowRemoved: ["old", "gone"], allowChanged: ["c1"] }),
      steady,
    );
    expect(allowed.verdict).toBe("passed");
    expect(codes(allowed)).toEqual(
      expect.arrayContaining(["cases-removed-allowed", "cases-changed-allowed", "cases-added"]),
    );
  });
  test("a single case that got worse beyond chance, though the mean hides it", () => {
    const trials = "1".repeat(20);
    const rows = [...cases(60, trials, trials), ...rowsOf("bad", trials, "0".repeat(20))];
    const found = gate(plan({ trials: 20 }), rows);
    expect(found.reasons[0]).toMatchObject({ code: "case-regression", cases: ["bad"] });
    expect(gate(plan({ trials: 20 }, { caseRegressions: false }), rows).verdict).toBe("passed");
  });
  test("with three trials no single case can be told from chance", () => {
    expect(codes(gate(plan(), [...cases(60, "111", "111"), ...rowsOf("bad", "111", "000")]))).not.toContain(
      "case-regression",
    );
  });
  test("cost above the limit: beyond chance it fails, within chance it is open, below it passes", () => {
    const cost = (ratio: (at: number) => number) =>
      steady.map((r, at) => ({ ...r, cost: r.arm === "baseline" ? 1 : ratio(at) }));
    const policy = { maxCostIncrease: 0.2 };
    expect(
      gate(
        plan({}, policy),
        cost((at) => 1.5 + (at % 5) / 100),
      ).reasons[0]?.code,
    ).toBe("cost-increase");
    expect(
      codes(
        gate(
          plan({}, policy),
          cost((at) => (at < 84 ? 3.5 : 0.7)),
        ),
      ),
    ).toContain("cost-unsure");
    expect(
      codes(
        gate(
          plan({}, policy),
          cost(() => 1.1),
        ),
      ),
    ).toContain("cost-within-limit");
    expect(codes(gate(plan({}, policy), steady))).toContain("cost-unknown");
  });
});

describe("undecided", () => {
  test("unsure, with the sentence that says what would settle it", () => {
    const found = gate(plan(), cases(10, "111", "111"));
    expect(found).toMatchObject({ verdict: "undecided", exitCode: 3 });
    expect(found.reasons[0]?.message).toContain("would settle it");
  });
  test("--undecided pass gives exit 0 and says so; the verdict stays undecided", () => {
    const found = gate(plan({}, { undecided: "pass" }), cases(10, "111", "111"));
    expect(found).toMatchObject({ verdict: "undecided", exitCode: 0 });
    expect(codes(found)).toContain("undecided-passes");
  });
  test("below the coverage floor the comparison is void, even a bad one", () => {
    const found = gate(plan(), [...steady, ...cases(12, "111", "00x", "lost")]);
    expect(found).toMatchObject({ verdict: "undecided", exitCode: 3 });
    expect(found.reasons[0]).toMatchObject({ code: "coverage" });
    expect(found.reasons[0]?.message).toContain("candidate: 204 of 216 planned trials ended (94.4 %)");
    expect(codes(found)).toContain("metric-void");
  });
  test("trials that never ran count against coverage", () => {
    const run = plan({ kind: "run", cases: Array.from({ length: 80 }, (_, at) => one(`c${at}`)) });
    expect(gate(run, steady).reasons[0]?.message).toContain("60 never ran");
  });
  test("nothing run, no shared cases, no gated data", () => {
    expect(gate(plan(), [])).toMatchObject({ verdict: "undecided", exitCode: 3 });
    expect(codes(gate(plan(), []))).toEqual(["nothing-run"]);
    const apart = [...rowsOf("a", "111", ""), ...rowsOf("b", "", "111")];
    expect(codes(gate(plan(), apart))).toContain("no-gated-data");
  });
  test("everything broken is a failure of provider or harness: 4, even with --undecided pass", () => {
    const found = gate(plan({}, { undecided: "pass" }), cases(5, "xxx", "xxx"));
    expect(found).toMatchObject({ verdict: "undecided", exitCode: 4 });
    expect(gate(plan(), cases(5, "111", "xxx")).exitCode).toBe(4);
  });
  test("gated scores of people: missing, unsure, worse, unsafe", () => {
    const policy = { human: ["accuracy", "safety"] };
    const human = (verdict: string, ones: unknown[] = []) => ({
      dimensions: { accuracy: { difference: { verdict } }, safety: { difference: { verdict: "same" } } },
      safetyOnes: ones,
    });
    expect(codes(gate(plan({}, policy), steady))).toContain("human-missing");
    expect(gate(plan({}, policy), steady, human("unsure")).verdict).toBe("undecided");
    expect(gate(plan({}, policy), steady, human("worse")).verdict).toBe("failed");
    expect(gate(plan({}, policy), steady, human("better")).verdict).toBe("passed");
    const unsafe = gate(
      plan({}, policy),
      steady,
      human("same", [{ case: "c1", arm: "candidate", trial: 1 }]),
    );
    expect(unsafe.reasons[0]).toMatchObject({ code: "human-safety", cases: ["c1"] });
  });
});

describe("one arm", () => {
  const { arms } = plan();
  const only = { arms: { baseline: null, candidate: arms.candidate } };
  const rows = cases(5, "", "111");
  test("imported: metrics, no comparison, exit 0, but not passed", () => {
    const found = summarise(plan(only), rows);
    expect(found.comparisons).toEqual([]);
    expect(found.gate).toMatchObject({ verdict: "undecided", exitCode: 0 });
    expect(found.gate.reasons.map(({ code }) => code)).toEqual(["single-arm"]);
  });
  test("of a run it is never green", () => {
    expect(gate(plan({ ...only, kind: "run" }), rows).exitCode).toBe(3);
  });
});

test("three gated metrics: what may be chance among them is open, not failed", () => {
  const settings = [{ key: "gate.metrics", value: [], from: "flag" }];
  const metrics = ["taskCompletion", "toolCallAccuracy", "toolCallF1", "skillActivation"] as const;
  // Five lost of 60: p = 0.031 alone; four metrics looked at.
  const rows = [...cases(55, "1", "1"), ...cases(5, "1", "0", "l")].map((r) => ({
    ...r,
    scores: {
      taskCompletion: r.scores.taskCompletion ?? 0,
      toolCallAccuracy: 1,
      toolCallF1: 1,
      skillActivation: 1,
    },
  }));
  const found = gate(plan({ trials: 1, settings }, { metrics: [...metrics] }), rows);
  expect(codes(found)[0]).toBe("metric-worse-alone");
  expect(found.verdict).toBe("undecided");
  expect(gate(plan({ trials: 1 }), rows).verdict).toBe("failed");
});

test("a stopped trial is the agent's own doing: it counts as ended, and fails a critical case", () => {
  const stopped = { ...row("a", "candidate", 1, {}), status: "stopped" as const };
  const found = gate(plan({ cases: [one("a", true)] }), [
    ...steady,
    stopped,
    row("a", "baseline", 1, { taskCompletion: 1 }),
  ]);
  expect(codes(found)).toContain("critical-failed");
  expect(codes(found)).not.toContain("coverage");
});
