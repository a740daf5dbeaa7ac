import { mean } from "../stats/moments.ts";
import { passAtK, passHatK } from "../stats/pass-k.ts";
import { PASS_METRICS } from "../compare/metric-kind.ts";
import type { TrialRow } from "./rows.ts";

/** Trials with a verdict and passes among them, of one case. */
export interface Tally {
  readonly trials: number;
  readonly passes: number;
}

/**
 * Whether a trial passed, for pass^k and pass@k: by its task completion, or by its tool calls where its case has no
 * completion check. Null where neither is scored, and where completion checks were left without a verdict.
 */
export function passedTrial(row: TrialRow): boolean | null {
  if (row.status === "broken" || isOpen(row)) return null;
  for (const metric of PASS_METRICS) {
    const value = row.scores[metric];
    if (value !== undefined) return value === 1;
  }
  return null;
}

/** Whether any of the two pass metrics is not 1: what a critical case may not do. Null where neither is scored, or one of them is open. */
export function failedTrial(row: TrialRow): boolean | null {
  if (row.status === "broken") return null;
  const values = PASS_METRICS.flatMap((metric) => row.scores[metric] ?? []);
  if (values.length === 0) return row.status === "stopped" ? true : null;
  if (values.some((value) => value !== 1)) return true;
  return isOpen(row) ? null : false;
}

function isOpen({ open }: TrialRow): boolean {
  return (open ?? null) !== null;
}

/** Tallies by case id of one arm's rows. */
export function talliesOf(rows: readonly TrialRow[]): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const row of rows) {
    const passed = passedTrial(row);
    if (passed === null) continue;
    const { trials, passes } = tallies.get(row.case) ?? { trials: 0, passes: 0 };
    tallies.set(row.case, { trials: trials + 1, passes: passes + (passed ? 1 : 0) });
  }
  return tallies;
}

/** pass^k and pass@k for k = 1 … trials (10 at the most, and `trials` itself): means over the cases with k trials. */
export function passRates(
  tallies: ReadonlyMap<string, Tally>,
  trials: number,
): { passHatK: Record<string, number | null>; passAtK: Record<string, number | null> } {
  const hat: Record<string, number | null> = {};
  const at: Record<string, number | null> = {};
  // Never up to `trials` one by one: an imported run's highest number may be a date.
  const first = Array.from({ length: Math.min(10, trials) }, (_, n) => n + 1);
  for (const k of new Set(trials > 10 ? [...first, trials] : first)) {
    hat[String(k)] = meanOver(tallies, (n, c) => passHatK(n, c, k));
    at[String(k)] = meanOver(tallies, (n, c) => passAtK(n, c, k));
  }
  return { passHatK: hat, passAtK: at };
}

function meanOver(
  tallies: ReadonlyMap<string, Tally>,
  rate: (n: number, c: number) => number | null,
): number | null {
  return mean([...tallies.values()].flatMap(({ trials, passes }) => rate(trials, passes) ?? []));
}
