import { mkdir, rename, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "../core/nouns/problem.ts";
import type { RunRecord } from "../core/nouns/run.ts";
import type { Summary } from "../core/nouns/summary.ts";
import type { Store } from "../run/ports.ts";
import { lockRun } from "./lock.ts";
import { maskJson } from "./mask.ts";
import { lineWriter, refuseGone } from "./line-writer.ts";
import { decodeLine } from "./lines.ts";
import { parseTrial, readLines } from "./trial-lines.ts";
import { makeFolder } from "./make-folder.ts";
import { refuseWrite } from "./write-errors.ts";
import { errorCode, exists, openOwn, writeAtomically } from "./files.ts";

/** A run folder being written. */
export interface RunWriter extends Store {
  readonly dir: string;
  close(): Promise<void>;
}

/** Takes secrets out of a text before it is written. */
export type Mask = (text: string) => string;
const asItIs: Mask = (text) => text;

/** Writes run.json of a run folder and gives back what now stands there. */
export function writeRecord(dir: string, record: RunRecord, mask: Mask = asItIs): Promise<RunRecord> {
  return writeJson(join(dir, "run.json"), record, mask);
}

/** Writes summary.json of a run folder and gives back what now stands there. */
export function writeSummary(dir: string, summary: Summary, mask: Mask = asItIs): Promise<Summary> {
  return writeJson(join(dir, "summary.json"), summary, mask);
}

async function writeJson<T>(file: string, value: T, mask: Mask): Promise<T> {
  const text = maskJson(mask, `${JSON.stringify(value, null, 2)}\n`, 2);
  await writeAtomically(file, text);
  // Masking changes texts, never the shape.
  return JSON.parse(text) as T;
}

/**
 * Makes `reports/<run-id>/` exclusively and writes run.json. Throws InputError when the folder exists, or when there may
 * be none: before anything is paid.
 */
export async function createRun(reports: string, record: RunRecord, mask: Mask = asItIs): Promise<RunWriter> {
  const dir = join(reports, record.runId);
  if (record.runId === "latest") {
    fail("bad-run-id", { key: "--run-id" }, '"latest" means the newest run', "choose another --run-id");
  }
  try {
    makeFolder(reports);
    if (!(await madeNew(dir))) {
      fail(
        "run-exists",
        { file: dir },
        `the run folder ${record.runId} exists already`,
        (await exists(join(dir, "run.json")))
          ? "choose another --run-id, or go on with --resume"
          : "it holds no run: choose another --run-id, or delete it",
      );
    }
    await writeRecord(dir, record, mask);
    return await openWriter(dir, mask);
  } catch (error) {
    return refuseWrite(error, dir);
  }
}

async function madeNew(dir: string): Promise<boolean> {
  try {
    await mkdir(dir);
    return true;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return false;
  }
}

/**
 * Opens a run's trials.jsonl for appending, the folder locked; a torn last line is cut off first. `retryBroken`: broken
 * trials are set aside, to be run again. Throws InputError when another process has the folder.
 */
export async function openWriter(dir: string, mask: Mask = asItIs, retryBroken = false): Promise<RunWriter> {
  const unlock = await lockRun(dir);
  try {
    const path = join(dir, "trials.jsonl");
    await mendEnd(path);
    if (retryBroken) await setBrokenAside(dir);
    return writerOf(dir, await openOwn(path, "a"), mask, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

function writerOf(dir: string, file: FileHandle, mask: Mask, unlock: () => Promise<void>): RunWriter {
  const path = join(dir, "trials.jsonl");
  const writer = lineWriter(async (text) => {
    await file.appendFile(text);
    await refuseGone(path, file);
  });
  return {
    dir,
    append: (line) => writer.write(`${maskJson(mask, JSON.stringify(line))}\n`),
    async close() {
      try {
        await writer.idle();
        await file.close();
        // What a full disk left of a line.
        if (writer.failed()) await mendEnd(path);
      } finally {
        await unlock();
      }
    },
  };
}

/**
 * Takes the broken trials out of trials.jsonl, to be run again; they are kept in broken.jsonl. Line by line, as they
 * are: memory stays flat and the others are not touched.
 */
async function setBrokenAside(dir: string): Promise<void> {
  const path = join(dir, "trials.jsonl");
  const kept = await openOwn(`${path}.tmp`, "w");
  const aside = await openOwn(join(dir, "broken.jsonl"), "a");
  try {
    for await (const { text, trial } of readLines(path)) {
      await (trial.status === "broken" ? aside : kept).appendFile(`${text}\n`);
    }
  } finally {
    await Promise.all([kept.close(), aside.close()]);
  }
  await rename(`${path}.tmp`, path);
}

/** Makes the file end with a whole line: a trial that only lacks its line end gets it, half of one is cut off. */
async function mendEnd(path: string): Promise<void> {
  const file = await openOwn(path, "a+");
  try {
    const { size } = await file.stat();
    const start = await lastLineStart(file, size);
    if (start === size) return;
    const last = Buffer.alloc(size - start);
    await file.read(last, 0, last.length, start);
    if (parseTrial(decodeLine(last)) === null) await file.truncate(start);
    else await file.appendFile("\n");
  } finally {
    await file.close();
  }
}

/** Where the text behind the last line end begins. */
async function lastLineStart(file: FileHandle, size: number): Promise<number> {
  const chunk = Buffer.alloc(65_536);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - chunk.length);
    const { bytesRead } = await file.read(chunk, 0, end - start, start);
    const newline = chunk.subarray(0, bytesRead).lastIndexOf(10);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}
