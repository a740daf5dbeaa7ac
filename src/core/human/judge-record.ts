import * as z from "zod";
import { ARMS } from "../nouns/score.ts";
import { Usage } from "../nouns/transcript.ts";
import { mean } from "./means.ts";
import { preferenceOf } from "./preference.ts";
import { ScoreRow } from "./score-row.ts";
import { trialKey } from "../record/trial-key.ts";
import type { Price } from "../config/settings.ts";
import { costOf } from "../score/cost.ts";
import { sumUsage } from "../score/usage.ts";

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
  /** Digest of the system prompt, and the settings sent with every call. */
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
  /** Against people's preferences of the same pairs, where sheets of pairs were imported. */
  people: z.object({ pairs: z.int(), agree: z.number().nullable() }),
  tokens: Tokens,
  /** The tokens at the judge's price, replayed replies included; null where either is unknown. */
  cost: z.number().nullable().default(null),
});
export type JudgeRecord = z.infer<typeof JudgeRecord>;

/** What follows from the judgements alone. */
export type JudgeFigures = Omit<
  JudgeRecord,
  | ("schema" | "runId" | "model" | "criterion" | "promptDigest" | "request" | "judgesItself")
  | ("notJudged" | "stopped")
>;

/** Sums up judgements; `people` are the human scores of the run, `price` is the judge's. */
export function judgeFigures(
  lines: readonly JudgementLine[],
  people: readonly ScoreRow[],
  price: Price | null = null,
): JudgeFigures {
  const tokens = tokensOf(lines);
  const orders = lines.flatMap((line) => line.orders);
  const { candidate, baseline, tie, p } = preferenceOf(lines.map(asRow));
  const both = lines.filter((line) => line.orders.length > 0 && line.preferred !== null);
  const decided = orders.filter((order) => order.preferred !== null && order.preferred !== "tie");
  return {
    pairs: lines.length,
    equal: lines.filter((line) => line.orders.length === 0).length,
    unscored: lines.filter((line) => line.preferred === null).length,
    unparsable: orders.filter((order) => order.unparsable).length,
    calls: orders.length,
    preference: { candidate, baseline, tie, p },
    consistent: share(both, (line) =>
      line.orders.every((order) => order.preferred === line.orders[0]?.preferred),
    ),
    firstPlace: share(decided, (order) => order.preferred === order.first),
    people: againstPeople(lines, people),
    tokens,
    cost: tokens === null || price === null ? null : costOf(tokens, price),
  };
}

function asRow(line: JudgementLine): ScoreRow {
  const none = { accuracy: null, completeness: null, safety: null, note: "" };
  const place = { item: `${line.case} ${line.trial}`, case: line.case, arm: null, trial: line.trial };
  return ScoreRow.parse({ ...place, ...none, rater: "judge", preferred: line.preferred });
}

function againstPeople(lines: readonly JudgementLine[], people: readonly ScoreRow[]): JudgeRecord["people"] {
  const judged = new Map(lines.map((line) => [trialKey({ ...line, arm: null }), line.preferred]));
  const both = people.flatMap((row) => {
    const judge = row.arm === null ? judged.get(trialKey(row)) : undefined;
    if (judge === undefined || judge === null || row.preferred === null || row.preferred === "x") return [];
    return [judge === row.preferred];
  });
  return { pairs: both.length, agree: share(both, (agrees) => agrees) };
}

function share<T>(list: readonly T[], holds: (one: T) => boolean): number | null {
  return list.length === 0 ? null : mean(list.map((one) => (holds(one) ? 1 : 0)));
}

/** Calls that failed brought no reply, and so no usage that could be missing. */
function tokensOf(lines: readonly JudgementLine[]): JudgeRecord["tokens"] {
  const answered = lines.flatMap(({ orders }) =>
    orders.filter(({ preferred, unparsable }) => preferred !== null || unparsable),
  );
  const sum = sumUsage(answered.map(({ usage }) => usage));
  return sum && { prompt: sum.prompt, cached: sum.cached, completion: sum.completion };
}
