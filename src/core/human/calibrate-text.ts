import type { Arm } from "../nouns/score.ts";
import { shareText as percentText } from "../text/figures.ts";
import type { Calibration, Share } from "./calibrate.ts";
import type { LabelOptions } from "./judged.ts";

/** A judge's checks against people's scores, line by line as a person reads it. */
export function calibrationText(
  result: Record<Arm | "all", Calibration>,
  { dimension, pass }: LabelOptions,
): string[] {
  return [
    `People pass an output from a mean ${dimension} of ${pass}.`,
    "",
    ...armLines("all outputs", result.all),
    ...armLines("baseline", result.baseline),
    ...armLines("candidate", result.candidate),
    "Intervals allow for trials of one case being alike.",
    "",
  ];
}

function armLines(name: string, one: Calibration): string[] {
  const { truePass, falsePass, falseFail, trueFail } = one.confusion;
  const width = Math.max(
    ...[truePass, falsePass, falseFail, trueFail].map((count) => String(count).length),
    4,
  );
  const cell = (count: number): string => String(count).padStart(width);
  const { corrected } = one;
  return [
    `${name}: ${one.judged} judged, the judge's own pass rate ${percent(one.raw)}`,
    `               people: ${"pass".padStart(width)} ${"fail".padStart(width)}`,
    `  judge: pass          ${cell(truePass)} ${cell(falsePass)}`,
    `  judge: fail          ${cell(falseFail)} ${cell(trueFail)}`,
    `  sensitivity ${shareText(one.sensitivity)}, specificity ${shareText(one.specificity)}`,
    corrected.rate === null
      ? `  corrected rate: undefined, ${corrected.reason}`
      : `  corrected rate ${percent(corrected.rate)} (${percent(corrected.low)} to ${percent(corrected.high)})`,
    "",
  ];
}

function shareText({ rate, of, interval }: Share): string {
  if (rate === null) return "undefined";
  if (interval === null) return `${percent(rate)} of ${of}, all of one case`;
  return `${percent(rate)} of ${of} (${percent(interval.low)} to ${percent(interval.high)})`;
}

function percent(rate: number | null): string {
  return rate === null ? "undefined" : percentText(rate, 1);
}
