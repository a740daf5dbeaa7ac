import { mcNemar } from "../stats/mcnemar.ts";
import { caseMeans, groupBy, mean, trialValues } from "./means.ts";
import type { ScoreRow } from "./score-row.ts";
import type { HumanSummary } from "./schema.ts";
import { trialKey } from "../record/trial-key.ts";

/** A case whose mean preference is this near to zero is a tie; only rounding lies below. */
export const NOTHING = 1e-9;

/**
 * What people prefer in pairs. Counted by case: the sign of the mean over its trials and raters, so that a case with
 * many trials weighs no more than one with few. p is the exact two-sided sign test with ties apart.
 */
export function preferenceOf(rows: readonly ScoreRow[]): HumanSummary["preference"] {
  const pairs = rows.filter((row) => row.arm === null);
  const perCase = [...caseMeans(trialValues(pairs, leaning)).values()];
  const candidate = perCase.filter((value) => value > NOTHING).length;
  const baseline = perCase.filter((value) => value < -NOTHING).length;
  const decided = pairs.filter((row) => row.preferred === "candidate" || row.preferred === "baseline");
  const count = (what: ScoreRow["preferred"]): number => pairs.filter((row) => row.preferred === what).length;
  return {
    candidate,
    baseline,
    tie: perCase.length - candidate - baseline,
    p: perCase.length === 0 ? null : mcNemar(baseline, candidate).exact,
    pairs: {
      candidate: count("candidate"),
      baseline: count("baseline"),
      tie: count("tie"),
      left: decided.length === 0 ? null : mean(decided.map((row) => (row.preferred === row.left ? 1 : 0))),
    },
    selfConsistency: repeatsOf(pairs),
    agreement: betweenRaters(pairs),
  };
}

/** +1 for the candidate, −1 for the baseline, 0 for a tie, null where there is no judgement. */
export function leaning(row: ScoreRow): number | null {
  if (row.preferred === "candidate") return 1;
  if (row.preferred === "baseline") return -1;
  return row.preferred === "tie" ? 0 : null;
}

function repeatsOf(pairs: readonly ScoreRow[]) {
  const own = new Map(pairs.map((row) => [JSON.stringify([row.rater, row.item]), row]));
  const same = pairs.flatMap((row) => {
    const original = row.repeatOf === null ? undefined : own.get(JSON.stringify([row.rater, row.repeatOf]));
    const [again, first] = [leaning(row), original === undefined ? null : leaning(original)];
    return again === null || first === null ? [] : [again === first ? 1 : 0];
  });
  return { repeats: same.length, exact: same.length === 0 ? null : mean(same) };
}

function betweenRaters(pairs: readonly ScoreRow[]) {
  const originals = pairs.filter((row) => row.repeatOf === null && leaning(row) !== null);
  const double = [...groupBy(originals, trialKey).values()].filter((unit) => unit.length > 1);
  const same = double.map((unit) => (unit.every((row) => row.preferred === unit[0]?.preferred) ? 1 : 0));
  return { doubleScored: double.length, exact: same.length === 0 ? null : mean(same) };
}
