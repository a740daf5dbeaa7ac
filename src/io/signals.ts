/**
 * Calls `stop` at the first Ctrl-C or SIGTERM; a second one ends the process at once with 130. Returns what takes the
 * listeners away again.
 */
export function onInterrupt(stop: () => void): () => void {
  let asked = false;
  const listener = (): void => {
    if (asked) process.exit(130);
    asked = true;
    stop();
  };
  process.on("SIGINT", listener);
  process.on("SIGTERM", listener);
  return () => {
    process.off("SIGINT", listener);
    process.off("SIGTERM", listener);
  };
}
