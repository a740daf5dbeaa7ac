import type { RunRecord } from "../nouns/run.ts";
import type { Arm, Metric } from "../nouns/score.ts";
import type { CaseSummary } from "../nouns/summary.ts";
import { mean } from "../stats/moments.ts";
import type { TrialRow } from "./rows.ts";

/** One line a case: means over its trials in each arm. Null where an arm has no trial of it. Order: by id. */
export function caseTable(run: RunRecord, rows: readonly TrialRow[]): CaseSummary[] {
  const byCase = new Map<string, TrialRow[]>(run.cases.map(({ id }) => [id, []]));
  for (const row of rows) {
    const known = byCase.get(row.case);
    if (known === undefined) byCase.set(row.case, [row]);
    else known.push(row);
  }
  return [...byCase.keys()].sort().map((id) => ({
    id,
    baseline: armOf(byCase.get(id) ?? [], "baseline"),
    candidate: armOf(byCase.get(id) ?? [], "candidate"),
  }));
}

function armOf(rows: readonly TrialRow[], arm: Arm): CaseSummary["baseline"] {
  const own = rows.filter((row) => row.arm === arm);
  if (own.length === 0) return null;
  const of = (metric: Metric): number | null => mean(own.flatMap((row) => row.scores[metric] ?? []));
  return {
    trials: own.length,
    broken: own.filter((row) => row.status === "broken").length,
    toolCallAccuracy: of("toolCallAccuracy"),
    taskCompletion: of("taskCompletion"),
    turns: of("turns"),
    notScored: notScoredOf(own),
  };
}

/** The reason is that of the lowest trial number, so that it does not change with the order in which trials end. */
function notScoredOf(own: readonly TrialRow[]): NonNullable<CaseSummary["baseline"]>["notScored"] {
  const open = own.flatMap(({ trial, open: found }) => (found ? [{ trial, ...found }] : []));
  const [first] = [...open].sort((a, b) => a.trial - b.trial);
  if (first === undefined) return null;
  const failedChecks = open.filter(({ failed }) => failed > 0).length;
  return { trials: open.length, failedChecks, reason: first.reason };
}
