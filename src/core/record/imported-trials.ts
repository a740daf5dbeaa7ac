import type { Arm } from "../nouns/score.ts";
import { sum } from "../stats/moments.ts";
import type { TrialName } from "./trial-guard.ts";

/**
 * How many trials an arm of results from elsewhere had: no plan came with them. Trials count from 1, so the highest number
 * that a case has in either arm says how many there were: those without a line are lost, not unplanned.
 */
export function importedTrials(rows: readonly TrialName[], arm: Arm): number {
  const highest = new Map<string, number>();
  for (const row of rows) highest.set(row.case, Math.max(highest.get(row.case) ?? 0, row.trial));
  const own = new Set(rows.filter((row) => row.arm === arm).map((row) => row.case));
  return sum([...own].map((id) => highest.get(id) ?? 0));
}
