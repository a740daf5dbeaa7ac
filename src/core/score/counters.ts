import type { Metric, Score } from "../nouns/score.ts";
import type { Event, Usage } from "../nouns/transcript.ts";
import { scored, unscored } from "./make.ts";
import { sumUsage } from "./usage.ts";

type ReplyEvent = Extract<Event, { type: "reply" }>;

/** Replies of a trial, in order. */
export function repliesOf(events: readonly Event[]): readonly ReplyEvent[] {
  return events.filter((event) => event.type === "reply");
}

/** Tokens of a trial; null without a reply, or when any reply came without usage. */
export function usageOf(events: readonly Event[]): Usage | null {
  const replies = repliesOf(events);
  return replies.length === 0 ? null : sumUsage(replies.map(({ reply }) => reply.usage));
}

/**
 * What is counted in a trial: turns (model calls), tool calls, tokens, seconds and approvals asked (what the policy
 * refused outright was not asked). `seconds` is the time the model took, as first measured: a replayed trial keeps it,
 * and waiting in evalkit's own queue is no part of it.
 */
export function countMetrics(events: readonly Event[]): Partial<Record<Metric, Score>> {
  const replies = repliesOf(events);
  const usage = usageOf(events);
  const tokens = (value: number | undefined): Score =>
    value === undefined ? unscored("the server sent no usage with at least one reply") : scored(value);
  const asked = events.filter((event) => event.type === "approval" && event.answer !== "refused-by-policy");
  return {
    turns: scored(replies.length),
    toolCalls: scored(replies.reduce((sum, { reply }) => sum + reply.calls.length, 0)),
    promptTokens: tokens(usage?.prompt),
    cachedTokens: tokens(usage?.cached),
    completionTokens: tokens(usage?.completion),
    seconds: scored(modelSeconds(events)),
    approvals: scored(asked.length),
  };
}

/** Seconds that the replies took, to the millisecond. */
export function modelSeconds(events: readonly Event[]): number {
  return Math.round(repliesOf(events).reduce((sum, { ms }) => sum + ms, 0)) / 1000;
}
