import { readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { ScoreRow } from "../core/human/score-row.ts";
import { fail, InputError, type Problem, warning } from "../core/nouns/problem.ts";
import { decodeSheet } from "../core/sheet/decode.ts";
import { foreignFile, nulProblem } from "../core/sheet/foreign-file.ts";
import { type PlacedScore, readSheet, type SheetReading } from "../core/sheet/import.ts";
import { kindOf, SheetKey } from "../core/sheet/key.ts";
import { mergeScores, withUnscored } from "../core/sheet/merge.ts";
import { checkCollision, checkRater, raterOfFile } from "../core/sheet/rater.ts";
import { parseJson } from "../core/text/json.ts";
import type { SavedRun } from "./open-run.ts";
import { messageOf } from "../core/text/thrown.ts";
import { errorCode, writeAtomically } from "./files.ts";
import { linesOf } from "./lines.ts";

const MB = 2 ** 20;
/** A sheet of a thousand long transcripts stays below. */
const MAX_SHEET = 128 * MB;
const MAX_KEY = 32 * MB;

/** What an import did, or would have done. */
export interface Imported {
  /** All scores of the run after the import, sorted by rater and place. */
  readonly rows: readonly ScoreRow[];
  readonly raters: readonly string[];
  /** Rows taken from the files. */
  readonly taken: number;
  /** Rows that brought something new. */
  readonly changed: number;
  /** Rows that were left out (`partial` only) and warnings. */
  readonly problems: readonly Problem[];
}

/** How sheets are read in. */
export interface ImportOptions {
  readonly key: string;
  /** Whose sheets these are; null: the file names tell. */
  readonly rater: string | null;
  /** Take the good rows though others can't be taken. */
  readonly partial: boolean;
  /** Scores that contradict an earlier import take its place. */
  readonly replace: boolean;
}

/**
 * Reads raters' CSV files into the run's scores.jsonl. All or nothing: unless `partial`, any row that can't be taken
 * throws InputError listing every such row, and nothing is written. The same files again change nothing.
 */
export async function importScores(
  run: SavedRun,
  files: readonly string[],
  options: ImportOptions,
): Promise<Imported> {
  const key = await readKey(options.key, run.record.runId);
  const before = await readScores(run.dir);
  checkPlaces(run, key, options.key);
  checkKind(before, key, options.key);
  const read = await readFiles(files, key, options.rater, before);
  const merged = mergeScores(before, read.scores, { replace: options.replace });
  const problems = [...read.problems, ...merged.problems];
  const refused = problems.filter((one) => one.severity === "error");
  if (refused.length > 0 && (!options.partial || read.scores.length === 0)) throw new InputError(problems);
  const rows = withUnscored(merged.rows, key);
  await writeScores(run.dir, rows);
  const contradicted = merged.problems.length;
  return {
    rows,
    raters: read.raters,
    taken: read.scores.length - contradicted,
    changed: merged.changed,
    problems,
  };
}

/** Reads and checks key.json. Throws InputError when it is none, or of another run. */
export async function readKey(file: string, runId: string): Promise<SheetKey> {
  const text = await readText(file, MAX_KEY);
  const key = SheetKey.safeParse(parseJson(new TextDecoder().decode(text)));
  if (!key.success) {
    const first = key.error.issues[0];
    const what = first === undefined ? "" : ` (${first.path.join(".") || "the file"}: ${first.message})`;
    return fail(
      "no-key",
      { file },
      `this is no key of scoring sheets${what}`,
      "give the key.json of sheet export",
    );
  }
  if (key.data.runId !== runId) {
    fail("other-runs-key", { file }, `this is the key of run ${key.data.runId}, not of ${runId}`);
  }
  return key.data;
}

/** The run's human scores, none when no sheet was imported yet. Throws InputError on a line that is no score. */
export async function readScores(dir: string): Promise<readonly ScoreRow[]> {
  const file = join(dir, "scores.jsonl");
  const rows: ScoreRow[] = [];
  let number = 0;
  for await (const line of linesOf(file)) {
    number += 1;
    const row = ScoreRow.safeParse(parseJson(line));
    if (row.success) rows.push(row.data);
    else if (line.trim() !== "") fail("broken-line", { file, line: number }, "this line is not a score");
  }
  return rows;
}

/** Writes scores.jsonl whole, or leaves it as it is when nothing changed. */
async function writeScores(dir: string, rows: readonly ScoreRow[]): Promise<void> {
  const file = join(dir, "scores.jsonl");
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const before = await readFile(file, "utf8").catch(() => null);
  if (text !== before) await writeAtomically(file, text);
}

async function readFiles(
  files: readonly string[],
  key: SheetKey,
  given: string | null,
  before: readonly ScoreRow[],
): Promise<{ scores: PlacedScore[]; problems: Problem[]; raters: readonly string[] }> {
  const scores: PlacedScore[] = [];
  const problems: Problem[] = [];
  const raters = new Set<string>();
  const known = new Set(before.map((row) => row.rater));
  for (const file of files) {
    const rater = given ?? raterOfFile(basename(file), key);
    checkRater(rater);
    checkCollision(rater, [...known, ...raters]);
    raters.add(rater);
    const sheet = sheetOf(file, await readText(file, MAX_SHEET), rater, key);
    // One by one: a spread of very many is more than a call takes.
    for (const score of sheet.scores) scores.push(score);
    for (const problem of sheet.problems) problems.push(problem);
  }
  return { scores, problems, raters: [...raters] };
}

function sheetOf(file: string, bytes: Uint8Array, rater: string, key: SheetKey): SheetReading {
  const foreign = foreignFile(file, bytes);
  if (foreign !== null) return { scores: [], problems: [foreign] };
  const { text, guessed } = decodeSheet(bytes);
  const damaged = nulProblem(file, text);
  if (damaged !== null) return { scores: [], problems: [damaged] };
  const { scores, problems } = readSheet(file, text, rater, key);
  return guessed === null
    ? { scores, problems }
    : { scores, problems: [encodingWarning(file, guessed), ...problems] };
}

/** A key that was edited, or is of a run of that name elsewhere, would score cases that this run never had. */
function checkPlaces({ record }: SavedRun, key: SheetKey, file: string): void {
  const cases = new Set(record.cases.map(({ id }) => id));
  for (const [item, { case: id, trial }] of Object.entries(key.items)) {
    const there = cases.has(id) && trial <= record.trials;
    if (there) continue;
    const place = `${JSON.stringify(id)}, trial ${trial}`;
    fail("other-runs-key", { file }, `item ${item} is of case ${place}, which this run does not have`);
  }
}

/** Single outputs and pairs may both be scored in a run, but an item can't be both. */
function checkKind(before: readonly ScoreRow[], key: SheetKey, file: string): void {
  const pair = kindOf(key) === "pair";
  const other = before.find((row) => Object.hasOwn(key.items, row.item) && (row.arm === null) !== pair);
  if (other !== undefined)
    fail("wrong-kind", { file }, `item ${other.item} was imported as the other kind before`);
}

function encodingWarning(file: string, encoding: string): Problem {
  return warning(
    "encoding-guessed",
    { file },
    `the file is not Unicode and was read as ${encoding}: notes may hold wrong characters`,
    'save it as "CSV UTF-8"',
  );
}

async function readText(file: string, most: number): Promise<Uint8Array> {
  try {
    const { size } = await stat(file);
    if (size <= most) return await readFile(file);
    fail(
      "file-too-large",
      { file },
      `the file has ${Math.ceil(size / MB)} MB, more than the ${most / MB} MB that are read`,
      "is it the right file? Sheets may be handed out and imported in parts",
    );
  } catch (error) {
    if (error instanceof InputError) throw error;
    const why = errorCode(error) === "ENOENT" ? "there is no such file" : messageOf(error);
    return fail("unreadable-file", { file }, `the file can't be read: ${why}`);
  }
}
