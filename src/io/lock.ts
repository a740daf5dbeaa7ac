import { open, readFile, rename, rm, stat, link } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { fail, InputError } from "../core/nouns/problem.ts";
import { parseJson } from "../core/text/json.ts";
import { errorCode } from "./files.ts";

/** Whoever holds a run folder. `start` tells a process from a later one that was given its number; null: not known. */
const Holder = z.object({ pid: z.int().positive(), host: z.string(), start: z.string().nullable() });
type Holder = z.infer<typeof Holder>;

/** A lock without content is being written, or was when its process died: it is believed for so long. */
const BLANK_MS = 10_000;

/**
 * Takes a folder (`what`: a run's, if not told otherwise) for this process, so that two never write to it at once; a
 * lock left by a process that is gone is taken over. Returns what lets it go. Throws InputError while another process
 * holds it.
 */
export async function lockRun(dir: string, what = "this run"): Promise<() => Promise<void>> {
  const path = join(dir, "lock");
  for (let tries = 0; tries < 5; tries += 1) {
    if (await take(path)) return () => rm(path, { force: true });
    const text = await readFile(path, "utf8").catch(() => null);
    if (text === null) continue;
    await refuseIfHeld(path, text, dir, what);
    await setAside(path, text);
  }
  return fail("run-in-use", { file: dir }, `another process is writing to ${what}`, "wait until it ends");
}

/** Waits for another process that holds a run this long before it is refused. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 50;

/**
 * Does short work on a run folder that other processes may want to do too: two imports at once must not each write what
 * they read before the other. Waits for its turn. Throws InputError where the other process takes long, as a run does.
 */
export async function withRunLock<T>(dir: string, work: () => Promise<T>, what?: string): Promise<T> {
  const unlock = await lockPatiently(dir, what);
  try {
    return await work();
  } finally {
    await unlock();
  }
}

async function lockPatiently(dir: string, what?: string): Promise<() => Promise<void>> {
  for (let waited = 0; ; waited += LOOK_MS) {
    try {
      return await lockRun(dir, what);
    } catch (error) {
      const inUse = error instanceof InputError && error.problems.some(({ code }) => code === "run-in-use");
      if (!inUse || waited >= PATIENCE_MS) throw error;
      await delay(LOOK_MS);
    }
  }
}

/** Whether the lock could be made; false where there is one already. */
async function take(path: string): Promise<boolean> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, "wx");
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
  try {
    await file.writeFile(JSON.stringify(await ourselves()));
    return true;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function refuseIfHeld(path: string, text: string, dir: string, what: string): Promise<void> {
  const holder = readHolder(text);
  if (holder === null) {
    const made = await stat(path).catch(() => null);
    if (text !== "" || made === null || Date.now() - made.mtimeMs > BLANK_MS) return;
    fail("run-in-use", { file: dir }, `another process is about to write to ${what}`, "wait until it ends");
  }
  const { pid, host } = holder;
  if (host !== hostname()) {
    const message = `process ${pid} on ${host} is writing to ${what}, or was stopped while it did`;
    fail("run-in-use", { file: dir }, message, `if it is gone, delete ${path}`);
  }
  if (await isAlive(holder)) {
    fail(
      "run-in-use",
      { file: dir },
      `process ${pid} is writing to ${what}`,
      "wait until it ends, or stop it",
    );
  }
}

/** Takes a dead lock away, and puts back what another process has put in its place in the meantime. */
async function setAside(path: string, seen: string): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
  const moved = await readFile(aside, "utf8").catch(() => seen);
  if (moved !== seen) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

/** Older versions wrote the number alone. */
function readHolder(text: string): Holder | null {
  const value = parseJson(text);
  if (typeof value === "number" && Number.isInteger(value) && value > 0) {
    return { pid: value, host: hostname(), start: null };
  }
  const holder = Holder.safeParse(value);
  return holder.success ? holder.data : null;
}

async function ourselves(): Promise<Holder> {
  return { pid: process.pid, host: hostname(), start: await startOf(process.pid) };
}

async function isAlive({ pid, start }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) !== "EPERM") return false;
  }
  // Numbers are given again, in a container nearly always the same one.
  const now = await startOf(pid);
  return start === null || now === null || start === now;
}

/** When a process started, in ticks since the machine did (field 22 of proc(5)'s stat); null where that is not told. */
async function startOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields[22 - 3] ?? null;
}
