import type { TrialResult } from "../nouns/score.ts";
import type { Arm } from "../nouns/score.ts";
import { byText } from "../text/order.ts";
import { groupBy, ratersMean } from "./means.ts";
import { numberOf, type ScoreRow } from "./score-row.ts";
import { trialKey } from "../record/trial-key.ts";

/** A trial that people and checks see differently: there, it is the checks that are wrong. */
export interface CheckDisagreement {
  readonly case: string;
  readonly arm: Arm;
  readonly trial: number;
  /** `too-mild`: the checks passed what people find wrong. `too-strict`: they failed what people find right. */
  readonly kind: "too-mild" | "too-strict";
  /** Which score of the trial the checks gave. */
  readonly metric: "taskCompletion" | "toolCallAccuracy";
  /** Mean accuracy over the raters, of each over their repeats. */
  readonly accuracy: number;
  readonly notes: readonly string[];
}

/** At most this much accuracy, though all checks passed; at least that much, though one failed. */
const LOW = 2;
const HIGH = 4;

/**
 * Trials whose checks and people disagree, by case. The checks' word is `taskCompletion`, or `toolCallAccuracy` where
 * a case has no completion checks. Trials that nobody scored, or that have neither score, are left out.
 */
export function checksVersusPeople(
  rows: readonly ScoreRow[],
  trials: readonly Pick<TrialResult, "case" | "arm" | "trial" | "scores">[],
): readonly CheckDisagreement[] {
  const scored = groupBy(
    rows.filter((row) => numberOf(row, "accuracy") !== null && row.arm !== null),
    trialKey,
  );
  return trials
    .flatMap((trial): CheckDisagreement[] => {
      const people = scored.get(trialKey(trial));
      const metric = trial.scores.taskCompletion === undefined ? "toolCallAccuracy" : "taskCompletion";
      const checks = trial.scores[metric];
      if (people === undefined || checks === undefined) return [];
      const accuracy = ratersMean(people, (row) => numberOf(row, "accuracy"));
      const kind =
        checks === 1 && accuracy <= LOW ? "too-mild" : checks < 1 && accuracy >= HIGH ? "too-strict" : null;
      const notes = people.map((row) => row.note).filter((note) => note !== "");
      const { case: id, arm, trial: number } = trial;
      return kind === null ? [] : [{ case: id, arm, trial: number, kind, metric, accuracy, notes }];
    })
    .sort((a, b) => byText(a.case, b.case) || a.trial - b.trial);
}
