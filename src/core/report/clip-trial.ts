import type { TrialLine } from "../nouns/run.ts";
import type { Event, Reply } from "../nouns/transcript.ts";

/** Signs of one text, and of all texts of one trial, that a report keeps; the whole stands in trials.jsonl. */
const LONGEST_TEXT = 4000;
const LONGEST_TRIAL = 60_000;
const MOST_EVENTS = 200;

/** A trial with its texts cut, so that a report of thousands of long trials fits in memory. */
export function clipTrial(line: TrialLine): TrialLine {
  let left = LONGEST_TRIAL;
  const cut = (text: string): string => {
    const room = Math.min(LONGEST_TEXT, left);
    left -= Math.min(text.length, room);
    // The half of a surrogate pair is no loss: reports replace it.
    return text.length <= room ? text : `${text.slice(0, room)}… (${text.length - room} more signs)`;
  };
  return {
    ...line,
    answer: cut(line.answer),
    events: line.events.slice(0, MOST_EVENTS).map((event) => clipEvent(event, cut)),
  };
}

type Cut = (text: string) => string;

function clipEvent(event: Event, cut: Cut): Event {
  switch (event.type) {
    case "user":
      return { ...event, text: cut(event.text) };
    case "reply":
      return { ...event, reply: clipReply(event.reply, cut) };
    case "tool":
      return { ...event, result: cut(event.result) };
    case "plan":
      return { ...event, tasks: event.tasks.slice(0, 100).map(cut) };
    case "review":
      return { ...event, summary: cut(event.summary) };
    default:
      return event;
  }
}

function clipReply(reply: Reply, cut: Cut): Reply {
  const calls = reply.calls.slice(0, 50).map(({ extra: _, ...call }) => ({
    ...call,
    arguments: cut(call.arguments),
  }));
  // Reasoning is in no report.
  const { reasoningDetails: _, ...rest } = reply;
  return { ...rest, content: cut(reply.content), reasoning: "", calls };
}
