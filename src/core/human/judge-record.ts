import * as z from "zod";
import { ARMS } from "../nouns/score.ts";
import { Usage } from "../nouns/transcript.ts";

const word = z.enum([...ARMS, "tie"]).nullable();

/** One line of judgements.jsonl: what a judge model said of one case and trial, in both orders. */
export const JudgementLine = z.object({
  case: z.string(),
  trial: z.int(),
  /** Null is unscored. */
  preferred: word,
  orders: z.array(
    z.object({
      first: z.enum(ARMS),
      preferred: word,
      reason: z.string(),
      unparsable: z.boolean(),
      usage: Usage.nullable(),
      /** Served from a recording. */
      replayed: z.boolean().default(false),
    }),
  ),
});
export type JudgementLine = z.infer<typeof JudgementLine>;

/** What judging cost. Tokens are null where a reply came without usage. */
const Tokens = z.object({ prompt: z.int(), cached: z.int(), completion: z.int() }).nullable();

/** judge.json: which judge, asked how, and what it prefers, by case as people's preferences are counted. */
export const JudgeRecord = z.object({
  schema: z.literal("evalkit.judge/1"),
  runId: z.string(),
  model: z.string(),
  criterion: z.string(),
  /** Digest of the system prompt and the frame around the outputs, and the settings sent with every call. */
  promptDigest: z.string(),
  request: z.record(z.string(), z.unknown()),
  /** The judge is the model under test: it favours its own outputs. */
  judgesItself: z.boolean(),
  /** Pairs with a line in judgements.jsonl. */
  pairs: z.int(),
  /** Of these, pairs of equal outputs: a tie without a call. */
  equal: z.int().default(0),
  /** Pairs of the run that were not put to the judge, and why judging was stopped; null: it was not. */
  notJudged: z.int().default(0),
  stopped: z.string().nullable().default(null),
  /** Pairs without a verdict in one of the orders, and replies that were no verdict. */
  unscored: z.int(),
  unparsable: z.int(),
  calls: z.int(),
  preference: z.object({
    candidate: z.int(),
    baseline: z.int(),
    tie: z.int(),
    p: z.number().nullable(),
  }),
  /** Share of pairs judged in both orders in which the orders agree; null without any. */
  consistent: z.number().nullable(),
  /** Share of single verdicts other than tie that name the output standing first; 0.5 is no bias. */
  firstPlace: z.number().nullable(),
  /**
   * Share of pairs in which the judge says what people say, where sheets of pairs were imported: each pair once, by the
   * mean of its raters, with an interval clustered by case.
   */
  people: z.object({
    pairs: z.int(),
    cases: z.int().nullable().default(null),
    agree: z.number().nullable(),
    low: z.number().nullable().default(null),
    high: z.number().nullable().default(null),
  }),
  tokens: Tokens,
  /** The tokens at the judge's price, replayed replies included; null where either is unknown. */
  cost: z.number().nullable().default(null),
});
export type JudgeRecord = z.infer<typeof JudgeRecord>;
