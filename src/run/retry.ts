import type { Failure } from "../core/nouns/transcript.ts";
import type { CallContext, Clock, Model, ModelRequest, ModelResult } from "./ports.ts";

/** How failures that can pass are tried again. */
export interface RetryOptions {
  /**
   * Tries after the first one, for each kind of failure: a call that was turned away, cut off and answered 500 in turn
   * has met three passing troubles, not one that stays.
   */
  readonly retries: number;
  readonly clock: Clock;
  /** Uniform in [0, 1), handed in. */
  readonly random: () => number;
  /** Longest wait before a try, whatever the server asks for; default 60. */
  readonly maxWaitSeconds?: number;
  /** Wait before the first retry at the most; it doubles with each; default 0.5. */
  readonly baseSeconds?: number;
  /** Told before each wait. */
  readonly onWait?: (reason: string, seconds: number) => void;
}

/** Kinds that may pass by themselves. Quota, auth, a certificate, a refused request or a missing model stay as they are. */
const CAN_PASS: ReadonlySet<Failure["kind"]> = new Set([
  "rate-limited",
  "server",
  "network",
  "timeout",
  "cut-off",
  "bad-response",
]);
/** No wait is shorter: full jitter may draw nearly nothing, and nothing would hammer a server in trouble. */
const SHORTEST_SECONDS = 0.05;

/**
 * Tries failures of the infrastructure again: exponential back-off with full jitter, or as long as the server asks for
 * (never beyond the cap). The signal ends a wait at once. The result counts all tries, and the last failure is the one
 * that is told.
 */
export function withRetries(model: Model, options: RetryOptions): Model {
  return { call: (request, context) => callWithRetries(model, options, request, context) };
}

async function callWithRetries(
  model: Model,
  options: RetryOptions,
  request: ModelRequest,
  context: CallContext,
): Promise<ModelResult> {
  const met = new Map<Failure["kind"], number>();
  for (let tries = 1; ; tries += 1) {
    const result = await model.call(request, context);
    if (result.ok) return tries === 1 ? result : { ...result, attempts: tries };
    const final = { ok: false, failure: { ...result.failure, attempts: tries } } as const;
    const { kind, message } = result.failure;
    const times = (met.get(kind) ?? 0) + 1;
    met.set(kind, times);
    if (times > options.retries || !CAN_PASS.has(kind) || context.signal.aborted) return final;
    const seconds = waitSeconds(options, times, result.retryAfterSeconds);
    options.onWait?.(message, seconds);
    await options.clock.sleep(seconds * 1000, context.signal);
    if (context.signal.aborted) return final;
  }
}

/** Seconds to wait after the `times`-th failure of a kind. */
function waitSeconds(options: RetryOptions, times: number, asked: number | undefined): number {
  const cap = options.maxWaitSeconds ?? 60;
  const ceiling = Math.min(cap, (options.baseSeconds ?? 0.5) * 2 ** (times - 1));
  const wanted = asked ?? options.random() * ceiling;
  return Math.min(cap, Math.max(SHORTEST_SECONDS, wanted));
}
