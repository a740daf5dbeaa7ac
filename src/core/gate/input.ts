import type { Pairs } from "../compare/pairs.ts";
import type { RunRecord } from "../nouns/run.ts";
import type { Metric } from "../nouns/score.ts";
import type { ArmSummary, Comparison, GateReason } from "../nouns/summary.ts";
import type { TrialRow } from "../summary/rows.ts";

/** Everything that a gate looks at. */
export interface GateInput {
  readonly run: RunRecord;
  readonly rows: readonly TrialRow[];
  readonly arms: { readonly baseline: ArmSummary | null; readonly candidate: ArmSummary | null };
  readonly comparisons: readonly Comparison[];
  /** Cases of each gated metric, paired. */
  readonly pairs: ReadonlyMap<Metric, Pairs>;
  /** Level of the tests: the policy's, or that of the look a sequential run stopped at. */
  readonly alpha: number;
  /** The `human` part of summary.json; null where no sheet was imported. */
  readonly human: unknown;
}

/** What a reason does to the verdict: `info` explains and decides nothing. */
export type Weight = "fail" | "undecided" | "info";

/** A reason before the verdict is made. */
export interface WeightedReason {
  readonly weight: Weight;
  readonly reason: GateReason;
}

/** A reason that fails the gate. */
export function failing(code: string, message: string, cases: readonly string[] = []): WeightedReason {
  return { weight: "fail", reason: { code, message, cases: [...cases] } };
}

/** A reason that leaves the gate open. */
export function undecided(code: string, message: string, cases: readonly string[] = []): WeightedReason {
  return { weight: "undecided", reason: { code, message, cases: [...cases] } };
}

/** A reason that explains and decides nothing. */
export function info(code: string, message: string, cases: readonly string[] = []): WeightedReason {
  return { weight: "info", reason: { code, message, cases: [...cases] } };
}
