import { isShare } from "../compare/metric-kind.ts";
import type { CaseScores } from "../compare/pairs.ts";
import type { ArmRecord, RunRecord } from "../nouns/run.ts";
import type { Arm, Metric } from "../nouns/score.ts";
import type { ArmSummary, Estimate } from "../nouns/summary.ts";
import { importedTrials } from "../record/imported-trials.ts";
import { stageOf } from "../sequential/stage.ts";
import { sum } from "../stats/moments.ts";
import { estimateOf } from "./estimate.ts";
import { passRates, talliesOf } from "./passes.ts";
import type { TrialRow, TrialTokens } from "./rows.ts";

/** Trials of an arm by how they ended; `planned` counts those that should have been. */
export type TrialCounts = ArmSummary["trials"];

/** One arm in numbers. */
export function summariseArm(
  run: RunRecord,
  arm: Arm,
  record: ArmRecord,
  rows: readonly TrialRow[],
  scores: Readonly<Record<Metric, CaseScores>>,
): ArmSummary {
  const own = rows.filter((row) => row.arm === arm);
  return {
    variant: record.variant,
    commit: record.commit,
    digest: record.digest,
    trials: countsOf(run, arm, rows, own),
    metrics: metricsOf(scores, run.policy.alpha),
    ...passRates(talliesOf(own), run.trials),
    tokens: tokensOf(own),
    cost: total(own.map((row) => row.cost)),
    judge: judgeOf(own),
    brokenKinds: kindsOf(own),
    ...(run.kind === "import" ? MADE_ELSEWHERE : repliesOf(own)),
  };
}

type Replies = Pick<ArmSummary, "replayed" | "partlyReplayed" | "asked">;
const MADE_ELSEWHERE: Replies = { replayed: null, partlyReplayed: null, asked: null };

function repliesOf(own: readonly TrialRow[]): Replies {
  const of = (from: TrialRow["replies"]) =>
    own.filter(({ status, replies }) => status !== "broken" && replies === from).length;
  return { replayed: of("replayed"), partlyReplayed: of("mixed"), asked: own.some(asked) };
}

/** A trial that broke has asked a model in vain, but for one that missed its recording. */
function asked({ status, replies, brokenKind, judgedLive }: TrialRow): boolean {
  if (replies === "live" || replies === "mixed" || (judgedLive ?? 0) > 0) return true;
  return status === "broken" && brokenKind !== "replay-miss" && brokenKind !== "harness";
}

function countsOf(
  run: RunRecord,
  arm: Arm,
  rows: readonly TrialRow[],
  own: readonly TrialRow[],
): TrialCounts {
  const of = (status: TrialRow["status"]): number => own.filter((row) => row.status === status).length;
  return {
    planned: Math.max(own.length, plannedTrials(run, arm, rows)),
    finished: of("finished"),
    stopped: of("stopped"),
    broken: of("broken"),
  };
}

/** How many of a run's trials an arm should have. A sequential run plans up to its last look. */
export function plannedTrials(run: RunRecord, arm: Arm, rows: readonly TrialRow[]): number {
  if (run.planned !== undefined) return run.planned[arm];
  if (run.kind === "import") return importedTrials(rows, arm);
  const { sequential, policy, cases } = run;
  return (sequential ? stageOf(sequential, rows, policy.alpha).cases.length : cases.length) * run.trials;
}

function metricsOf(scores: Readonly<Record<Metric, CaseScores>>, alpha: number): Record<Metric, Estimate> {
  const estimate = (metric: Metric): Estimate =>
    estimateOf([...scores[metric].values()], isShare(metric), alpha);
  return {
    toolCallAccuracy: estimate("toolCallAccuracy"),
    toolCallF1: estimate("toolCallF1"),
    taskCompletion: estimate("taskCompletion"),
    turns: estimate("turns"),
    skillActivation: estimate("skillActivation"),
    toolCalls: estimate("toolCalls"),
    promptTokens: estimate("promptTokens"),
    cachedTokens: estimate("cachedTokens"),
    completionTokens: estimate("completionTokens"),
    seconds: estimate("seconds"),
    cost: estimate("cost"),
    approvals: estimate("approvals"),
  };
}

/** Tokens of all trials that did not break; null when one of them did not report its own. */
function tokensOf(own: readonly TrialRow[]): ArmSummary["tokens"] {
  const ended = own.filter((row) => row.status !== "broken");
  return {
    prompt: total(ended.map((row) => row.tokens?.prompt ?? null)),
    cached: total(ended.map((row) => row.tokens?.cached ?? null)),
    completion: total(ended.map((row) => row.tokens?.completion ?? null)),
  };
}

/** What judging the arm took, trials that broke afterwards included; null where no judge was asked. */
function judgeOf(own: readonly TrialRow[]): ArmSummary["judge"] {
  const judged = own.flatMap((row) => row.judge ?? []);
  if (judged.length === 0) return null;
  const tokens = (of: keyof TrialTokens) => total(judged.map((one) => one.tokens?.[of] ?? null));
  return {
    calls: sum(judged.map((one) => one.calls)),
    unparsable: sum(judged.map((one) => one.unparsable)),
    tokens: { prompt: tokens("prompt"), cached: tokens("cached"), completion: tokens("completion") },
    cost: total(judged.map((one) => one.cost)),
  };
}

/** Sum of what is known; null when nothing is there or one part is unknown. */
function total(values: readonly (number | null)[]): number | null {
  const known = values.flatMap((value) => value ?? []);
  return values.length === 0 || known.length < values.length ? null : sum(known);
}

function kindsOf(own: readonly TrialRow[]): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const row of own) {
    if (row.status !== "broken") continue;
    const kind = row.brokenKind ?? "unknown";
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}
