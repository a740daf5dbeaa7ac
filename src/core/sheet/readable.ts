import type { Case } from "../nouns/case.ts";
import type { TrialLine } from "../nouns/run.ts";
import type { Event, ToolCall } from "../nouns/transcript.ts";
import type { Blind } from "./blind.ts";

/** A trial as a rater reads it. */
export interface Readable {
  /** What the user asked for, turn by turn. */
  readonly task: string;
  /** What the agent did: its calls and their results, in order. */
  readonly actions: string;
  readonly answer: string;
}

type ToolEvent = Extract<Event, { type: "tool" }>;
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

function userTexts(events: readonly Event[]): string[] {
  return events.filter((event) => event.type === "user").map((event) => withoutSkills(event, []));
}

function stepsOf(line: TrialLine, turns: readonly string[]): string[] {
  const steps: string[] = [];
  const count = { call: 0 };
  let role = "agent";
  let users = 0;
  const lastReply = line.events.findLastIndex((event) => event.type === "reply");
  line.events.forEach((event, at) => {
    if (event.type === "conversation" && event.role !== role) {
      role = event.role;
      steps.push(`— ${role} —`);
    } else if (event.type === "user") {
      users += 1;
      if (users > 1 || role !== "agent") steps.push(`User: ${indent(withoutSkills(event, turns), 6)}`);
    } else if (event.type === "reply") {
      steps.push(...replySteps(line, at, at === lastReply, count));
    } else if (event.type === "review") {
      steps.push(`Review of ${event.step}: ${event.approved ? "approved" : "sent back"}. ${event.summary}`);
    }
  });
  return steps;
}

function replySteps(line: TrialLine, at: number, last: boolean, count: { call: number }): string[] {
  const event = line.events[at];
  if (event?.type !== "reply") return [];
  const { content, calls } = event.reply;
  const steps: string[] = [];
  const isAnswer = last && calls.length === 0 && content.trim() === line.answer.trim();
  if (content.trim() !== "" && !isAnswer) steps.push(`Agent: ${indent(content.trim(), 7)}`);
  const results = resultsAfter(line.events, at);
  for (const [index, call] of calls.entries()) {
    count.call += 1;
    const named = results.findIndex((result) => result.callId === call.id);
    const [result] = results.splice(Math.max(named, 0), 1);
    steps.push(callStep(count.call, call, result, approvalOf(line.events, at, call, index)));
  }
  return steps;
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

function callStep(
  number: number,
  call: ToolCall,
  result: ToolEvent | undefined,
  approval: string | null,
): string {
  const head = `${number}. ${call.name}`;
  const asked =
    approval === null ? [] : [`   asked for approval: ${approval === "approve" ? "given" : "refused"}`];
  return [head, ...argumentLines(call.arguments), ...asked, `   → ${resultText(call, result)}`].join("\n");
}

function argumentLines(raw: string): string[] {
  const parsed = parseObject(raw);
  if (parsed === null) return raw.trim() === "" ? [] : [`   ${indent(raw, 3)}`];
  return Object.entries(parsed).map(([key, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text.includes("\n") ? `   ${key}:\n      ${indent(text, 6)}` : `   ${key}: ${text}`;
  });
}

function parseObject(raw: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** The result as the agent got it; of `load_skill` only whether it worked, since its text is the arm's own. */
function resultText(call: ToolCall, result: ToolEvent | undefined): string {
  if (result === undefined) return "(no result)";
  const missing =
    result.error || /^(Error: Unknown skill|Skill '.*' (not found|is disabled))/.test(result.result);
  if (call.name === "load_skill") return missing ? "(no such skill)" : "(skill loaded)";
  const text = indent(result.result.trimEnd(), 5);
  return result.error ? `failed: ${text}` : text === "" ? "(empty)" : text;
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

function indent(text: string, by: number): string {
  return text.replaceAll(/\r?\n/g, `\n${" ".repeat(by)}`);
}
