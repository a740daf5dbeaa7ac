import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "../core/nouns/problem.ts";

/**
 * Takes a run folder for this process, so that two never write to it at once; a lock left by a process that is gone is
 * taken over. Returns what lets it go. Throws InputError while another process holds it.
 */
export async function lockRun(dir: string): Promise<() => Promise<void>> {
  const path = join(dir, "lock");
  for (let tries = 0; tries < 3; tries += 1) {
    const file = await open(path, "wx").catch(() => null);
    if (file !== null) {
      await file.writeFile(String(process.pid));
      await file.close();
      return () => rm(path, { force: true });
    }
    const holder = Number(await readFile(path, "utf8").catch(() => ""));
    if (isAlive(holder)) {
      fail(
        "run-in-use",
        { file: dir },
        `process ${holder} is writing to this run`,
        "wait until it ends, or stop it",
      );
    }
    await rm(path, { force: true });
  }
  return fail("run-in-use", { file: dir }, "another process is writing to this run", "wait until it ends");
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
