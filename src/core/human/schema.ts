import * as z from "zod";
import { ARMS } from "../nouns/score.ts";
import { Estimate, VERDICTS } from "../nouns/summary.ts";
import { DIMENSIONS } from "../sheet/columns.ts";

const num = z.number().nullable();
const trial = { case: z.string(), arm: z.enum(ARMS).nullable(), trial: z.int() };

/** The paired difference of a dimension, candidate − baseline, in points of the scale of 1 to 5. */
export const HumanDifference = z.object({
  difference: num,
  low: num,
  high: num,
  se: num,
  /** Sign flip over cases. */
  p: num,
  cases: z.int(),
  verdict: z.enum(VERDICTS),
  sentence: z.string(),
  notes: z.array(z.string()),
});
export type HumanDifference = z.infer<typeof HumanDifference>;

/** One dimension of the human scores. Undefined is null; `agreement.reason` says why. */
export const HumanDimension = z.object({
  baseline: Estimate,
  candidate: Estimate,
  difference: HumanDifference,
  /** Scores given, cells left empty, cells marked x; hidden repeats included. */
  scored: z.int(),
  missing: z.int(),
  cannotJudge: z.int(),
  agreement: z.object({
    doubleScored: z.int(),
    exact: num,
    weightedKappa: num,
    alpha: num,
    reason: z.string().nullable(),
    words: z.string(),
  }),
  selfConsistency: z.object({ repeats: z.int(), exact: num, meanDistance: num }),
  drift: z.array(
    z.object({
      rater: z.string(),
      first: z.number(),
      last: z.number(),
      difference: z.number(),
      notable: z.boolean(),
    }),
  ),
});
export type HumanDimension = z.infer<typeof HumanDimension>;

/** The key `human` of summary.json: section 13 of the contract, and what the reports need beyond it. */
export const HumanSummary = z.object({
  raters: z.int(),
  raterNames: z.array(z.string()),
  /** Rows with at least one score, with at least one empty cell, with at least one x. */
  scored: z.int(),
  missing: z.int(),
  cannotJudge: z.int(),
  dimensions: z.record(z.enum(DIMENSIONS), HumanDimension),
  /** By case: whom its pairs prefer on balance. `p`: exact sign test, ties apart; null without pairs. */
  preference: z.object({
    candidate: z.int(),
    baseline: z.int(),
    tie: z.int(),
    p: num,
    /** Single judgements, and how often the left side was preferred among those that were no tie. */
    pairs: z.object({ candidate: z.int(), baseline: z.int(), tie: z.int(), left: num }),
    selfConsistency: z.object({ repeats: z.int(), exact: num }),
    agreement: z.object({ doubleScored: z.int(), exact: num }),
  }),
  safetyOnes: z.array(z.object({ ...trial, rater: z.string(), note: z.string() })),
  /** Two points or more apart. */
  disagreements: z.array(
    z.object({
      ...trial,
      dimension: z.enum(DIMENSIONS),
      apart: z.number(),
      scores: z.array(z.object({ rater: z.string(), score: z.number(), note: z.string() })),
    }),
  ),
  /** Means by case, for tables. */
  cases: z.array(
    z.object({
      id: z.string(),
      baseline: z.record(z.enum(DIMENSIONS), num),
      candidate: z.record(z.enum(DIMENSIONS), num),
    }),
  ),
});
export type HumanSummary = z.infer<typeof HumanSummary>;
