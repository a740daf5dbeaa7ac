import { LESS_IS_BETTER, type Metric } from "../nouns/score.ts";

/** Metrics that lie between 0 and 1: rates and F1. Their margin is absolute, their differences lie in [−1, 1]. */
const SHARES: ReadonlySet<Metric> = new Set([
  "toolCallAccuracy",
  "toolCallF1",
  "taskCompletion",
  "skillActivation",
]);

/** Whether a metric lies between 0 and 1. */
export function isShare(metric: Metric): boolean {
  return SHARES.has(metric);
}

/** The two metrics that say whether a trial passed. */
export const PASS_METRICS = ["taskCompletion", "toolCallAccuracy"] as const;

/** +1 where more is better, −1 where less is. */
export function goodSign(metric: Metric): 1 | -1 {
  return LESS_IS_BETTER.has(metric) ? -1 : 1;
}

const NAMES: Readonly<Record<Metric, string>> = {
  toolCallAccuracy: "tool-call accuracy",
  toolCallF1: "tool-call F1",
  taskCompletion: "task completion",
  turns: "turns",
  skillActivation: "skill activation",
  toolCalls: "tool calls",
  promptTokens: "prompt tokens",
  cachedTokens: "cached tokens",
  completionTokens: "completion tokens",
  seconds: "seconds",
  cost: "cost",
  approvals: "approvals asked",
};

/** A metric in words. */
export function metricName(metric: Metric): string {
  return NAMES[metric];
}
