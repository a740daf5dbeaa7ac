import type { Event, Outcome, ToolCall } from "../core/nouns/transcript.ts";
import type { Role } from "../core/nouns/variant.ts";
import { assistantMessage } from "./assistant-message.ts";
import { type CallDesk, carryOut, type DoneCall } from "./call.ts";
import type { ChatMessage } from "./ports.ts";
import type { Session } from "./session.ts";
import type { ToolBox } from "./setting.ts";
import { SkillDesk } from "./skill-desk.ts";

/** So many replies in a row with the same calls are a loop. */
const MAX_SAME = 3;
/** More calls in one reply are not run: one reply must not keep a trial busy for ever. */
const MAX_CALLS = 64;

/** What came of a user message: the answer (empty if there was none), and how the trial ended if it did. */
export interface Said {
  readonly answer: string;
  readonly outcome: Outcome | null;
}

/** Values of a mode file's placeholders. */
export type Values = Readonly<Record<string, string>>;

/** One conversation with the model: its history, its skill buffer, its tools. */
export class Conversation {
  readonly number: number;
  private readonly session: Session;
  private readonly role: Role;
  private readonly desk: CallDesk;
  private readonly skills: SkillDesk;
  private readonly messages: ChatMessage[] = [];
  private promptDigest = "";

  constructor(session: Session, role: Role, box: ToolBox) {
    const { setting, world, signal, approvals } = session;
    this.session = session;
    this.role = role;
    this.number = session.nextConversation();
    this.skills = new SkillDesk(setting.variant, setting.skills, this.number);
    const context = { world, signal, loadSkill: (name: string) => this.skills.load(name) };
    this.desk = { conversation: this.number, box, approvals, context };
  }

  /**
   * Says one user text and runs the loop until the model answers without calls, whatever `finish_reason` says, or the
   * trial ends. Buffered skills arrive with the text. Never throws but for a prompt that can't be assembled.
   */
  async say(userText: string, values: Values = {}): Promise<Said> {
    this.prompt(values);
    const { text, injected, events } = this.skills.arrive(userText);
    this.tell(...events, { type: "user", conversation: this.number, text, injected: [...injected] });
    this.messages.push({ role: "user", content: text });
    const repeats = new Repeats();
    for (;;) {
      const called = await this.session.call(this.messages, this.desk.box.specs);
      if (!called.ok) return { answer: "", outcome: called.outcome };
      const { reply } = called;
      this.tell({ type: "reply", conversation: this.number, ...called.told });
      this.messages.push(assistantMessage(reply));
      if (reply.calls.length === 0) return { answer: reply.content, outcome: null };
      if (repeats.seen(reply.calls)) return { answer: reply.content, outcome: REPEATED };
      await this.carryOutAll(reply.calls);
    }
  }

  /** Sets the system prompt, and tells of it when it is new: it stands first and is sent with every call. */
  private prompt(values: Values): void {
    const { setting, deps } = this.session;
    const { text, digest } = setting.prompt(this.role, values, deps.digest);
    if (digest === this.promptDigest) return;
    deps.keepText(digest, text);
    this.promptDigest = digest;
    this.messages[0] = { role: "system", content: text };
    const { number: conversation, role } = this;
    this.tell({
      type: "conversation",
      conversation,
      role,
      promptDigest: digest,
      tools: [...this.desk.box.names],
    });
  }

  /** All calls of a reply at once; events and results in the order of the calls. */
  private async carryOutAll(calls: readonly ToolCall[]): Promise<void> {
    const done = await Promise.all(
      calls.map((call, at) => (at < MAX_CALLS ? carryOut(call, this.desk) : tooMany(call, this.number))),
    );
    for (const [at, { text, events }] of done.entries()) {
      this.tell(...events);
      this.messages.push({ role: "tool", tool_call_id: calls[at]?.id ?? "", content: text });
    }
  }

  private tell(...events: readonly Event[]): void {
    this.session.events.push(...events);
  }
}

const REPEATED: Outcome = {
  status: "stopped",
  limit: "repeated-calls",
  message: `the same calls ${MAX_SAME} times in a row`,
};

/** Counts replies in a row whose calls have the same names and raw arguments. */
class Repeats {
  private signature = "";
  private count = 0;

  /** Whether this reply makes it one too many. */
  seen(calls: readonly ToolCall[]): boolean {
    const signature = JSON.stringify(calls.map((call) => [call.name, call.arguments]));
    this.count = signature === this.signature ? this.count + 1 : 1;
    this.signature = signature;
    return this.count >= MAX_SAME;
  }
}

async function tooMany(call: ToolCall, conversation: number): Promise<DoneCall> {
  const result = `Error: not run: at most ${MAX_CALLS} calls in one reply`;
  return {
    text: result,
    events: [{ type: "tool", conversation, callId: call.id, name: call.name, result, error: true }],
  };
}
