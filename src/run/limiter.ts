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
  /** Calls started before the last narrowing tell nothing new: they are of the same crowd. */
  narrowedAt: number;
  /** Results since the last change of width, older ones fading. */
  served: number;
  turnedAway: number;
  /** Successes since the last change of width. */
  successes: number;
}

/** A share beyond this says that too many call at once; stray refusals (a server that errs at random) stay below. */
const CROWDED = 0.25;
/** Counted as served beforehand, so that a single refusal never narrows the gate. */
const BENEFIT_OF_DOUBT = 6;

/**
 * A gate in front of a server that adapts to it: half as many calls in flight where a good part of them is turned away
 * (429, 503, 529), one more after as many successes as are in flight, never fewer than one, never more than asked for.
 * While the server asks to wait, nobody calls. A caller whose signal aborts leaves the queue at once.
 */
export function withLimiter(model: Model, options: LimiterOptions): Model {
  const gate: Gate = {
    limit: pLimit(Math.max(1, options.concurrency)),
    openFrom: 0,
    narrowedAt: Number.NEGATIVE_INFINITY,
    served: 0,
    turnedAway: 0,
    successes: 0,
  };
  return {
    call: (request, context) => {
      const turn = gate.limit(async (): Promise<ModelResult> => {
        if (!(await untilOpen(gate, options.clock, context.signal))) return LEFT;
        const started = options.clock.now();
        const result = await model.call(request, context);
        if (started >= gate.narrowedAt) learn(gate, options, result);
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

function learn(gate: Gate, options: LimiterOptions, result: ModelResult): void {
  fade(gate);
  if (result.ok) {
    gate.served += 1;
    gate.successes += 1;
    if (gate.successes >= gate.limit.concurrency) widen(gate, options);
    return;
  }
  const { kind, status } = result.failure;
  if (kind !== "rate-limited" && !(kind === "server" && (status === 503 || status === 529))) return;
  gate.turnedAway += 1;
  const asked = Math.min(options.maxPauseSeconds ?? 60, result.retryAfterSeconds ?? 0);
  gate.openFrom = Math.max(gate.openFrom, options.clock.now() + asked * 1000);
  const share = gate.turnedAway / (gate.served + gate.turnedAway + BENEFIT_OF_DOUBT);
  if (share >= CROWDED) narrow(gate, options);
}

/** Keeps the memory to about two rounds of calls. */
function fade(gate: Gate): void {
  if (gate.served + gate.turnedAway < 2 * gate.limit.concurrency + 16) return;
  gate.served /= 2;
  gate.turnedAway /= 2;
}

function narrow(gate: Gate, options: LimiterOptions): void {
  gate.narrowedAt = options.clock.now();
  gate.served = 0;
  gate.turnedAway = 0;
  gate.successes = 0;
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
