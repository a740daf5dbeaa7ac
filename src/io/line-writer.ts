import { type FileHandle, stat } from "node:fs/promises";

/** Rejects where a file that is open was deleted or moved: what is paid for from then on would be lost. */
export async function refuseGone(path: string, file: FileHandle): Promise<void> {
  const [there, ours] = await Promise.all([stat(path).catch(() => null), file.stat()]);
  if (there?.ino === ours.ino && there.dev === ours.dev) return;
  throw Object.assign(
    new Error(`${path}; the run was stopped, evalkit run --resume goes on where it is found`),
    {
      code: "ESTALE",
    },
  );
}

/**
 * Writes lines in order; those that come while a write is under way go out together in the next one. After a write that
 * failed nothing more is written: it may have left half a line, and what came behind it would be lost with it.
 */
export function lineWriter(append: (text: string) => Promise<void>) {
  let waiting: string[] = [];
  let under: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  let failed = false;
  const flush = (): Promise<void> => {
    const text = waiting.join("");
    waiting = [];
    next = null;
    under = append(text);
    under.catch(() => {
      failed = true;
    });
    return under;
  };
  return {
    write(line: string): Promise<void> {
      waiting.push(line);
      next ??= under.then(flush);
      return next;
    },
    idle: (): Promise<void> => (next ?? under).catch(() => undefined),
    failed: (): boolean => failed,
  };
}
