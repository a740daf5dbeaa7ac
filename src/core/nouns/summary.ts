import * as z from "zod";
import { METRICS } from "./score.ts";

const num = z.number().nullable();

/** A mean over cases with its 95 % interval; `cases` counts the cases that had a score. */
export const Estimate = z.object({ mean: num, low: num, high: num, cases: z.int() });
export type Estimate = z.infer<typeof Estimate>;

/** What a comparison comes to; `same` must be earned. */
export const VERDICTS = ["better", "worse", "same", "unsure"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The paired comparison of one metric. Undefined is null with a note, never NaN. */
export const Comparison = z.object({
  metric: z.enum(METRICS),
  /** Mean over cases of candidate − baseline. */
  difference: num,
  low: num,
  high: num,
  se: num,
  p: num,
  /** p after Holm over the gated metrics; null where the metric is not gated. */
  pAdjusted: num,
  /** Which interval and test were used, such as `paired t`, `Newcombe paired`, `sign flip`. */
  method: z.string(),
  cases: z.int(),
  verdict: z.enum(VERDICTS),
  /** A sentence: what was found, and for `unsure` what would settle it. */
  sentence: z.string(),
  passToFail: z.array(z.string()),
  failToPass: z.array(z.string()),
  /** Between-case and within-case variance of the difference; null where undefined. */
  betweenVariance: num,
  withinVariance: num,
  notes: z.array(z.string()),
});
export type Comparison = z.infer<typeof Comparison>;

const passK = z.record(z.string(), num);
/** One arm in numbers. */
export const ArmSummary = z.object({
  variant: z.string(),
  commit: z.string().nullable(),
  digest: z.string().nullable(),
  trials: z.object({ planned: z.int(), finished: z.int(), stopped: z.int(), broken: z.int() }),
  metrics: z.record(z.enum(METRICS), Estimate),
  passHatK: passK,
  passAtK: passK,
  tokens: z.object({ prompt: num, cached: num, completion: num }),
  cost: num,
  /** What a judge took for this arm, apart from the agent's own tokens and cost; null where none was asked. */
  judge: z
    .object({
      calls: z.int(),
      unparsable: z.int(),
      tokens: z.object({ prompt: num, cached: num, completion: num }),
      cost: num,
    })
    .nullable()
    .default(null),
  brokenKinds: z.record(z.string(), z.int()),
  /** Trials all of whose replies came from recordings; null for imported results. */
  replayed: z.int().nullable().default(null),
  /** Trials of which some replies came from recordings and some from the model; null for imported results. */
  partlyReplayed: z.int().nullable().default(null),
  /** Whether any model was asked, a judge and trials that broke included; null for imported results. */
  asked: z.boolean().nullable().default(null),
});
export type ArmSummary = z.infer<typeof ArmSummary>;

const CaseArm = z.object({
  trials: z.int(),
  broken: z.int(),
  toolCallAccuracy: num,
  taskCompletion: num,
  turns: num,
  /**
   * Trials whose case has checks but that got no verdict (a judge gave none): how many, in how many of them another
   * check failed, and why. They are in no mean. Null where there are none.
   */
  notScored: z
    .object({ trials: z.int(), failedChecks: z.int(), reason: z.string() })
    .nullable()
    .default(null),
});
/** One case in numbers; null where an arm has no trial of it. */
export const CaseSummary = z.object({
  id: z.string(),
  baseline: CaseArm.nullable(),
  candidate: CaseArm.nullable(),
});
export type CaseSummary = z.infer<typeof CaseSummary>;

/** One reason of a gate, with a stable code. */
export const GateReason = z.object({ code: z.string(), message: z.string(), cases: z.array(z.string()) });
/** The verdict with its reasons and the exit code that it gives. */
export const Gate = z.object({
  verdict: z.enum(["passed", "failed", "undecided"]),
  exitCode: z.int(),
  reasons: z.array(GateReason),
});
export type GateReason = z.infer<typeof GateReason>;
export type Gate = z.infer<typeof Gate>;

/** summary.json. Every key is always present, unknown is null; `human` is null until sheets are imported. */
export const Summary = z.object({
  schema: z.literal("evalkit.summary/1"),
  runId: z.string(),
  arms: z.object({ baseline: ArmSummary.nullable(), candidate: ArmSummary.nullable() }),
  comparisons: z.array(Comparison),
  cases: z.array(CaseSummary),
  gate: Gate,
  human: z.unknown().default(null),
});
export type Summary = z.infer<typeof Summary>;
