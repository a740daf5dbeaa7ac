import { compareMetric } from "../compare/compare-metric.ts";
import { indexScores, pairCases, type Pairs } from "../compare/pairs.ts";
import { adjust, gatedMetrics } from "../gate/gated.ts";
import { judgeGate } from "../gate/judge-gate.ts";
import type { RunRecord } from "../nouns/run.ts";
import { METRICS, type Metric, SUMMARY_METRICS } from "../nouns/score.ts";
import type { Comparison, Summary } from "../nouns/summary.ts";
import { type Stage, stageOf } from "../sequential/stage.ts";
import { summariseArm } from "./arm.ts";
import { caseTable } from "./case-table.ts";
import type { TrialRow } from "./rows.ts";

/**
 * The whole of summary.json from a run's plan and its rows: estimates, comparisons, cases, gate. Every key is present,
 * unknown is null, never NaN. `human` is that part of summary.json once sheets were imported, else null.
 */
export function summarise(run: RunRecord, rows: readonly TrialRow[], human: unknown = null): Summary {
  const scores = indexScores(rows);
  const arms = {
    baseline: run.arms.baseline && summariseArm(run, "baseline", run.arms.baseline, rows, scores.baseline),
    candidate:
      run.arms.candidate && summariseArm(run, "candidate", run.arms.candidate, rows, scores.candidate),
  };
  const stage = run.sequential ? stageOf(run.sequential, rows, run.policy.alpha) : null;
  const pairs = new Map(METRICS.map((metric) => [metric, pairCases(scores, metric)]));
  const compared = arms.baseline === null || arms.candidate === null ? [] : compareAll(run, pairs, stage);
  const comparisons = adjust(compared, gatedMetrics(run, compared));
  return {
    schema: "evalkit.summary/1",
    runId: run.runId,
    arms,
    comparisons,
    cases: caseTable(run, rows),
    gate: judgeGate({ run, rows, arms, comparisons, pairs, alpha: stage?.alpha ?? run.policy.alpha, human }),
    human,
  };
}

/**
 * The five metrics of every summary, gated ones, and whatever else has data in both arms. A sequential run is judged at
 * the level of the look it stopped at.
 */
function compareAll(run: RunRecord, pairs: ReadonlyMap<Metric, Pairs>, stage: Stage | null): Comparison[] {
  const { margin } = run.policy;
  const alpha = stage?.alpha ?? run.policy.alpha;
  const always: ReadonlySet<Metric> = new Set([...SUMMARY_METRICS, ...run.policy.metrics]);
  return METRICS.flatMap((metric) => {
    const paired = pairs.get(metric);
    if (paired === undefined || (!always.has(metric) && paired.shared.length === 0)) return [];
    const found = compareMetric(metric, paired, { margin, alpha, seed: run.seed });
    return stage === null ? found : { ...found, notes: [...found.notes, noteOf(stage)] };
  });
}

function noteOf({ look, alpha }: Stage): string {
  return `sequential, look ${look}: interval and test at the level ${alpha.toPrecision(3)} of this look, valid although the run was looked at`;
}
