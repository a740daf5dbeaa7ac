const closing = new Set<() => Promise<unknown>>();

/** Notes what must be closed for the process to end, such as connections that nothing waits for any more. */
export function atEnd(close: () => Promise<unknown>): void {
  closing.add(close);
}

/** Closes all that was noted. Never rejects. */
export async function closeAll(): Promise<void> {
  const all = [...closing];
  closing.clear();
  await Promise.allSettled(all.map((close) => close()));
}
