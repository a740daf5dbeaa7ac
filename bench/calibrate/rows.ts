import type { PairedCase } from "../../src/core/compare/pairs.ts";
import type { RunRecord } from "../../src/core/nouns/run.ts";
import type { Arm, Metric } from "../../src/core/nouns/score.ts";
import type { TrialRow } from "../../src/core/summary/rows.ts";
import { importedArm } from "../../src/core/import/import-record.ts";

/** A run's plan as simulations need it: the default policy, two arms, nothing else. */
export function simulatedRun(trials: number, sequential: RunRecord["sequential"] = null): RunRecord {
  return {
    schema: "evalkit.run/1",
    runId: "simulated",
    createdAt: "",
    evalkit: "",
    node: "",
    kind: "import",
    aa: false,
    seed: 1,
    trials,
    arms: { baseline: importedArm("a"), candidate: importedArm("b") },
    commits: [],
    cases: [],
    caseChanges: null,
    policyChanges: [],
    judgePrompt: null,
    model: { name: null, server: null, request: {}, replay: "off" },
    settings: [],
    policy: {
      metrics: ["taskCompletion", "toolCallAccuracy"],
      margin: 0.1,
      alpha: 0.05,
      coverage: 0.95,
      critical: true,
      caseRegressions: true,
      allowRemoved: [],
      allowChanged: [],
      maxCostIncrease: null,
      human: [],
      undecided: "fail",
    },
    sequential,
    texts: {},
    notes: [],
  };
}

/** Rows of one metric, or of two that fall together by case. */
export function rowsFrom(scores: Partial<Record<Metric, readonly PairedCase[]>>): TrialRow[] {
  const rows = new Map<string, TrialRow>();
  const add = (id: string, arm: Arm, metric: Metric, values: readonly number[]): void =>
    values.forEach((value, at) => {
      const key = `${id} ${arm} ${at}`;
      const known = rows.get(key)?.scores ?? {};
      rows.set(key, {
        case: id,
        arm,
        trial: at + 1,
        status: "finished",
        scores: { ...known, [metric]: value },
        tokens: null,
        cost: null,
        brokenKind: null,
      });
    });
  for (const metric of ["taskCompletion", "toolCallAccuracy"] as const) {
    for (const pair of scores[metric] ?? []) {
      add(pair.id, "baseline", metric, pair.baseline);
      add(pair.id, "candidate", metric, pair.candidate);
    }
  }
  return [...rows.values()];
}
