import type { TrialLine } from "../nouns/run.ts";
import type { Event, Outcome, ToolCall } from "../nouns/transcript.ts";
import { jsonText, parseJson } from "../text/json.ts";
import { replyNotes } from "./reply-notes.ts";

type ToolEvent = Extract<Event, { type: "tool" }>;

/** One tool call with what came back. `arguments` is the raw text of the model. */
export interface CallStep {
  readonly kind: "call";
  readonly turn: number;
  readonly name: string;
  readonly arguments: string;
  /** What the simulated human said; null where nobody was asked. */
  readonly approval: string | null;
  /** Null: the trial ended before there was a result. */
  readonly result: { readonly text: string; readonly error: boolean } | null;
}

/** One step of a trial as a person reads it. */
export type Step =
  /** Somebody else speaks now: planner, worker, reviewer. Not given for the one conversation of mode `agent`. */
  | { readonly kind: "speaker"; readonly role: string }
  /** `text` is without the skill bodies that were put in front of it; `injected` names those. */
  | { readonly kind: "user"; readonly text: string; readonly injected: readonly string[] }
  | { readonly kind: "says"; readonly turn: number; readonly text: string }
  | CallStep
  /** The plan, a review, a reply that was not as it should be, or what happened to the skill buffer, in words. */
  | { readonly kind: "note"; readonly text: string };

/** A trial as a person reads it, step by step. `turns` are the user turns of its case, where the case is known. */
export function stepsOf(line: TrialLine, turns: readonly string[] = []): Step[] {
  const roles = new Map<number, string>();
  const steps: Step[] = [];
  let speaker = "agent";
  line.events.forEach((event, at) => {
    if (event.type === "conversation") roles.set(event.conversation, event.role);
    const role = roles.get(event.conversation) ?? "agent";
    const own = stepsOfEvent(line.events, at, turns);
    if (own.length > 0 && role !== speaker) steps.push({ kind: "speaker", role });
    if (own.length > 0) speaker = role;
    steps.push(...own);
  });
  return steps;
}

function stepsOfEvent(events: readonly Event[], at: number, turns: readonly string[]): Step[] {
  const event = events[at];
  switch (event?.type) {
    case "user":
      return [{ kind: "user", text: ownWords(event.text, event.injected, turns), injected: event.injected }];
    case "reply": {
      const { content, calls, notes } = event.reply;
      const said: Step[] = content.trim() === "" ? [] : [{ kind: "says", turn: event.turn, text: content }];
      const told = replyNotes(notes).map((text): Step => ({ kind: "note", text }));
      return [...said, ...told, ...callSteps(events, at, event.turn, calls)];
    }
    case "skill":
      return [{ kind: "note", text: `skill ${event.name}: ${SKILL_WORDS[event.what]}` }];
    case "plan":
      return [{ kind: "note", text: planText(event.tasks, event.error) }];
    case "review":
      return [
        { kind: "note", text: `review of ${event.step}: ${reviewText(event.approved, event.summary)}` },
      ];
    default:
      return [];
  }
}

const SKILL_WORDS = {
  loaded: "loaded into the buffer",
  refreshed: "loaded again, now the newest in the buffer",
  evicted: "dropped from the buffer, which was full",
  injected: "put in front of the user's message",
  unknown: "there is none of that name",
  disabled: "is disabled",
} as const;

function planText(tasks: readonly string[], error: string | null): string {
  return error === null
    ? ["plan:", ...tasks.map((task) => `- ${task}`)].join("\n")
    : `the plan could not be read: ${error}`;
}

function reviewText(approved: boolean, summary: string): string {
  return `${approved ? "approved" : "sent back"}${summary === "" ? "" : `. ${summary}`}`;
}

function callSteps(
  events: readonly Event[],
  at: number,
  turn: number,
  calls: readonly ToolCall[],
): CallStep[] {
  const { results, approvals } = answersTo(events, at);
  return calls.map((call) => {
    const named = results.findIndex((result) => result.callId === call.id);
    const [result] = results.splice(Math.max(named, 0), 1);
    const approval = approvals.find((one) => one.callId === call.id)?.answer ?? null;
    return {
      ...{ kind: "call", turn, name: call.name, arguments: call.arguments, approval },
      result: result === undefined ? null : { text: result.result, error: result.error },
    };
  });
}

/** What answers the reply at `at`: events of its conversation before the next reply of it. */
function answersTo(events: readonly Event[], at: number) {
  const results: ToolEvent[] = [];
  const approvals: Extract<Event, { type: "approval" }>[] = [];
  const conversation = events[at]?.conversation;
  for (let next = at + 1; next < events.length; next += 1) {
    const event = events[next];
    if (event === undefined || event.conversation !== conversation) continue;
    if (event.type === "reply") break;
    if (event.type === "tool") results.push(event);
    if (event.type === "approval") approvals.push(event);
  }
  return { results, approvals };
}

/** The user's message without the skill bodies in front of it: known from the case, else what follows the last `---`. */
function ownWords(text: string, injected: readonly string[], turns: readonly string[]): string {
  if (injected.length === 0) return text;
  const known = turns.filter((turn) => text.endsWith(turn)).sort((a, b) => b.length - a.length)[0];
  if (known !== undefined) return known;
  const lines = text.split("\n");
  return lines
    .slice(lines.lastIndexOf("---") + 1)
    .join("\n")
    .trim();
}

/** Arguments as a person reads them: JSON on one line where it is JSON, else the text as it came. */
export function argumentsText(raw: string): string {
  if (raw.trim() === "") return "{}";
  return jsonText(parseJson(raw)) ?? raw;
}

/** How a trial ended, in words. */
export function endText(outcome: Outcome): string {
  switch (outcome.status) {
    case "finished":
      return "finished";
    case "stopped":
      return `stopped (${outcome.limit}): ${outcome.message}`;
    case "broken":
      return `broken (${outcome.failure.kind}): ${outcome.failure.message}`;
  }
}
