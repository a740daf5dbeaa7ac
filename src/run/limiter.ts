import pLimit, { type LimitFunction } from "p-limit";
import type { Clock, Model, ModelResult } from "./ports.ts";

/** How many calls may be in flight. */
export interface LimiterOptions {
  /** At the most, and at the start. */
  readonly concurrency: number;
  readonly clock: Clock;
  /** Longest pause that a server can ask of all callers; default 60. */
  readonly maxPauseSeconds?: number;
  /** Told whenever the number in flight changes. */
  readonly onChange?: (concurrency: number) => void;
}

interface Gate {
  readonly limit: LimitFunction;
  /** Calls start no sooner, by the clock. */
  openFrom: number;
  /** Calls started before this do not narrow the gate again: they are of the same crowd. */
  narrowedAt: number;
  successes: number;
}

/**
 * A gate in front of a server that adapts to it: half as many calls in flight after a crowd was turned away (429, 503,
 * 529), one more after as many successes in a row as are in flight, never fewer than one, never more than asked for.
 * While the server asks to wait, nobody calls. A caller whose signal aborts leaves the queue at once.
 */
export function withLimiter(model: Model, options: LimiterOptions): Model {
  const gate: Gate = {
    limit: pLimit(Math.max(1, options.concurrency)),
    openFrom: 0,
    narrowedAt: Number.NEGATIVE_INFINITY,
    successes: 0,
  };
  return {
    call: (request, context) => {
      const turn = gate.limit(async (): Promise<ModelResult> => {
        if (!(await untilOpen(gate, options.clock, context.signal))) return LEFT;
        const started = options.clock.now();
        const result = await model.call(request, context);
        learn(gate, options, result, started);
        return result;
      });
      return orAbort(turn, context.signal);
    },
  };
}

const LEFT: ModelResult = {
  ok: false,
  failure: {
    kind: "interrupted",
    message: "the call was stopped before it was sent",
    status: null,
    attempts: 0,
  },
};

/** Waits for the pause to end; false if the caller went away. */
async function untilOpen(gate: Gate, clock: Clock, signal: AbortSignal): Promise<boolean> {
  for (let wait = gate.openFrom - clock.now(); wait > 0 && !signal.aborted; ) {
    await clock.sleep(wait, signal);
    wait = gate.openFrom - clock.now();
  }
  return !signal.aborted;
}

function learn(gate: Gate, options: LimiterOptions, result: ModelResult, started: number): void {
  if (result.ok) {
    gate.successes += 1;
    if (gate.successes >= gate.limit.concurrency) widen(gate, options);
    return;
  }
  const { kind, status } = result.failure;
  const turnedAway = kind === "rate-limited" || (kind === "server" && (status === 503 || status === 529));
  if (!turnedAway) return;
  gate.successes = 0;
  const asked = Math.min(options.maxPauseSeconds ?? 60, result.retryAfterSeconds ?? 0);
  gate.openFrom = Math.max(gate.openFrom, options.clock.now() + asked * 1000);
  if (started >= gate.narrowedAt) narrow(gate, options);
}

function narrow(gate: Gate, options: LimiterOptions): void {
  gate.narrowedAt = options.clock.now();
  set(gate, options, Math.max(1, Math.floor(gate.limit.concurrency / 2)));
}

function widen(gate: Gate, options: LimiterOptions): void {
  gate.successes = 0;
  set(gate, options, Math.min(Math.max(1, options.concurrency), gate.limit.concurrency + 1));
}

function set(gate: Gate, options: LimiterOptions, concurrency: number): void {
  if (gate.limit.concurrency === concurrency) return;
  gate.limit.concurrency = concurrency;
  options.onChange?.(concurrency);
}

/** The turn's result, or that the caller left while it was still in the queue. */
function orAbort(turn: Promise<ModelResult>, signal: AbortSignal): Promise<ModelResult> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(LEFT);
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    turn.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
