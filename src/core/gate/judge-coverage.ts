import { ARMS } from "../nouns/score.ts";
import type { ArmSummary } from "../nouns/summary.ts";
import { type GateInput, undecided, type WeightedReason } from "./input.ts";
import { count } from "../text/count.ts";

/** Share of planned trials that ended by the agent's own doing, finished or stopped at a limit; null when none was planned. */
export function coverageOf({ trials }: ArmSummary): number | null {
  return trials.planned === 0 ? null : (trials.finished + trials.stopped) / trials.planned;
}

/** Arms where too few of the planned trials ended: their comparison is void, since what broke may not break by chance. */
export function judgeCoverage({ arms, run, rows }: GateInput): WeightedReason[] {
  return ARMS.flatMap((name) => {
    const arm = arms[name];
    if (arm === null) return [];
    const coverage = coverageOf(arm);
    if (coverage !== null && coverage >= run.policy.coverage) return [];
    const { planned, finished, stopped, broken } = arm.trials;
    const floor = `${Number((run.policy.coverage * 100).toFixed(4))} %`;
    const ended = finished + stopped;
    const missing = planned - ended - broken;
    const message =
      planned === 0
        ? `${name}: no trial was planned`
        : `${name}: ${ended} of ${count(planned, "planned trial")} ended (${percent(coverage)}), below the floor of ${floor}; ${broken} broke${kinds(arm)}, ${missing} never ran`;
    const cases = new Set(
      rows.filter((row) => row.arm === name && row.status === "broken").map((row) => row.case),
    );
    return [undecided("coverage", message, [...cases].sort())];
  });
}

function percent(share: number | null): string {
  return share === null ? "no data" : `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}

function kinds(arm: ArmSummary): string {
  const named = Object.entries(arm.brokenKinds).map(([kind, n]) => `${kind} ${n}`);
  return named.length === 0 ? "" : ` (${named.join(", ")})`;
}
