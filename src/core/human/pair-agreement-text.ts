import { count } from "../text/count.ts";
import type { JudgeRecord } from "./judge-record.ts";
import { shareText as percentText } from "../text/figures.ts";
import { type ClusteredShare, type PairAgreement, type PositionBias, WORDS } from "./pair-agreement.ts";

/** A pairwise judge against people, line by line as a person reads it. */
export function pairAgreementText(
  { model, criterion, notJudged }: Pick<JudgeRecord, "model" | "criterion" | "notJudged">,
  agreement: PairAgreement,
  bias: PositionBias,
): string[] {
  const { pairs, cases, unjudged, agree, decided, kappa } = agreement;
  return [
    `pairs: ${model} against people, ${count(pairs, "pair")} of ${count(cases, "case")}`,
    `  asked: ${criterion}`,
    ...(notJudged === 0
      ? []
      : [`  the judging was stopped: ${count(notJudged, "pair")} of the run not judged`]),
    ...(unjudged === 0
      ? []
      : [`  ${count(unjudged, "pair")} more that people judged have no verdict of the judge`]),
    ...tableLines(agreement.table),
    `  agreement ${shareText(agree)}; a tie agrees with a tie only`,
    `  where neither says tie ${shareText(decided)}`,
    `  kappa ${kappa.value === null ? `undefined, ${kappa.reason}` : `${kappa.value.toFixed(2)}${range(kappa.interval, 2, 1, "")}`}`,
    `  the verdict changed with the order in ${shareText(bias.changed)} pairs: each counts as the judge's tie`,
    `  the output standing first is named in ${shareText(bias.first)} verdicts other than tie; 50 % is no bias`,
    "Intervals allow for pairs of one case being alike.",
  ];
}

function tableLines(table: PairAgreement["table"]): string[] {
  const cells = table.map((row) => row.map((cell) => String(cell).padStart(9)).join(" "));
  return [
    `  ${"people:".padStart(18)} ${WORDS.map((word) => word.padStart(9)).join(" ")}`,
    ...WORDS.map((word, at) => `  judge: ${word.padEnd(11)} ${cells[at]}`),
  ];
}

function shareText({ rate, of, interval }: ClusteredShare): string {
  return rate === null
    ? "an undefined share of 0"
    : `${percent(rate)} of ${of}${range(interval, 1, 100, " %")}`;
}

function range(interval: ClusteredShare["interval"], digits: number, scale: number, unit: string): string {
  if (interval === null) return "";
  const [low, high] = [interval.low, interval.high].map(
    (value) => `${(value * scale).toFixed(digits)}${unit}`,
  );
  return ` (${low} to ${high})`;
}

function percent(rate: number): string {
  return percentText(rate, 1);
}
