import type { Prices } from "../config/settings.ts";
import type { Case } from "../nouns/case.ts";
import { METRICS, type Metric, type Score } from "../nouns/score.ts";
import type { Transcript } from "../nouns/transcript.ts";
import { callsOf, NOT_HONOURED, toolsNotHonoured } from "./calls.ts";
import { type CompletionView, scoreCompletion, stoppedCompletion } from "./completion.ts";
import { scoreCost } from "./cost.ts";
import { countMetrics, usageOf } from "./counters.ts";
import { scored, unscored } from "./make.ts";
import { scoreSkills } from "./skills.ts";
import { scoreToolAccuracy, scoreToolF1 } from "./tools.ts";

/** Everything that scores are made of, fetched beforehand. */
export interface ScoreInput {
  readonly case: Case;
  readonly transcript: Transcript;
  readonly view: Omit<CompletionView, "answer" | "note">;
  /** The arm's delivery is `system-prompt`: `load_skill` was not offered. */
  readonly skillsInPrompt: boolean;
  readonly model: string;
  readonly prices: Prices;
}

type Scores = Partial<Record<Metric, Score>>;

/**
 * All scores of a trial. A broken trial has none, whatever its checks would say: the fault is not the model's. A
 * stopped one is judged by what it did until then, and its task counts as not completed.
 */
export function scoreTrial(input: ScoreInput): Scores {
  const { events, outcome } = input.transcript;
  if (outcome.status === "broken") return broken(`${outcome.failure.kind}: ${outcome.failure.message}`);
  const { tools, skills } = input.case.expect;
  const calls = callsOf(events);
  const note = toolsNotHonoured(events) ? NOT_HONOURED : null;
  const notOffered = new Set(input.skillsInPrompt ? ["load_skill"] : []);
  const earned = saysOrDoes(events) ? (score: Score) => score : withoutDeed;
  return {
    toolCallAccuracy: earned(scoreToolAccuracy(tools, calls, notOffered, note)),
    toolCallF1: scoreToolF1(tools, calls, notOffered),
    taskCompletion: earned(completion(input, note)),
    skillActivation: scoreSkills(skills, events, input.skillsInPrompt),
    ...countMetrics(events),
    cost: scoreCost(usageOf(events), input.model, input.prices),
  };
}

function completion(input: ScoreInput, note: string | null): Score {
  const { answer, outcome } = input.transcript;
  const checks = input.case.expect.completion;
  if (outcome.status === "stopped") return stoppedCompletion(checks, outcome.message);
  return scoreCompletion(checks, { ...input.view, answer, note });
}

function saysOrDoes(events: Transcript["events"]): boolean {
  return events.some(
    (event) => event.type === "reply" && (event.reply.calls.length > 0 || event.reply.content.trim() !== ""),
  );
}

/** "Not called" and "no such file" hold of a model that said nothing at all: such a trial passes nothing. */
function withoutDeed(score: Score): Score {
  if (score.status !== "scored" || score.value === 0) return score;
  const detail = "the replies are empty and hold no call: checks that hold of nothing are no pass";
  return scored(0, [...score.evidence, { check: "said or did something", passed: false, detail }]);
}

function broken(why: string): Scores {
  const scores: Scores = {};
  for (const metric of METRICS) scores[metric] = unscored(`the trial broke: ${why}`);
  return scores;
}
