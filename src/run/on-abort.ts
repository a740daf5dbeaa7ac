const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` when the signal aborts, at once if it has; gives back how to let go. A signal that many trials share gets
 * one listener in all: Node warns of a leak from the eleventh on.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) {
    act();
    return () => undefined;
  }
  const acts = waiting.get(signal) ?? listen(signal);
  acts.add(act);
  return () => acts.delete(act);
}

function listen(signal: AbortSignal): Set<() => void> {
  const acts = new Set<() => void>();
  waiting.set(signal, acts);
  signal.addEventListener(
    "abort",
    () => {
      for (const act of acts) act();
    },
    { once: true },
  );
  return acts;
}
