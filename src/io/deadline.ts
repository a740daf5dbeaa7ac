/** A signal that aborts with another one or when time is up; `release` must be called when the work is done. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether it was the time limit that aborted. */
  expired(): boolean;
  release(): void;
}

/** Longest delay that timers take; more would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Cheaper than `AbortSignal.any` with `AbortSignal.timeout`, and tells the two reasons apart. */
export function deadline(outer: AbortSignal, ms: number): Deadline {
  const controller = new AbortController();
  let expired = false;
  const abort = () => controller.abort();
  const timer = setTimeout(
    () => {
      expired = true;
      abort();
    },
    Math.min(ms, LONGEST_MS),
  );
  if (outer.aborted) abort();
  else outer.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    expired: () => expired,
    release: () => {
      clearTimeout(timer);
      outer.removeEventListener("abort", abort);
    },
  };
}
