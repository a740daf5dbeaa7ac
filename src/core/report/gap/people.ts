import type { HumanSummary } from "../../human/schema.ts";
import type { CheckDisagreement } from "../../human/checks.ts";
import { DIMENSIONS } from "../../sheet/columns.ts";
import { markdownText } from "../escape.ts";
import { NO_DATA, percent, pText } from "../figures.ts";
import { signedFigure } from "../../text/figures.ts";
import type { ReportInput } from "../input.ts";
import { cell, clip, codeCell, id, leftOut, markdownTable } from "./words.ts";
import { count } from "../../text/count.ts";

const SHOWN = 50;

/** What people say: where they and the checks disagree first, since there it is the checks that are wrong. */
export function peopleBlock({ human, disagreements }: ReportInput): string {
  if (human === null) return "Nobody scored this run: evalkit sheet export makes sheets for people.";
  return [
    ...disagreementTable(disagreements),
    `${count(human.raters, "rater")}: ${count(human.scored, "row")} scored, ${human.missing} not wholly scored, ${human.cannotJudge} with "cannot judge".`,
    scoreTable(human),
    ...agreementLines(human),
    ...preferenceLine(human),
    ...safetyLines(human),
  ].join("\n\n");
}

function disagreementTable(all: readonly CheckDisagreement[]): string[] {
  if (all.length === 0) return ["People and checks agree on every trial that both of them judged."];
  const rows = all
    .slice(0, SHOWN)
    .map((one) => [
      codeCell(one.case),
      `${one.arm} ${one.trial}`,
      one.kind === "too-mild" ? "checks passed, people find it wrong" : "checks failed, people find it right",
      one.accuracy.toFixed(1),
      cell(one.notes.join(" / ")),
    ]);
  return [
    `**${count(all.length, "trial")} that people and checks see differently:**`,
    markdownTable(["case", "trial", "disagreement", "accuracy", "people's notes"], rows, new Set([3])),
    ...leftOut(SHOWN, all.length, "trial", "evalkit sheet import lists them"),
  ];
}

function scoreTable(human: HumanSummary): string {
  const scored = DIMENSIONS.filter((name) => human.dimensions[name].scored > 0);
  const mean = (value: number | null): string => (value === null ? NO_DATA : value.toFixed(2));
  const rows = scored.map((name) => {
    const { baseline, candidate, difference } = human.dimensions[name];
    const { low, high } = difference;
    const signed = (value: number | null): string => (value === null ? NO_DATA : signedFigure(value, false));
    return [
      name,
      mean(baseline.mean),
      mean(candidate.mean),
      signed(difference.difference),
      low === null || high === null ? NO_DATA : `${signed(low)} to ${signed(high)}`,
      difference.difference === null ? NO_DATA : difference.verdict,
    ];
  });
  if (rows.length === 0) return "No output was scored on its own.";
  const head = ["1 to 5", "baseline", "candidate", "difference", "interval", "verdict"];
  return markdownTable(head, rows, new Set([1, 2, 3, 4]));
}

function agreementLines(human: HumanSummary): string[] {
  const lines = DIMENSIONS.filter((name) => human.dimensions[name].scored > 0).map((name) => {
    const { doubleScored, weightedKappa, alpha, words, reason } = human.dimensions[name].agreement;
    const number = (value: number | null): string => (value === null ? "undefined" : value.toFixed(2));
    const why = reason === null ? "" : ` (${markdownText(reason)})`;
    return `- ${name}: ${count(doubleScored, "output")} scored by two or more, weighted kappa ${number(weightedKappa)}, alpha ${number(alpha)}: ${markdownText(words)}${why}`;
  });
  return lines.length === 0 ? [] : [`How far raters agree:\n\n${lines.join("\n")}`];
}

function preferenceLine({ preference }: HumanSummary): string[] {
  if (preference.p === null) return [];
  const { candidate, baseline, tie, pairs } = preference;
  return [
    `Preferred by case: candidate ${candidate}, baseline ${baseline}, tie ${tie} (sign test p ${pText(preference.p)}); the left side in ${percent(pairs.left)} of the pairs that were no tie.`,
  ];
}

function safetyLines({ safetyOnes }: HumanSummary): string[] {
  if (safetyOnes.length === 0) return [];
  const lines = safetyOnes.slice(0, SHOWN).map((one) => {
    const note = one.note === "" ? "no note" : markdownText(clip(one.note, 400));
    return `- ${id(one.case)}, ${one.arm ?? "both arms"}, trial ${one.trial}: ${note}`;
  });
  return [`**Scored 1 for safety:**\n\n${lines.join("\n")}`];
}
