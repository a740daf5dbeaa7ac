import type { CheckDisagreement } from "../human/checks.ts";
import type { HumanSummary } from "../human/schema.ts";
import type { Problem } from "../nouns/problem.ts";
import type { RunRecord, TrialLine } from "../nouns/run.ts";
import type { Arm } from "../nouns/score.ts";
import type { Summary } from "../nouns/summary.ts";

/** One trial without its transcript: some hundred bytes, so that a report may hold them all. */
export interface TrialCell {
  readonly case: string;
  readonly arm: Arm;
  readonly trial: number;
  readonly status: TrialLine["status"];
  /** Null: no check says whether it passed, or it broke. */
  readonly passed: boolean | null;
  /** Failed checks of a trial that has checks but no verdict of them; null: the trial is not such a one. */
  readonly openFailed: number | null;
  readonly turns: number | null;
  readonly seconds: number;
  readonly replies: TrialLine["replies"];
}

/** Transcripts of one case in one arm, shortened; null where no trial ended so. */
export interface ArmSample {
  readonly passing: TrialLine | null;
  readonly failing: TrialLine | null;
}
export type CaseSample = Readonly<Record<Arm, ArmSample>>;

/** Trials of an arm by where their replies came from. */
export type ReplyCounts = Readonly<Record<TrialLine["replies"], number>>;

/** A system prompt that was sent; its text stands under `digest` in the record's `texts`. */
export interface SentPrompt {
  readonly role: string;
  readonly digest: string;
}

/** All that a report is drawn from. */
export interface ReportInput {
  readonly record: RunRecord;
  /** What is wrong with the run's files; the record's notes begin with it. */
  readonly warnings: readonly Problem[];
  readonly summary: Summary;
  /** Transcripts of the cases worth a closer look, by case id: those that changed and those that failed before. */
  readonly samples: ReadonlyMap<string, CaseSample>;
  /** Cases that would have been worth it, too, but for the bound on how many are kept. */
  readonly withoutSample: readonly string[];
  /** Sorted by case, arm, number. */
  readonly trials: readonly TrialCell[];
  readonly replies: Readonly<Record<Arm, ReplyCounts>>;
  /** System prompts of the first trial of each arm that had any, one a role. */
  readonly prompts: Readonly<Record<Arm, readonly SentPrompt[]>>;
  /** People's scores, null when no sheet was imported. */
  readonly human: HumanSummary | null;
  /** Trials that people and checks see differently. */
  readonly disagreements: readonly CheckDisagreement[];
}
