const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Calls `stop` at the first Ctrl-C, SIGTERM or closed terminal (SIGHUP); a second one ends the process at once with
 * 130. Returns what takes the listeners away again.
 */
export function onInterrupt(stop: () => void): () => void {
  let asked = false;
  const listener = (): void => {
    if (asked) process.exit(130);
    asked = true;
    stop();
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
}
