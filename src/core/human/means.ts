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
 * What people say of one output: the mean over raters of the mean over a rater's own repeats, so that none weighs more for
 * having seen it twice. At least one row has a value.
 */
export function ratersMean(rows: readonly ScoreRow[], value: (row: ScoreRow) => number | null): number {
  const raters = groupBy(
    rows.filter((row) => value(row) !== null),
    (row) => row.rater,
  );
  return mean([...raters.values()].map((own) => mean(own.flatMap((row) => value(row) ?? []))));
}

/**
 * The values of each case's trials, each by `ratersMean`: a trial that was scored twice weighs no more than one that was
 * scored once. Cases without a value are absent.
 */
export function trialValues(
  rows: readonly ScoreRow[],
  value: (row: ScoreRow) => number | null,
): ReadonlyMap<string, readonly number[]> {
  const valued = rows.filter((row) => value(row) !== null);
  const ofCase = (list: readonly ScoreRow[]): number[] =>
    [...groupBy(list, (row) => String(row.trial)).values()].map((own) => ratersMean(own, value));
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
