import type { TrialLine } from "../nouns/run.ts";
import { type OpenTrial, openOf } from "./open.ts";
import { METRICS, type Metric, type TrialResult } from "../nouns/score.ts";
import { usageOf } from "../score/counters.ts";

/** Tokens of a whole trial; `cached` is a part of `prompt`. */
export interface TrialTokens {
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
}

/** What judging took. Tokens are null where a reply came without usage, `cost` where it or the judge's price is unknown. */
export interface JudgeTotals {
  readonly calls: number;
  /** Replies that were no verdict. */
  readonly unparsable: number;
  readonly tokens: TrialTokens | null;
  readonly cost: number | null;
}

/** What a summary needs of a trial, without its transcript: thousands of them fit in memory. */
export interface TrialRow extends TrialResult {
  /** Null where a reply came without usage, and for imported results. */
  readonly tokens: TrialTokens | null;
  readonly cost: number | null;
  /** Failure kind of a broken trial, else null. */
  readonly brokenKind: string | null;
  /** Where the replies came from; absent for results made elsewhere. */
  readonly replies?: TrialLine["replies"];
  /** Calls of a judge that no recording answered. */
  readonly judgedLive?: number;
  /** What judging took, apart from the trial's own tokens and money; absent or null where no judge was asked. */
  readonly judge?: JudgeTotals | null;
  /** Set where the case has checks of a pass metric and the trial no verdict of them. */
  readonly open?: OpenTrial | null;
}

/** The row of a trial: its scored metrics, or none at all when it is broken. */
export function rowOf(line: TrialLine): TrialRow {
  const { outcome } = line;
  return {
    case: line.case,
    arm: line.arm,
    trial: line.trial,
    status: line.status,
    scores: line.status === "broken" ? {} : scoredOf(line),
    tokens: tokensOf(line),
    cost: line.scores.cost?.status === "scored" ? line.scores.cost.value : null,
    brokenKind: outcome.status === "broken" ? outcome.failure.kind : null,
    replies: line.replies,
    judgedLive: line.judge === null ? 0 : line.judge.calls - (line.judge.replayed ?? 0),
    judge: judgeOf(line),
    open: line.status === "broken" ? null : openOf(line.scores),
  };
}

function scoredOf(line: TrialLine): Partial<Record<Metric, number>> {
  const scores: Partial<Record<Metric, number>> = {};
  for (const metric of METRICS) {
    const score = line.scores[metric];
    if (score?.status === "scored") scores[metric] = score.value;
  }
  return scores;
}

function judgeOf({ judge }: TrialLine): JudgeTotals | null {
  if (judge === null) return null;
  const { calls, unparsable, usage, cost } = judge;
  return { calls, unparsable, tokens: usage && tokensIn(usage), cost };
}

function tokensOf(line: TrialLine): TrialTokens | null {
  const usage = usageOf(line.events);
  return usage && tokensIn(usage);
}

function tokensIn({ prompt, cached, completion }: TrialTokens): TrialTokens {
  return { prompt, cached, completion };
}
