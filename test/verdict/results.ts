import type { RunRecord } from "../../src/core/nouns/run.ts";
import type { Arm, Metric } from "../../src/core/nouns/score.ts";
import type { TrialRow } from "../../src/core/summary/rows.ts";

/** A run's plan with nothing but what a verdict looks at. */
export function plan(changes: Partial<RunRecord> = {}, policy: Partial<RunRecord["policy"]> = {}): RunRecord {
  const arm = (variant: string) => ({
    variant,
    commit: null,
    dirty: false,
    digest: null,
    profile: null,
    delivery: null,
    model: null,
    layers: [],
    skills: [],
    skillCounts: { found: 0, loaded: 0, refused: 0 },
    tools: {},
    notes: [],
  });
  return {
    schema: "evalkit.run/1",
    runId: "r1",
    createdAt: "2026-01-01T00:00:00.000Z",
    evalkit: "0.1.0",
    node: "v20",
    kind: "import",
    aa: false,
    seed: 1,
    trials: 3,
    arms: { baseline: arm("main"), candidate: arm("branch") },
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
      ...policy,
    },
    sequential: null,
    texts: {},
    notes: [],
    ...changes,
  };
}

/** One row; `null` is a broken trial. */
export function row(
  id: string,
  arm: Arm,
  trial: number,
  scores: Partial<Record<Metric, number>> | null,
): TrialRow {
  const status = scores === null ? "broken" : "finished";
  return { case: id, arm, trial, status, scores: scores ?? {}, tokens: null, cost: null, brokenKind: null };
}

/** Rows of one case from strings of trials, such as `110` for two passes and a fail, `x` for a broken trial. */
export function rowsOf(
  id: string,
  baseline: string,
  candidate: string,
  metric: Metric = "taskCompletion",
): TrialRow[] {
  const arm = (name: Arm, text: string) =>
    [...text].map((mark, at) => row(id, name, at + 1, mark === "x" ? null : { [metric]: Number(mark) }));
  return [...arm("baseline", baseline), ...arm("candidate", candidate)];
}

/** `n` cases alike. */
export function cases(n: number, baseline: string, candidate: string, prefix = "c"): TrialRow[] {
  return Array.from({ length: n }, (_, at) => rowsOf(`${prefix}${at}`, baseline, candidate)).flat();
}
