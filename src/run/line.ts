import type { Price } from "../core/config/settings.ts";
import type { TrialLine } from "../core/nouns/run.ts";
import type { TrialKey } from "../core/nouns/score.ts";
import type { Event, Transcript } from "../core/nouns/transcript.ts";
import { costOf } from "../core/score/cost.ts";
import { modelSeconds, repliesOf } from "../core/score/counters.ts";
import type { Checked } from "./check.ts";
import { sumUsage } from "../core/score/usage.ts";

/** What a line is made of. */
export interface LineParts {
  readonly key: TrialKey;
  readonly transcript: Transcript;
  readonly scores: TrialLine["scores"];
  readonly checked: Checked;
  /** What the judge's tokens cost; null where no price is set, or nobody judges. */
  readonly judgePrice: Price | null;
  readonly startedAt: string;
  /** Wall-clock time of the trial. */
  readonly seconds: number;
}

/** The line of trials.jsonl. A trial that was replayed whole keeps the time that its replies took when recorded. */
export function lineOf(parts: LineParts): TrialLine {
  const { key, transcript, scores, startedAt } = parts;
  const { events, outcome, answer } = transcript;
  const replies = repliesFrom(events);
  const judge = judgeTally(parts.checked, parts.judgePrice);
  return {
    case: key.case,
    arm: key.arm,
    trial: key.trial,
    status: outcome.status,
    outcome,
    answer,
    events,
    scores,
    replies,
    startedAt,
    seconds: replies === "replayed" ? modelSeconds(events) : parts.seconds,
    judge,
  };
}

function repliesFrom(events: readonly Event[]): TrialLine["replies"] {
  const replies = repliesOf(events);
  const replayed = replies.filter((event) => event.replayed).length;
  if (replies.length === 0) return "none";
  if (replayed === 0) return "live";
  return replayed === replies.length ? "replayed" : "mixed";
}

/** What the judge took, apart from the trial's own tokens; null where no judge was asked. */
function judgeTally(checked: Checked, price: Price | null): TrialLine["judge"] {
  const verdicts = [...checked.verdicts.values()];
  if (verdicts.length === 0) return null;
  const usage = sumUsage(verdicts.map((one) => one.usage));
  return {
    calls: verdicts.reduce((sum, one) => sum + one.calls, 0),
    replayed: verdicts.reduce((sum, one) => sum + one.replayed, 0),
    unparsable: verdicts.reduce((sum, one) => sum + one.unparsable, 0),
    usage,
    cost: usage === null || price === null ? null : costOf(usage, price),
  };
}
