import type { RunRecord } from "../nouns/run.ts";
import type { Summary } from "../nouns/summary.ts";
import { gatedMetrics } from "../gate/gated.ts";
import { metricName } from "../compare/metric-kind.ts";
import { summarise } from "../summary/summarise.ts";
import type { TrialRow } from "../summary/rows.ts";
import { stageOf } from "./stage.ts";

/** What a sequential run does next. */
export type NextLook =
  | { readonly stop: false; readonly look: number; readonly cases: readonly string[] }
  | {
      readonly stop: true;
      readonly look: number;
      readonly why: "worse" | "settled" | "all-seen";
      readonly sentence: string;
    };

/**
 * Decides after a block: `cases` to run next, or why to stop. `worse`: a gated metric is worse at this look's level.
 * `settled`: all gated metrics are the same or better, and every critical case was seen. `all-seen`: neither, and no
 * case is left. With no rows it gives the first block. Pure: the same plan and rows give the same answer.
 */
export function nextLook(run: RunRecord, rows: readonly TrialRow[]): NextLook {
  const plan = run.sequential ?? { order: run.cases.map(({ id }) => id), looks: [run.cases.length] };
  if (rows.length === 0) return { stop: false, look: 1, cases: plan.order.slice(0, plan.looks[0]) };
  const stage = stageOf(plan, rows, run.policy.alpha);
  const found = verdicts(run, summarise(run, rows));
  const worse = found.filter(({ verdict }) => verdict === "worse");
  const stop = (why: "worse" | "settled" | "all-seen", what: string): NextLook => ({
    stop: true,
    look: stage.look,
    why,
    sentence: `stopped at look ${stage.look} of ${plan.looks.length}, after ${stage.cases.length} of ${plan.order.length} cases: ${what}`,
  });
  if (worse.length > 0) return stop("worse", `${names(worse)} is worse`);
  if (found.length > 0 && found.every(isSettled) && criticalSeen(run, stage.cases)) {
    return stop("settled", `${names(found)}: the same or better`);
  }
  if (stage.last) return stop("all-seen", "every case was run");
  const until = plan.looks[stage.look] ?? plan.order.length;
  return { stop: false, look: stage.look + 1, cases: plan.order.slice(stage.cases.length, until) };
}

function verdicts(run: RunRecord, summary: Summary): Summary["comparisons"] {
  const gated = gatedMetrics(run, summary.comparisons);
  return summary.comparisons.filter(({ metric }) => gated.includes(metric));
}

function isSettled({ verdict }: Summary["comparisons"][number]): boolean {
  return verdict === "same" || verdict === "better";
}

function criticalSeen(run: RunRecord, seen: readonly string[]): boolean {
  return run.cases.every((entry) => entry.case?.critical !== true || seen.includes(entry.id));
}

function names(found: Summary["comparisons"]): string {
  return found.map(({ metric }) => metricName(metric)).join(", ");
}
