import { ARMS, type Arm, METRICS, type Metric } from "../core/nouns/score.ts";
import { isObject } from "../core/text/json.ts";

/** What every trial is read for. */
export interface TrialHead {
  readonly case: string;
  readonly arm: Arm;
  readonly trial: number;
  readonly status: (typeof STATUSES)[number];
  readonly replies: (typeof REPLIES)[number];
  readonly seconds: number;
  readonly scores: Readonly<Partial<Record<Metric, ScoreHead>>>;
}

type ScoreHead =
  | { readonly status: "scored"; readonly value: number }
  | {
      readonly status: "unscored";
      readonly reason: string;
      readonly evidence?: readonly { readonly passed: boolean }[];
    };

const STATUSES = ["finished", "stopped", "broken"] as const;
const REPLIES = ["live", "replayed", "mixed", "none"] as const;

/**
 * The head of a trial from its line's value, null for what is none. Checked by hand: a report reads the heads of all
 * trials, and a schema takes longer for it than all the rest of the report.
 */
export function trialHead(raw: unknown): TrialHead | null {
  return isHead(raw) ? raw : null;
}

function isHead(raw: unknown): raw is TrialHead {
  if (!isObject(raw) || !isObject(raw.scores)) return false;
  const { trial, scores } = raw;
  return (
    typeof raw.case === "string" &&
    isOneOf(ARMS, raw.arm) &&
    typeof trial === "number" &&
    Number.isSafeInteger(trial) &&
    trial >= 1 &&
    isOneOf(STATUSES, raw.status) &&
    isOneOf(REPLIES, raw.replies) &&
    Number.isFinite(raw.seconds) &&
    Object.keys(scores).every((metric) => isOneOf(METRICS, metric) && isScore(scores[metric]))
  );
}

function isScore(score: unknown): score is ScoreHead {
  if (!isObject(score)) return false;
  if (score.status === "scored") return Number.isFinite(score.value);
  if (score.status !== "unscored" || typeof score.reason !== "string") return false;
  const { evidence } = score;
  return evidence === undefined || (Array.isArray(evidence) && evidence.every(isEvidence));
}

function isEvidence(one: unknown): boolean {
  return isObject(one) && typeof one.passed === "boolean";
}

function isOneOf(known: readonly string[], value: unknown): boolean {
  return typeof value === "string" && known.includes(value);
}
