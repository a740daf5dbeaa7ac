import {
  open,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
  type FileHandle,
} from "node:fs/promises";
import { createReadStream } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fail } from "../core/nouns/problem.ts";
import { RunRecord, TrialLine } from "../core/nouns/run.ts";
import { Summary } from "../core/nouns/summary.ts";
import type { Store } from "../run/ports.ts";
import { lockRun } from "./lock.ts";

/** A run folder as it lies on disk. */
export interface SavedRun {
  readonly dir: string;
  readonly record: RunRecord;
  /** Finished trials in the order they ended; a torn last line (a crash while writing) is left out. */
  trials(): AsyncIterable<TrialLine>;
  summary(): Promise<Summary | null>;
}

/** A run folder being written. */
export interface RunWriter extends Store {
  readonly dir: string;
  close(): Promise<void>;
}

/** Takes secrets out of a text before it is written. */
export type Mask = (text: string) => string;
const asItIs: Mask = (text) => text;

/** Writes run.json of a run folder. */
export async function writeRecord(dir: string, record: RunRecord, mask: Mask = asItIs): Promise<void> {
  await writeAtomically(join(dir, "run.json"), mask(`${JSON.stringify(record, null, 2)}\n`));
}

/** Writes a file whole or not at all. */
export async function writeAtomically(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Makes `reports/<run-id>/` exclusively and writes run.json. Throws InputError when the folder exists. */
export async function createRun(reports: string, record: RunRecord, mask: Mask = asItIs): Promise<RunWriter> {
  const dir = join(reports, record.runId);
  await mkdir(reports, { recursive: true });
  try {
    await mkdir(dir);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    fail(
      "run-exists",
      { file: dir },
      `the run folder ${record.runId} exists already`,
      "choose another --run-id, or go on with --resume",
    );
  }
  await writeRecord(dir, record, mask);
  return openWriter(dir, mask);
}

/** Opens a run's trials.jsonl for appending; a torn last line is cut off first. */
export async function openWriter(dir: string, mask: Mask = asItIs): Promise<RunWriter> {
  const unlock = await lockRun(dir);
  const file = await open(join(dir, "trials.jsonl"), "a+");
  await cutTornLine(file);
  const writer = lineWriter((text) => file.appendFile(text));
  return {
    dir,
    append: (line) => writer.write(`${mask(JSON.stringify(line))}\n`),
    async close() {
      await writer.idle();
      await file.close();
      await unlock();
    },
  };
}

/** Writes lines in order; those that come while a write is under way go out together in the next one. */
function lineWriter(append: (text: string) => Promise<void>) {
  let waiting: string[] = [];
  let under: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  const flush = (): Promise<void> => {
    const text = waiting.join("");
    waiting = [];
    next = null;
    under = append(text);
    return under;
  };
  return {
    write(line: string): Promise<void> {
      waiting.push(line);
      next ??= under.then(flush, flush);
      return next;
    },
    idle: (): Promise<void> => (next ?? under).catch(() => undefined),
  };
}

/**
 * Takes the broken trials out of trials.jsonl, to be run again; they are kept in broken.jsonl. Line by line: memory stays
 * flat. Returns how many there were.
 */
export async function setBrokenAside(run: SavedRun): Promise<number> {
  const kept = await open(join(run.dir, "trials.jsonl.tmp"), "w");
  const aside = await open(join(run.dir, "broken.jsonl"), "a");
  let broken = 0;
  try {
    for await (const line of run.trials()) {
      if (line.status === "broken") broken += 1;
      await (line.status === "broken" ? aside : kept).appendFile(`${JSON.stringify(line)}\n`);
    }
  } finally {
    await Promise.all([kept.close(), aside.close()]);
  }
  await rename(join(run.dir, "trials.jsonl.tmp"), join(run.dir, "trials.jsonl"));
  return broken;
}

/**
 * A saved run by run id, folder, or `latest`. A relative folder is looked for from `cwd`, which `-C` may have set.
 * Throws InputError naming what was looked for.
 */
export async function openRun(reports: string, run: string, cwd = "."): Promise<SavedRun> {
  const dir = await findRun(reports, run, cwd);
  const record = await readJson(join(dir, "run.json"), (value) => RunRecord.parse(value));
  return {
    dir,
    record,
    trials: () => readTrials(join(dir, "trials.jsonl")),
    summary: async () =>
      (await exists(join(dir, "summary.json")))
        ? readJson(join(dir, "summary.json"), (value) => Summary.parse(value))
        : null,
  };
}

async function findRun(reports: string, run: string, cwd: string): Promise<string> {
  if (run === "latest") return latestRun(reports);
  for (const dir of [join(reports, run), resolve(cwd, run)]) {
    if (await exists(join(dir, "run.json"))) return dir;
  }
  return fail(
    "no-run",
    { file: reports },
    `no run ${JSON.stringify(run)} was found`,
    "give a run id, a run's folder, or latest",
  );
}

async function latestRun(reports: string): Promise<string> {
  const names = (await exists(reports)) ? await readdir(reports) : [];
  const runs: { dir: string; at: number }[] = [];
  for (const name of names) {
    const file = join(reports, name, "run.json");
    if (await exists(file)) runs.push({ dir: join(reports, name), at: (await stat(file)).birthtimeMs });
  }
  runs.sort((a, b) => b.at - a.at || (a.dir < b.dir ? 1 : -1));
  const newest = runs[0];
  return newest === undefined
    ? fail("no-run", { file: reports }, "there is no run yet", "make one with evalkit run")
    : newest.dir;
}

async function* readTrials(path: string): AsyncIterable<TrialLine> {
  if (!(await exists(path))) return;
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  let torn: number | null = null;
  for await (const line of lines) {
    number += 1;
    if (torn !== null) fail("broken-line", { file: path, line: torn }, "this line is not a trial");
    const trial = parseLine(line);
    if (trial === null) torn = number;
    else yield trial;
  }
}

function parseLine(line: string): TrialLine | null {
  try {
    const parsed = TrialLine.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

async function cutTornLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  const chunk = Buffer.alloc(65_536);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - chunk.length);
    const { bytesRead } = await file.read(chunk, 0, end - start, start);
    const newline = chunk.subarray(0, bytesRead).lastIndexOf(10);
    if (newline >= 0) {
      const keep = start + newline + 1;
      if (keep < size) await file.truncate(keep);
      return;
    }
    end = start;
  }
  if (size > 0) await file.truncate(0);
}

async function readJson<T>(file: string, parse: (value: unknown) => T): Promise<T> {
  try {
    return parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    return fail("broken-file", { file }, `cannot be read as what evalkit writes: ${firstLine(error)}`);
  }
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
