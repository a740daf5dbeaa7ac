import type { Arm } from "../nouns/score.ts";
import type { Dimension } from "../sheet/columns.ts";
import { sum } from "../stats/moments.ts";
import { numberOf, type ScoreRow } from "./score-row.ts";

/** Arithmetic mean of values that are there; a group is never empty. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Groups in the order of their first member. */
export function groupBy<T>(list: readonly T[], id: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const group = groups.get(id(one));
    if (group === undefined) groups.set(id(one), [one]);
    else group.push(one);
  }
  return groups;
}

/**
 * The values of each case's trials: of each the mean over raters of the mean over a rater's own repeats. So a trial
 * that was scored twice weighs no more than one that was scored once. Cases without a value are absent.
 */
export function trialValues(
  rows: readonly ScoreRow[],
  value: (row: ScoreRow) => number | null,
): ReadonlyMap<string, readonly number[]> {
  const valued = rows.filter((row) => value(row) !== null);
  const ofRater = (list: readonly ScoreRow[]): number => mean(list.flatMap((row) => value(row) ?? []));
  const ofTrial = (list: readonly ScoreRow[]): number =>
    mean([...groupBy(list, (row) => row.rater).values()].map(ofRater));
  const ofCase = (list: readonly ScoreRow[]): number[] =>
    [...groupBy(list, (row) => String(row.trial)).values()].map(ofTrial);
  return new Map([...groupBy(valued, (row) => row.case)].map(([id, list]) => [id, ofCase(list)]));
}

/** Scores of one arm and dimension by case, a value a trial. */
export function scoresOf(
  rows: readonly ScoreRow[],
  arm: Arm,
  dimension: Dimension,
): ReadonlyMap<string, readonly number[]> {
  return trialValues(
    rows.filter((row) => row.arm === arm),
    (row) => numberOf(row, dimension),
  );
}

/** The mean of each case. */
export function caseMeans(values: ReadonlyMap<string, readonly number[]>): ReadonlyMap<string, number> {
  return new Map([...values].map(([id, trials]) => [id, mean(trials)]));
}
