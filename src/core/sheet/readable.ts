import type { Case } from "../nouns/case.ts";
import type { TrialLine } from "../nouns/run.ts";
import type { Event, ToolCall } from "../nouns/transcript.ts";
import type { Blind } from "./blind.ts";
import { callStep, indent, type ToolEvent } from "./call-text.ts";

/** A trial as a rater reads it. */
export interface Readable {
  /** What the user asked for, turn by turn. */
  readonly task: string;
  /** What the agent did: its calls and their results, in order. */
  readonly actions: string;
  readonly answer: string;
}

type UserEvent = Extract<Event, { type: "user" }>;

/**
 * Turns a trial into what a rater reads. Left out: which arm, model, prompt, time and tokens; bodies of loaded skills
 * (only a skill's name is shown); the model's reasoning. Names that unblind are masked by `blind`.
 */
export function readableTrial(line: TrialLine, definition: Case | null, blind: Blind): Readable {
  const turns = definition?.turns.map((turn) => turn.user) ?? userTexts(line.events);
  const task =
    turns.length === 1 ? (turns[0] ?? "") : turns.map((turn, at) => `${at + 1}. ${turn}`).join("\n\n");
  const steps = stepsOf(line, turns);
  const ended = line.outcome.status === "stopped" ? ["[ended by a limit before the agent was done]"] : [];
  const actions = [...steps, ...ended].join("\n\n");
  const clean = (text: string): string => visible(blind(text));
  return {
    task: clean(task),
    actions: clean(actions === "" ? "(no tool calls)" : actions),
    answer: clean(line.answer),
  };
}

/** Control characters become pictures of themselves: they can't steer a terminal, a spreadsheet or a page. */
export function visible(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(/[\u0000-\u0008\u000B-\u001F]/g, (found) => String.fromCharCode(0x2400 + found.charCodeAt(0)))
    .replace(/[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g, "\uFFFD");
}

/** The user's turns where the case itself is not at hand: those of the first conversation, the user's own. */
function userTexts(events: readonly Event[]): string[] {
  return events.flatMap((event) =>
    event.type === "user" && event.conversation === 0 ? [withoutSkills(event, [])] : [],
  );
}

/** Who speaks in a conversation; `agent` needs no heading. */
const ROLE_NAMES: Readonly<Record<string, string>> = {
  planner: "Planner",
  plan: "Executor",
  "team-planner": "Planner",
  "team-worker": "Worker",
  "team-reviewer": "Reviewer",
};

function stepsOf(line: TrialLine, turns: readonly string[]): string[] {
  const roles = new Map(
    line.events.flatMap((event) => (event.type === "conversation" ? [[event.conversation, event.role]] : [])),
  );
  const count = { call: 0 };
  const steps: string[] = [];
  let speaker = "agent";
  line.events.forEach((event, at) => {
    const role = roles.get(event.conversation) ?? "agent";
    const own = eventSteps(line, at, { role, turns, count });
    if (own.length > 0 && role !== speaker) {
      speaker = role;
      steps.push(`— ${ROLE_NAMES[role] ?? role} —`);
    }
    steps.push(...own);
  });
  return steps;
}

interface StepContext {
  readonly role: string;
  readonly turns: readonly string[];
  readonly count: { call: number };
}

function eventSteps(line: TrialLine, at: number, { role, turns, count }: StepContext): string[] {
  const event = line.events[at];
  switch (event?.type) {
    case "user": {
      const text = withoutSkills(event, turns);
      // What the user asked for first stands under "task" already.
      const known = line.events.findIndex((one) => one.type === "user") === at;
      return known ? [] : [role === "agent" ? `User: ${indent(text, 6)}` : `Told: ${indent(text, 6)}`];
    }
    case "reply":
      return replySteps(line, at, count);
    case "plan":
      return [event.error === null ? planText(event.tasks) : `The plan could not be read: ${event.error}`];
    case "review":
      return [`Review of ${event.step}: ${event.approved ? "approved" : "sent back"}. ${event.summary}`];
    default:
      return [];
  }
}

function planText(tasks: readonly string[]): string {
  return ["Plan:", ...tasks.map((task) => `   - ${indent(task, 5)}`)].join("\n");
}

function replySteps(line: TrialLine, at: number, count: { call: number }): string[] {
  const event = line.events[at];
  if (event?.type !== "reply") return [];
  const { content, calls } = event.reply;
  const steps: string[] = [];
  const last = line.events.findLastIndex((one) => one.type === "reply") === at;
  const isAnswer = last && calls.length === 0 && content.trim() === line.answer.trim();
  if (content.trim() !== "" && !isAnswer && !isForMachines(line.events, at))
    steps.push(`Agent: ${indent(content.trim(), 7)}`);
  const results = resultsAfter(line.events, at);
  for (const [index, call] of calls.entries()) {
    count.call += 1;
    const named = results.findIndex((result) => result.callId === call.id);
    const [result] = results.splice(Math.max(named, 0), 1);
    steps.push(callStep(count.call, call, result, approvalOf(line.events, at, call, index)));
  }
  return steps;
}

/** A planner's or reviewer's JSON: the plan or review that was read from it is shown instead. */
function isForMachines(events: readonly Event[], at: number): boolean {
  const conversation = conversationOf(events[at]);
  const next = events.slice(at + 1).find((event) => conversationOf(event) === conversation);
  return (next?.type === "plan" && next.error === null) || next?.type === "review";
}

/** The results that answer the reply at `at`: those before the next reply of the same conversation. */
function resultsAfter(events: readonly Event[], at: number): ToolEvent[] {
  const conversation = conversationOf(events[at]);
  const results: ToolEvent[] = [];
  for (const event of events.slice(at + 1)) {
    if (conversationOf(event) !== conversation) continue;
    if (event.type === "reply") break;
    if (event.type === "tool") results.push(event);
  }
  return results;
}

function approvalOf(events: readonly Event[], at: number, call: ToolCall, index: number): string | null {
  const conversation = conversationOf(events[at]);
  let seen = -1;
  for (const event of events.slice(at + 1)) {
    if (conversationOf(event) !== conversation) continue;
    if (event.type === "reply") break;
    if (event.type !== "approval") continue;
    seen += 1;
    if (event.callId === call.id || (call.id === "" && seen === index)) return event.answer;
  }
  return null;
}

function conversationOf(event: Event | undefined): number | undefined {
  return event?.conversation;
}

/**
 * A user message without the skill bodies put in front of it. The case's own words are known; those of a plan's task
 * stand after the last line `---`, since a body may hold such a line too: rather too little is shown than a body.
 */
function withoutSkills(event: UserEvent, turns: readonly string[]): string {
  if (event.injected.length === 0) return event.text;
  const own = turns.filter((turn) => event.text.endsWith(turn)).sort((a, b) => b.length - a.length)[0];
  if (own !== undefined) return own;
  const lines = event.text.split("\n");
  return lines
    .slice(lines.lastIndexOf("---") + 1)
    .join("\n")
    .trim();
}

/** Whether there is anything to read: imported results have no transcript, and broken trials no output. */
export function hasOutput(line: TrialLine): boolean {
  return line.status !== "broken" && (line.events.length > 0 || line.answer !== "");
}

/** Names of the models that answered in a trial, as the server told them: what blinding must hide. */
export function modelsIn(line: TrialLine): string[] {
  return line.events.flatMap((event) =>
    event.type === "reply" && event.reply.model ? [event.reply.model] : [],
  );
}
