import type { Settings } from "../../core/config/settings.ts";
import { onInterrupt } from "../../io/signals.ts";

/** How paid work is ended early. */
export interface Stopping {
  /** `stopped` says why nothing more is begun; `interrupted`: by Ctrl-C. */
  readonly state: { stopped: string | null; interrupted: boolean };
  /** Aborted by Ctrl-C and the run's time limit: what is under way is torn off. */
  readonly signal: AbortSignal;
  /** Begins nothing more, while what is under way goes on to its end: a budget is used up. */
  close(reason: string): void;
  /** Lets go of the signals and the timer. */
  release(): void;
}

/** Watches for Ctrl-C and the run's time limit. `release` must be called when the work is done. */
export function stopping({ limits }: Settings): Stopping {
  const stop = new AbortController();
  const state: Stopping["state"] = { stopped: null, interrupted: false };
  const close = (reason: string): void => {
    state.stopped ??= reason;
  };
  const halt = (reason: string): void => {
    close(reason);
    stop.abort();
  };
  const letGo = onInterrupt(() => {
    state.interrupted = true;
    halt("interrupted");
  });
  const seconds = limits.runSeconds;
  const over = () => halt(`the run's time limit of ${seconds} s is over`);
  const timer = seconds === null ? undefined : setTimeout(over, seconds * 1000).unref();
  const release = (): void => {
    clearTimeout(timer);
    letGo();
  };
  return { state, signal: stop.signal, close, release };
}
