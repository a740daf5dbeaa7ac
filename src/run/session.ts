import type { Limits } from "../core/config/settings.ts";
import type { Event, Failure, Outcome, Reply } from "../core/nouns/transcript.ts";
import { ApprovalDesk } from "./approval.ts";
import type {
  CallContext,
  ChatMessage,
  Clock,
  Digest,
  Model,
  ModelResult,
  OpenShell,
  ToolSpec,
  TrialPlan,
} from "./ports.ts";
import { onAbort } from "./on-abort.ts";
import type { Setting } from "./setting.ts";
import { createWorld, type World } from "./world/world.ts";

/** Limits of one trial. A case's `expect.limits.turns` comes before `turns`. */
export type TrialLimits = Pick<Limits, "turns" | "tokens" | "trialSeconds">;

/** What a session needs of the world outside. */
export interface SessionDeps {
  readonly model: Model;
  readonly modelName: string;
  readonly salt: string;
  readonly clock: Clock;
  readonly digest: Digest;
  readonly limits: TrialLimits;
  readonly signal: AbortSignal;
  /** Where commands run; default: in this thread, where a runaway can't be stopped from outside. */
  readonly openShell?: OpenShell;
  keepText(digest: string, text: string): void;
}

/** A reply with its number and timing, as the transcript tells it. */
export type Told = Pick<Extract<Event, { type: "reply" }>, "reply" | "turn" | "ms" | "attempts" | "replayed">;

/** A reply, or how the trial ended instead of one. */
export type Called =
  | { readonly ok: true; readonly reply: Reply; readonly told: Told }
  | { readonly ok: false; readonly outcome: Outcome };

/**
 * One trial under way: its world, events and limits, shared by its conversations. All model calls of the agent go
 * through `call`, so no mode can pass a limit by.
 */
export class Session {
  readonly setting: Setting;
  readonly world: World;
  readonly approvals: ApprovalDesk;
  readonly deps: SessionDeps;
  /** Handed in, so that what happened is kept even when the harness fails. */
  readonly events: Event[];
  /** Aborts when the run is interrupted or the trial's time is up. */
  readonly signal: AbortSignal;
  private readonly plan: TrialPlan;
  private readonly controller = new AbortController();
  /** Ends the trial's time limit; null where there is none. */
  private ended: AbortController | null = null;
  private readonly callIds = new Set<string>();
  private readonly requests = new Map<string, number>();
  private readonly aborted: Promise<ModelResult>;
  private conversations = 0;
  private turns = 0;
  private tokens = 0;
  private timeIsUp = false;
  private readonly letGo: () => void;

  constructor(plan: TrialPlan, setting: Setting, events: Event[], deps: SessionDeps) {
    this.plan = plan;
    this.events = events;
    this.deps = deps;
    this.setting = setting;
    this.world = createWorld(plan.case, setting.skillFiles, deps.openShell);
    this.approvals = new ApprovalDesk(plan.case);
    this.signal = this.controller.signal;
    this.aborted = new Promise((resolve) => {
      this.signal.addEventListener("abort", () => resolve({ ok: false, failure: INTERRUPTED }), {
        once: true,
      });
    });
    this.letGo = onAbort(deps.signal, () => this.controller.abort());
    this.startTimer(deps.limits.trialSeconds);
  }

  /** The agent is done: its time limit no longer counts, an interruption still does. */
  stopTimer(): void {
    // A reason of its own: the default one is a DOMException with a stack, made anew for each trial.
    this.ended?.abort("ended");
  }

  /** Lets go of timers and listeners. */
  end(): void {
    this.stopTimer();
    this.letGo();
    this.world.end();
  }

  /** The number of the next conversation, from 0. */
  nextConversation(): number {
    this.conversations += 1;
    return this.conversations - 1;
  }

  /** Calls the model once, within the trial's limits. */
  async call(messages: readonly ChatMessage[], tools: readonly ToolSpec[]): Promise<Called> {
    const limit = this.limitReached();
    if (limit !== null) return { ok: false, outcome: limit };
    this.turns += 1;
    const result = await this.ask(messages, tools);
    if (!result.ok) return { ok: false, outcome: this.failed(result.failure) };
    const { ms, attempts, replayed } = result;
    const reply = this.withOwnIds(result.reply);
    this.tokens += (reply.usage?.prompt ?? 0) + (reply.usage?.completion ?? 0);
    return { ok: true, reply, told: { turn: this.turns, reply, ms, attempts, replayed } };
  }

  /** Who calls the model for this trial; `occurrence` counts the same request. */
  context(occurrence: number): CallContext {
    return { key: this.plan.key, salt: this.deps.salt, occurrence, signal: this.signal };
  }

  /** How often these messages were sent in this trial before; counts this time too. */
  occurrence(messages: readonly ChatMessage[], tools: number): number {
    const key = JSON.stringify([tools, messages]);
    const before = this.requests.get(key) ?? 0;
    this.requests.set(key, before + 1);
    return before;
  }

  private ask(messages: readonly ChatMessage[], tools: readonly ToolSpec[]): Promise<ModelResult> {
    // In agent mode the one conversation only ever grows, so no request comes twice and none need be compared.
    const occurrence = this.plan.case.mode === "agent" ? 0 : this.occurrence(messages, tools.length);
    const request = { model: this.deps.modelName, messages: [...messages], tools };
    return Promise.race([this.deps.model.call(request, this.context(occurrence)), this.aborted]);
  }

  private limitReached(): Outcome | null {
    const turns = this.plan.case.expect.limits?.turns ?? this.deps.limits.turns;
    const { tokens } = this.deps.limits;
    if (this.signal.aborted) return this.failed(INTERRUPTED);
    if (this.turns >= turns) return { status: "stopped", limit: "turns", message: `turn limit ${turns}` };
    if (tokens !== null && this.tokens >= tokens) {
      return { status: "stopped", limit: "tokens", message: `token limit ${tokens} (${this.tokens} used)` };
    }
    return null;
  }

  /** A call that failed because the trial's time was up is the limit's doing, not the server's. */
  private failed(failure: Failure): Outcome {
    if (!this.timeIsUp) return { status: "broken", failure: this.signal.aborted ? INTERRUPTED : failure };
    const message = `time limit ${this.deps.limits.trialSeconds} seconds`;
    return { status: "stopped", limit: "time", message };
  }

  private startTimer(seconds: number | null): void {
    if (seconds === null) return;
    this.ended = new AbortController();
    const { signal } = this.ended;
    void this.deps.clock.sleep(seconds * 1000, signal).then(() => {
      if (signal.aborted) return;
      this.timeIsUp = true;
      this.controller.abort();
    });
  }

  /** Ids that are empty or were used before are replaced: results are told apart by them all through the trial. */
  private withOwnIds(reply: Reply): Reply {
    const calls = reply.calls.map((call, at) => {
      const id = this.ownId(call.id, at);
      this.callIds.add(id);
      return id === call.id ? call : { ...call, id };
    });
    return { ...reply, calls };
  }

  private ownId(given: string, at: number): string {
    let id = given === "" || this.callIds.has(given) ? `call_${this.turns}_${at + 1}` : given;
    while (this.callIds.has(id)) id = `${id}_`;
    return id;
  }
}

const INTERRUPTED: Failure = {
  kind: "interrupted",
  message: "the run was interrupted",
  status: null,
  attempts: 0,
};
