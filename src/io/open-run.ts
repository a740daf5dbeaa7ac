import { open, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fail } from "../core/nouns/problem.ts";
import { RunRecord, type TrialLine } from "../core/nouns/run.ts";
import { Summary } from "../core/nouns/summary.ts";
import { byText } from "../core/text/order.ts";
import { messageOf } from "../core/text/thrown.ts";
import { exists } from "./files.ts";
import { readTrials } from "./trial-lines.ts";

/** A run folder as it lies on disk. */
export interface SavedRun {
  readonly dir: string;
  readonly record: RunRecord;
  /**
   * Finished trials in the order they ended; a torn last line (a crash while writing) is left out. Throws InputError at
   * any other line that is none of this run's trials: no verdict may rest on the others.
   */
  trials(): AsyncIterable<TrialLine>;
  summary(): Promise<Summary | null>;
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
    trials: () => readTrials(join(dir, "trials.jsonl"), record),
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
  const runs: { dir: string; at: string }[] = [];
  for (const name of names) {
    const at = await createdAt(join(reports, name, "run.json"));
    if (at !== null) runs.push({ dir: join(reports, name), at });
  }
  runs.sort((a, b) => byText(b.at, a.at) || byText(b.dir, a.dir));
  const newest = runs[0];
  return newest === undefined
    ? fail("no-run", { file: reports }, "there is no run yet", "make one with evalkit run")
    : newest.dir;
}

/**
 * When a run was made, read from the first lines of its run.json: times of files change when a run is resumed or copied.
 * Null where there is no run.
 */
async function createdAt(file: string): Promise<string | null> {
  const handle = await open(file, "r").catch(() => null);
  if (handle === null) return null;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1024), 0, 1024, 0);
    return /"createdAt":\s*"([^"]+)"/.exec(buffer.toString("utf8", 0, bytesRead))?.[1] ?? "";
  } finally {
    await handle.close();
  }
}

async function readJson<T>(file: string, parse: (value: unknown) => T): Promise<T> {
  try {
    return parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    return fail("broken-file", { file }, `cannot be read as what evalkit writes: ${firstLine(error)}`);
  }
}

function firstLine(error: unknown): string {
  return messageOf(error).split("\n")[0] ?? "";
}
