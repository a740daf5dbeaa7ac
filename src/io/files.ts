import { constants } from "node:fs";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";

/** Whether anything stands at a path, links followed. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** The code of what Node threw, such as `ENOENT`; undefined for anything else. */
export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string"
    ? thrown.code
    : undefined;
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR, O_TRUNC, O_WRONLY } = constants;
const MODES = { w: O_WRONLY | O_TRUNC, a: O_WRONLY | O_APPEND, "a+": O_RDWR | O_APPEND } as const;

/** Opens a file of evalkit's own to write to. Rejects with ELOOP where it is a link: a branch may have put it there. */
export function openOwn(path: string, mode: keyof typeof MODES): Promise<FileHandle> {
  // Windows knows no such flag.
  return open(path, MODES[mode] | O_CREAT | (O_NOFOLLOW ?? 0), 0o666);
}

/** Writes a file whole or not at all. */
export async function writeAtomically(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await openOwn(temporary, "w");
    await file.writeFile(text).finally(() => file.close());
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
