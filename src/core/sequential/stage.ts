import type { TrialResult } from "../nouns/score.ts";
import { levelAt, type SequentialPlan } from "./plan.ts";

/** How far a sequential run has come. */
export interface Stage {
  /** Look from 1: the first that has all cases seen so far. */
  readonly look: number;
  /** Cases that belong to the looks so far, in their order. */
  readonly cases: readonly string[];
  /** Level of this look. */
  readonly alpha: number;
  /** Every case of the plan belongs to it. */
  readonly last: boolean;
}

/** The stage that rows belong to. Read from plan and rows alone, so that a saved run is decided the same again. */
export function stageOf(plan: SequentialPlan, rows: readonly TrialResult[], alpha: number): Stage {
  const place = new Map(plan.order.map((id, at) => [id, at + 1]));
  const furthest = rows.reduce((most, row) => Math.max(most, place.get(row.case) ?? 0), 0);
  const at = plan.looks.findIndex((cases) => cases >= furthest);
  const index = at < 0 ? plan.looks.length - 1 : at;
  return {
    look: index + 1,
    cases: plan.order.slice(0, plan.looks[index] ?? plan.order.length),
    alpha: levelAt(index + 1, plan.looks.length, alpha),
    last: index + 1 >= plan.looks.length,
  };
}
