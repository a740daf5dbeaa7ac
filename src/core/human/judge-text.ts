import { count } from "../text/count.ts";
import { figure as costText, shareText } from "../text/figures.ts";
import type { JudgeRecord } from "./judge-record.ts";

/** What a judging found, line by line as a person reads it. */
export function judgeText(record: JudgeRecord): string[] {
  const { preference, unscored, pairs, equal, calls, people } = record;
  return [
    `${record.model} judged ${count(pairs, "pair")} in both orders (${count(calls, "call")}): ${record.criterion}`,
    ...(record.stopped === null
      ? []
      : [`Stopped: ${record.stopped}. ${count(record.notJudged, "pair")} of the run not judged.`]),
    ...(equal === 0 ? [] : [`${count(equal, "pair")} of equal outputs: a tie without a call.`]),
    preference.p === null
      ? "No pair got a verdict: nothing is known of which version is better."
      : `By case: candidate ${preference.candidate}, baseline ${preference.baseline}, tie ${preference.tie}; sign test p ${preference.p.toFixed(3)}.`,
    `Both orders agree in ${percent(record.consistent)} of the pairs; the output standing first is named in ${percent(record.firstPlace)} of the verdicts.`,
    ...(unscored === 0
      ? []
      : [`${count(unscored, "pair")} unscored; replies that were no verdict: ${record.unparsable}.`]),
    people.pairs === 0 ? "Not held against people yet: evalkit sheet export --kind pair." : agreement(people),
    spent(record),
  ];
}

function agreement({ pairs, cases, agree, low, high }: JudgeRecord["people"]): string {
  const range = low === null || high === null ? "" : ` (${percent(low)} to ${percent(high)})`;
  const seen = cases === null ? "" : ` of ${count(cases, "case")}`;
  return `It agrees with people in ${percent(agree)}${range} of ${count(pairs, "pair")}${seen}: evalkit calibrate-judge.`;
}

function spent({ tokens, cost, model }: JudgeRecord): string {
  if (tokens === null) return `Tokens: unknown, ${model}'s server sends no usage.`;
  const money = cost === null ? `unknown, no price is set for ${model}` : costText(cost);
  return `Tokens: ${tokens.prompt} prompt, ${tokens.completion} completion; cost ${money}.`;
}

function percent(value: number | null): string {
  return value === null ? "an undefined share" : shareText(value, 0);
}
