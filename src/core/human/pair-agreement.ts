import type { Arm } from "../nouns/score.ts";
import { trialKey } from "../record/trial-key.ts";
import { clusterJackknife } from "../stats/cluster-jackknife.ts";
import { clusteredShare } from "../stats/clustered-share.ts";
import { clamp, type Interval } from "../stats/interval.ts";
import { tInterval } from "../stats/t-interval.ts";
import { type Figure, kappaOfTable, UNWEIGHTED } from "./agreement.ts";
import type { JudgementLine } from "./judge-record.ts";
import { groupBy, mean, ratersMean } from "./means.ts";
import { leaning, NOTHING } from "./preference.ts";
import type { ScoreRow } from "./score-row.ts";

/** Words on a pair in the order of the table. */
export const WORDS = ["candidate", "baseline", "tie"] as const;
export type Word = (typeof WORDS)[number];

/** A share with an interval that allows for cases; `rate` is null where nothing was counted, `interval` below two cases. */
export interface ClusteredShare {
  readonly rate: number | null;
  readonly of: number;
  readonly interval: Interval | null;
}

/** A pairwise judge held against people, pair by pair. */
export interface PairAgreement {
  /** Pairs with a word of people and of the judge, and how many cases they come from. */
  readonly pairs: number;
  readonly cases: number;
  /** Pairs that people judged and the judge gave no verdict on. */
  readonly unjudged: number;
  /** Rows: the judge's word, columns: people's, as in `WORDS`. */
  readonly table: readonly (readonly number[])[];
  /** A tie agrees with a tie only. */
  readonly agree: ClusteredShare;
  /** The same where neither says tie. */
  readonly decided: ClusteredShare;
  readonly kappa: Figure & { readonly interval: Interval | null };
  /** Mean over cases of judge − people, candidate 1, tie 0, baseline −1: above 0 the judge favours the candidate. */
  readonly lean: { readonly mean: number | null; readonly interval: Interval | null };
}

/** What the order of the outputs did to the judge's verdicts. */
export interface PositionBias {
  /** Of the pairs asked in both orders, the share whose verdict changed with the order. */
  readonly changed: ClusteredShare;
  /** Of the single verdicts other than tie, the share that names the output standing first; 0.5 is no bias. */
  readonly first: ClusteredShare;
}

interface Both {
  readonly case: string;
  readonly judge: Word;
  readonly people: Word;
}

/**
 * Holds judgements against people's preferences. A pair counts once however many people judged it: their word is the sign of
 * the mean over raters (of the mean over a rater's repeats), a draw a tie. Intervals are clustered by case.
 */
export function pairAgreement(
  lines: readonly JudgementLine[],
  rows: readonly ScoreRow[],
  alpha: number,
): PairAgreement {
  const people = peoplesWords(rows);
  const held = lines.flatMap((line) => {
    const word = people.get(trialKey({ ...line, arm: null }));
    return word === undefined ? [] : [{ case: line.case, judge: line.preferred, people: word }];
  });
  const both = held.flatMap(({ judge, ...rest }): Both[] => (judge === null ? [] : [{ ...rest, judge }]));
  const clusters = [...groupBy(both, (one) => one.case).values()];
  const leans = clusters.map((own) => mean(own.map(({ judge, people }) => LEAN[judge] - LEAN[people])));
  const lean = tInterval(leans, alpha);
  return {
    ...{ pairs: both.length, cases: clusters.length, unjudged: held.length - both.length },
    table: tableOf(both),
    agree: shareOf(both, agrees, alpha),
    decided: shareOf(
      both.filter(({ judge, people }) => judge !== "tie" && people !== "tie"),
      agrees,
      alpha,
    ),
    kappa: { ...kappaOf(tableOf(both)), interval: kappaInterval(clusters, alpha) },
    lean: {
      mean: leans.length === 0 ? null : mean(leans),
      interval: lean && { low: lean.low, high: lean.high },
    },
  };
}

/** How far the place of an output decides. */
export function positionBias(lines: readonly JudgementLine[], alpha: number): PositionBias {
  const asked = lines.filter((line) => line.orders.length > 0 && line.preferred !== null);
  const verdicts = lines.flatMap((line) =>
    line.orders
      .filter((order) => order.preferred !== null && order.preferred !== "tie")
      .map((order) => ({ case: line.case, first: order.preferred === order.first })),
  );
  const changes = ({ orders }: JudgementLine): boolean =>
    orders.some((order) => order.preferred !== orders[0]?.preferred);
  return { changed: shareOf(asked, changes, alpha), first: shareOf(verdicts, (one) => one.first, alpha) };
}

const LEAN = { candidate: 1, baseline: -1, tie: 0 } as const;

function agrees({ judge, people }: Both): boolean {
  return judge === people;
}

function peoplesWords(rows: readonly ScoreRow[]): ReadonlyMap<string, Arm | "tie"> {
  const judged = rows.filter((row) => row.arm === null && leaning(row) !== null);
  return new Map(
    [...groupBy(judged, trialKey)].map(([key, own]) => {
      const value = ratersMean(own, leaning);
      return [key, value > NOTHING ? "candidate" : value < -NOTHING ? "baseline" : "tie"];
    }),
  );
}

function shareOf<T extends { readonly case: string }>(
  list: readonly T[],
  holds: (one: T) => boolean,
  alpha: number,
): ClusteredShare {
  if (list.length === 0) return { rate: null, of: 0, interval: null };
  const clusters = [...groupBy(list, (one) => one.case).values()].map((own) =>
    own.map((one) => (holds(one) ? 1 : 0)),
  );
  return { rate: mean(clusters.flat()), of: list.length, interval: clusteredShare(clusters, alpha) };
}

function tableOf(both: readonly Both[]): readonly (readonly number[])[] {
  const table = WORDS.map(() => WORDS.map(() => 0));
  for (const { judge, people } of both) {
    const row = table[WORDS.indexOf(judge)] ?? [];
    const at = WORDS.indexOf(people);
    row[at] = (row[at] ?? 0) + 1;
  }
  return table;
}

/** Cohen's kappa of three words without an order: a tie for a win is as wrong as the other version's win. */
function kappaOf(table: PairAgreement["table"]): Figure {
  if (table.flat().every((count) => count === 0))
    return { value: null, reason: "no pair was judged by both" };
  const found = kappaOfTable(table, UNWEIGHTED);
  return found.value === null ? { value: null, reason: "both say one and the same throughout" } : found;
}

function kappaInterval(clusters: readonly (readonly Both[])[], alpha: number): Interval | null {
  const all = tableOf(clusters.flat());
  const own = clusters.map(tableOf);
  const without = (left: number): number | null =>
    kappaOf(all.map((row, i) => row.map((count, j) => count - (own[left]?.[i]?.[j] ?? 0)))).value;
  const interval = clusterJackknife(clusters.length, kappaOf(all).value, without, alpha);
  return interval && clamp(interval, -1, 1);
}
