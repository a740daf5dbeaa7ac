import type { Dimension } from "../sheet/columns.ts";
import { DIMENSIONS } from "../sheet/columns.ts";
import { variance } from "../stats/moments.ts";
import { agreementInWords, krippendorffAlpha, ORDINAL, weightedKappa } from "./agreement.ts";
import { byText } from "../text/order.ts";
import { groupBy, mean } from "./means.ts";
import { numberOf, type ScoreRow } from "./score-row.ts";
import { trialKey } from "../record/trial-key.ts";

/** A rater's first scores of each trial: hidden repeats say nothing about agreement between people. */
function originals(rows: readonly ScoreRow[]): readonly ScoreRow[] {
  return rows.filter((row) => row.repeatOf === null && row.arm !== null);
}

/** How far raters agree in one dimension, over the outputs that at least two of them scored. */
export function agreementOf(rows: readonly ScoreRow[], dimension: Dimension) {
  const units = [...groupBy(originals(rows), trialKey).values()].map((unit) =>
    [...groupBy(unit, (row) => row.rater).entries()]
      .sort(([a], [b]) => byText(a, b))
      .flatMap(([, own]) => own.map((row) => numberOf(row, dimension)).find((value) => value !== null) ?? []),
  );
  const double = units.filter((unit) => unit.length > 1);
  const pairs = double.flatMap(pairsOf);
  const kappa = weightedKappa(pairs);
  const alpha = krippendorffAlpha(double, ORDINAL);
  return {
    doubleScored: double.length,
    exact: pairs.length === 0 ? null : mean(pairs.map(([a, b]) => (a === b ? 1 : 0))),
    weightedKappa: kappa.value,
    alpha: alpha.value,
    reason: reasonOf(kappa) ?? reasonOf(alpha),
    words: agreementInWords(alpha),
  };
}

function reasonOf(figure: { value: number } | { value: null; reason: string }): string | null {
  return figure.value === null ? figure.reason : null;
}

/** Every two of the values, in order. */
function pairsOf(values: readonly number[]): [number, number][] {
  return values.flatMap((a, at) => values.slice(at + 1).map((b): [number, number] => [a, b]));
}

/** How far raters agree with themselves: hidden repeats against the originals of the same rater. */
export function selfConsistencyOf(rows: readonly ScoreRow[], dimension: Dimension) {
  const own = new Map(rows.map((row) => [`${row.rater}\n${row.item}`, row]));
  const apart = rows.flatMap((row) => {
    const original = row.repeatOf === null ? undefined : own.get(`${row.rater}\n${row.repeatOf}`);
    const [again, first] = [
      numberOf(row, dimension),
      original === undefined ? null : numberOf(original, dimension),
    ];
    return again === null || first === null ? [] : [Math.abs(again - first)];
  });
  return {
    repeats: apart.length,
    exact: apart.length === 0 ? null : mean(apart.map((distance) => (distance === 0 ? 1 : 0))),
    meanDistance: apart.length === 0 ? null : mean(apart),
  };
}

/** Scores that a rater must have given in each third before a drift is worth a number. */
const DRIFT_LEAST = 3;

/**
 * Did a rater grow stricter or milder? Means of the first and the last third of their sheet. The order was drawn by
 * chance, so the thirds should not differ but by chance; `notable` is a step of half a point and two standard errors.
 */
export function driftOf(rows: readonly ScoreRow[], dimension: Dimension) {
  return [...groupBy(rows, (row) => row.rater)].flatMap(([rater, own]) => {
    const sheet = own.filter((row) => row.arm !== null && row.position !== null);
    const third = Math.floor(sheet.length / 3);
    const inOrder = [...sheet].sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
    const scores = (part: readonly ScoreRow[]) => part.flatMap((row) => numberOf(row, dimension) ?? []);
    const [first, last] = [scores(inOrder.slice(0, third)), scores(inOrder.slice(inOrder.length - third))];
    if (Math.min(first.length, last.length) < DRIFT_LEAST) return [];
    const difference = mean(last) - mean(first);
    const error = Math.sqrt((variance(first) ?? 0) / first.length + (variance(last) ?? 0) / last.length);
    const notable = Math.abs(difference) >= 0.5 && Math.abs(difference) > 2 * error;
    return [{ rater, first: mean(first), last: mean(last), difference, notable }];
  });
}

/** Outputs on which two raters are two points or more apart, widest first: to be talked over. */
export function disagreementsOf(rows: readonly ScoreRow[]) {
  return [...groupBy(originals(rows), trialKey).values()]
    .flatMap((unit) => DIMENSIONS.flatMap((dimension) => disagreementIn(unit, dimension) ?? []))
    .sort((a, b) => b.apart - a.apart || byText(a.case, b.case));
}

function disagreementIn(unit: readonly ScoreRow[], dimension: Dimension) {
  const scored = unit.flatMap((row) => {
    const score = numberOf(row, dimension);
    return score === null ? [] : [{ rater: row.rater, score, note: row.note }];
  });
  const [first] = unit;
  const apart = Math.max(...scored.map((one) => one.score)) - Math.min(...scored.map((one) => one.score));
  if (first === undefined || scored.length < 2 || apart < 2) return null;
  return { case: first.case, arm: first.arm, trial: first.trial, dimension, apart, scores: scored };
}

/** Every safety score of 1, never averaged away. A repeat of the same rater's own 1 is listed once. */
export function safetyOnesOf(rows: readonly ScoreRow[]) {
  const ones = rows.filter((row) => row.safety === 1 && row.arm !== null);
  return [...groupBy(ones, (row) => `${row.rater}\n${trialKey(row)}`).values()]
    .map((same) => {
      const [first] = same;
      const notes = [...new Set(same.map((row) => row.note).filter((note) => note !== ""))];
      return first === undefined
        ? null
        : {
            case: first.case,
            arm: first.arm,
            trial: first.trial,
            rater: first.rater,
            note: notes.join("\n"),
          };
    })
    .filter((one) => one !== null)
    .sort((a, b) => byText(a.case, b.case) || a.trial - b.trial);
}
