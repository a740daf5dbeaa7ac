import { readFile, stat } from "node:fs/promises";
import { importedLine, importRecord, type ImportOptions } from "../core/import/import-record.ts";
import { foreignFormat } from "../core/import/foreign.ts";
import { EXAMPLE, type ImportedRow, parseResults } from "../core/import/parse-results.ts";
import { fail, InputError, problem } from "../core/nouns/problem.ts";
import type { RunRecord } from "../core/nouns/run.ts";
import { rowOf, type TrialRow } from "../core/summary/rows.ts";
import { createRun, type Mask } from "./run-store.ts";
import { errorCode } from "./files.ts";

const LARGEST = 256 * 1024 * 1024;
const SHOWN = 50;
/** Lines that are made and written together: all of a large file would fill the memory. */
const AT_ONCE = 1000;

/** A run made of results from elsewhere, its folder written but for summary and reports. */
export interface ImportedRun {
  readonly dir: string;
  readonly record: RunRecord;
  readonly rows: readonly TrialRow[];
}

/** Reads a results file. Throws InputError with every faulty line (50 at the most), or when it holds no result. */
export async function readResults(path: string, shown: string): Promise<ImportedRow[]> {
  const text = await readText(path, shown);
  const { rows, problems } = parseResults(shown, text);
  const foreign = rows.length === 0 ? foreignFormat(text) : null;
  if (foreign !== null) {
    fail(
      "foreign-format",
      { file: shown },
      `this is ${foreign}, and evalkit import reads one result a line`,
      `write a line for each trial, ${EXAMPLE}`,
    );
  }
  if (problems.length > SHOWN) {
    const more = problem(
      "more-problems",
      { file: shown },
      `${problems.length - SHOWN} more problems are not shown`,
    );
    throw new InputError([...problems.slice(0, SHOWN), more]);
  }
  if (problems.length > 0) throw new InputError(problems);
  if (rows.length > 0) return rows;
  return fail(
    "no-results",
    { file: shown },
    "the file holds no result",
    "one JSON object a line, see evalkit import --help",
  );
}

/** Makes the run folder of imported results: run.json and trials.jsonl. Throws InputError when the run exists. */
export async function importRun(
  reports: string,
  rows: readonly ImportedRow[],
  options: ImportOptions & { readonly mask?: Mask },
): Promise<ImportedRun> {
  const record = importRecord(rows, options);
  const writer = await createRun(reports, record, options.mask);
  try {
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const some = rows.slice(at, at + AT_ONCE).map((row) => importedLine(row, options.at));
      await Promise.all(some.map((line) => writer.append(line)));
    }
  } finally {
    await writer.close();
  }
  return { dir: writer.dir, record, rows: rows.map((row) => rowOf(importedLine(row, options.at))) };
}

async function readText(path: string, shown: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > LARGEST) fail("too-large", { file: shown }, "the file is larger than 256 MiB", "split it");
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
  } catch (error) {
    if (error instanceof TypeError) return fail("not-utf8", { file: shown }, "the file is not UTF-8 text");
    const code = errorCode(error);
    if (code === undefined) throw error;
    return fail("no-file", { file: shown }, `cannot be read (${code})`);
  }
}
