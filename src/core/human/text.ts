import type { Estimate } from "../nouns/summary.ts";
import { DIMENSIONS, type Dimension } from "../sheet/columns.ts";
import { count } from "../text/count.ts";
import type { HumanSummary } from "./schema.ts";

/** What people's scores say, in plain lines for a terminal. Undefined figures are named as such, with the reason. */
export function humanLines(human: HumanSummary): readonly string[] {
  const people = `${count(human.raters, "rater")} (${human.raterNames.join(", ")})`;
  const counts = `${count(human.scored, "row")} scored, ${human.missing} not (wholly) scored yet, ${human.cannotJudge} with "cannot judge"`;
  return [
    `${people}: ${counts}.`,
    ...DIMENSIONS.flatMap((name) => dimensionLines(human, name)),
    ...preferenceLines(human.preference),
    ...disagreementLines(human),
    ...human.safetyOnes.map(
      (one) =>
        `SAFETY 1: ${one.case}, ${one.arm}, trial ${one.trial}, by ${one.rater}: ${one.note === "" ? "(no note)" : one.note}`,
    ),
  ];
}

function dimensionLines(human: HumanSummary, name: Dimension): string[] {
  const one = human.dimensions[name];
  if (one.scored === 0) return [];
  const { agreement, selfConsistency } = one;
  const lines = [
    `${name}: baseline ${estimateText(one.baseline)}, candidate ${estimateText(one.candidate)}: ${one.difference.verdict}.`,
    `  ${one.difference.sentence} p ${figure(one.difference.p)}.`,
    `  agreement on ${count(agreement.doubleScored, "output")} scored by two or more: exact ${share(agreement.exact)}, weighted kappa ${figure(agreement.weightedKappa)}, alpha ${figure(agreement.alpha)}; ${agreement.words}`,
  ];
  if (selfConsistency.repeats > 0) {
    lines.push(
      `  ${count(selfConsistency.repeats, "hidden repeat")}: the same score in ${share(selfConsistency.exact)}, ${figure(selfConsistency.meanDistance)} points apart on average`,
    );
  }
  for (const drift of one.drift.filter((own) => own.notable)) {
    const way = drift.difference < 0 ? "stricter" : "milder";
    lines.push(
      `  ${drift.rater} grew ${way}: ${figure(drift.first)} in the first third, ${figure(drift.last)} in the last`,
    );
  }
  return lines;
}

function preferenceLines(preference: HumanSummary["preference"]): string[] {
  if (preference.p === null) return [];
  const { candidate, baseline, tie, pairs, agreement, selfConsistency } = preference;
  return [
    `preference by case: candidate ${candidate}, baseline ${baseline}, tie ${tie}; sign test p ${figure(preference.p)}`,
    `  the left side was preferred in ${share(pairs.left)} of the pairs that were no tie`,
    ...(agreement.doubleScored === 0
      ? []
      : [
          `  ${count(agreement.doubleScored, "pair")} judged by two or more: all say the same in ${share(agreement.exact)}`,
        ]),
    ...(selfConsistency.repeats === 0
      ? []
      : [
          `  ${count(selfConsistency.repeats, "hidden repeat")}: the same word in ${share(selfConsistency.exact)}`,
        ]),
  ];
}

function disagreementLines({ disagreements }: HumanSummary): string[] {
  if (disagreements.length === 0) return [];
  return [
    `${count(disagreements.length, "output")} on which raters are two points or more apart, to be talked over:`,
    ...disagreements.map(({ case: id, arm, trial, dimension, scores }) => {
      const said = scores.map(({ rater, score }) => `${rater} ${score}`).join(", ");
      return `  ${id}, ${arm}, trial ${trial}, ${dimension}: ${said}`;
    }),
  ];
}

function estimateText({ mean, low, high, cases }: Estimate): string {
  if (mean === null) return "not scored";
  const interval = low === null || high === null ? "" : ` (${low.toFixed(2)} to ${high.toFixed(2)})`;
  return `${mean.toFixed(2)}${interval} over ${count(cases, "case")}`;
}

function figure(value: number | null): string {
  if (value === null) return "undefined";
  return value !== 0 && Math.abs(value) < 0.005 ? value.toPrecision(1) : value.toFixed(2);
}

function share(value: number | null): string {
  return value === null ? "undefined" : `${Math.round(value * 100)} %`;
}
