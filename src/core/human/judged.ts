import type { TrialLine } from "../nouns/run.ts";
import type { Dimension } from "../sheet/columns.ts";
import { groupBy, ratersMean } from "./means.ts";
import { numberOf, type ScoreRow } from "./score-row.ts";
import type { JudgedTrial } from "./calibrate.ts";
import { trialKey } from "../record/trial-key.ts";

/** A judge's check in a trial's evidence, as `scoreCompletion` names it. */
const JUDGE_CHECK = /^completion\[\d+\]\.judge\b/;

/** How people's scores are read as pass or fail. */
export interface LabelOptions {
  readonly dimension: Dimension;
  /** A mean score of at least this is a pass. */
  readonly pass: number;
  /** Only judge checks whose name holds this text; null: all. */
  readonly check: string | null;
}

/** What the judge says of a trial: pass when all its checks passed; null when it gave no verdict. */
export function judgeWord(line: TrialLine, check: string | null): boolean | null {
  const score = line.scores.taskCompletion;
  if (line.status === "broken" || score?.status !== "scored") return null;
  const verdicts = score.evidence.filter(
    (one) => JUDGE_CHECK.test(one.check) && (check === null || one.check.includes(check)),
  );
  return verdicts.length === 0 ? null : verdicts.every((one) => one.passed);
}

/** People's word on each trial: the mean over raters of the mean over repeats, held against the threshold. */
export function humanWords(
  rows: readonly ScoreRow[],
  { dimension, pass }: LabelOptions,
): ReadonlyMap<string, boolean> {
  const scored = rows.filter((row) => row.arm !== null && numberOf(row, dimension) !== null);
  return new Map(
    [...groupBy(scored, trialKey)].map(([id, own]) => [
      id,
      ratersMean(own, (row) => numberOf(row, dimension)) >= pass,
    ]),
  );
}

/** A trial as calibration takes it, or null where the judge gave no verdict. */
export function judgedTrial(
  line: TrialLine,
  words: ReadonlyMap<string, boolean>,
  check: string | null,
): JudgedTrial | null {
  const judge = judgeWord(line, check);
  if (judge === null) return null;
  return { case: line.case, arm: line.arm, judge, human: words.get(trialKey(line)) ?? null };
}
