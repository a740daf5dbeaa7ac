import type { Price } from "../config/settings.ts";
import { costOf } from "../score/cost.ts";
import { sumUsage } from "../score/usage.ts";
import type { JudgementLine, JudgeRecord } from "./judge-record.ts";
import { mean } from "./means.ts";
import { pairAgreement } from "./pair-agreement.ts";
import { preferenceOf } from "./preference.ts";
import { ScoreRow } from "./score-row.ts";

/** What follows from the judgements alone. */
export type JudgeFigures = Omit<
  JudgeRecord,
  | ("schema" | "runId" | "model" | "criterion" | "promptDigest" | "request" | "judgesItself")
  | ("notJudged" | "stopped")
>;

/** Sums up judgements; `people` are the human scores of the run, `price` is the judge's, 1 − `alpha` the intervals' level. */
export function judgeFigures(
  lines: readonly JudgementLine[],
  people: readonly ScoreRow[],
  price: Price | null,
  alpha: number,
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
    people: againstPeople(lines, people, alpha),
    tokens,
    cost: tokens === null || price === null ? null : costOf(tokens, price),
  };
}

function asRow(line: JudgementLine): ScoreRow {
  const none = { accuracy: null, completeness: null, safety: null, note: "" };
  const place = { item: `${line.case} ${line.trial}`, case: line.case, arm: null, trial: line.trial };
  return ScoreRow.parse({ ...place, ...none, rater: "judge", preferred: line.preferred });
}

function againstPeople(
  lines: readonly JudgementLine[],
  rows: readonly ScoreRow[],
  alpha: number,
): JudgeRecord["people"] {
  const { pairs, cases, agree } = pairAgreement(lines, rows, alpha);
  const { low, high } = agree.interval ?? { low: null, high: null };
  return { pairs, cases, agree: agree.rate, low, high };
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
