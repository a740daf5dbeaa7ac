import * as z from "zod";

/** Metrics of a trial. The first five are in every summary; the rest are counted and reported. */
export const METRICS = [
  "toolCallAccuracy",
  "toolCallF1",
  "taskCompletion",
  "turns",
  "skillActivation",
  "toolCalls",
  "promptTokens",
  "cachedTokens",
  "completionTokens",
  "seconds",
  "cost",
  "approvals",
] as const;
export type Metric = (typeof METRICS)[number];

/** The metrics that `summary.json` always names. */
export const SUMMARY_METRICS = [
  "toolCallAccuracy",
  "toolCallF1",
  "taskCompletion",
  "turns",
  "skillActivation",
] as const;

/** Metrics where less is better. */
export const LESS_IS_BETTER: ReadonlySet<Metric> = new Set([
  "turns",
  "toolCalls",
  "promptTokens",
  "cachedTokens",
  "completionTokens",
  "seconds",
  "cost",
  "approvals",
]);

/** One assertion and what was seen. `check` is stable over trials, so that never-failing checks can be found. */
export const Evidence = z.object({ check: z.string(), passed: z.boolean(), detail: z.string() });
export type Evidence = z.infer<typeof Evidence>;

/** A score, or the reason why there is none. Never null, NaN or a default. */
export const Score = z.discriminatedUnion("status", [
  z.object({ status: z.literal("scored"), value: z.number(), evidence: z.array(Evidence) }),
  /** `evidence`: of checks that were made all the same; absent where none was there to make. */
  z.object({ status: z.literal("unscored"), reason: z.string(), evidence: z.array(Evidence).optional() }),
]);
export type Score = z.infer<typeof Score>;

/** The two versions of a run. */
export const ARMS = ["baseline", "candidate"] as const;
export type Arm = (typeof ARMS)[number];

/** The key of a trial, everywhere. `trial` counts from 1. */
export interface TrialKey {
  readonly case: string;
  readonly arm: Arm;
  readonly trial: number;
}

/** What comparison and gate need of a trial: imported results have no more than this. */
export interface TrialResult extends TrialKey {
  readonly status: "finished" | "stopped" | "broken";
  /** Scored metrics only; a metric that is absent has no score in this trial. */
  readonly scores: Readonly<Partial<Record<Metric, number>>>;
}
