import { type Problem, problem, warning } from "../nouns/problem.ts";
import { entriesOf, ScoreRow } from "../human/score-row.ts";
import { cut } from "../text/cut.ts";
import { DIMENSIONS } from "./columns.ts";
import { isPair, type KeyItem, kindOf, type SheetKey } from "./key.ts";
import { itemOf, readTable, type SheetRow } from "./table.ts";
import { gathered, type TextCheck, textCheck } from "./texts.ts";
import { readPreference, readScore, type Reading } from "./values.ts";

/** A score with the place it was read at. */
export interface PlacedScore {
  readonly row: ScoreRow;
  readonly file: string;
  readonly line: number;
}

/** What a file gave: rows that can be taken, and for every other row its file, line and reason. */
export interface SheetReading {
  readonly scores: readonly PlacedScore[];
  readonly problems: readonly Problem[];
}

/** Reads one rater's file against the key. `file` is used for messages. */
export function readSheet(file: string, text: string, rater: string, key: SheetKey): SheetReading {
  const table = readTable(file, text, kindOf(key));
  if (table.rows.length === 0) return { scores: [], problems: table.problems };
  const known = table.rows.some((row) => Object.hasOwn(key.items, itemOf(row)));
  if (!known) return { scores: [], problems: [foreignSheet(file, table.rows, key)] };
  const texts = textCheck(table.rows, key);
  const scores: PlacedScore[] = [];
  const problems: Problem[] = [...table.problems];
  for (const row of table.rows) {
    const reading = readRow(file, row, rater, key, texts);
    if ("row" in reading) scores.push({ ...reading, file, line: row.line });
    else problems.push(...reading.problems);
    problems.push(...(reading.warnings ?? []));
  }
  if (problems.length === 0 && scores.every(({ row }) => entriesOf(row).every((entry) => entry === null)))
    problems.push(warning("nothing-scored", { file }, "nothing is scored on this sheet yet"));
  return { scores, problems: gathered(problems) };
}

type RowReading =
  | { readonly row: ScoreRow; readonly warnings?: readonly Problem[] }
  | { readonly problems: readonly Problem[]; readonly warnings?: readonly Problem[] };

function readRow(file: string, row: SheetRow, rater: string, key: SheetKey, textsOf: TextCheck): RowReading {
  const where = { file, line: row.line };
  const id = itemOf(row);
  const item = Object.hasOwn(key.items, id) ? key.items[id] : undefined;
  if (item === undefined) return { problems: [unknownItem(file, row.line, id)] };
  if (key.raters?.includes(rater) && item.raters !== undefined && !item.raters.includes(rater)) {
    const message = `item ${id} is not on the sheet of ${rater}, but of ${item.raters.join(" and ")}`;
    return {
      problems: [problem("other-raters-item", where, message, "was the file named after the wrong rater?")],
    };
  }
  const swallowed = swallowedRow(row, key);
  if (swallowed !== null) {
    const message = `a cell of item ${id} holds the row of item ${swallowed}: a quote in it is not closed`;
    return { problems: [problem("open-quote", where, message, "save the sheet again from the spreadsheet")] };
  }
  const texts = textsOf(row, where);
  if (texts?.severity === "error") return { problems: [texts] };
  const values = readValues(where, row, item);
  const warnings = texts === null ? [] : [texts];
  if ("problems" in values) return { ...values, warnings };
  const place = (key.order?.[rater] ?? []).indexOf(id);
  const full = ScoreRow.parse({
    ...{ item: id, case: item.case, trial: item.trial, rater, note: row.cells.get("note")?.trim() ?? "" },
    ...{ arm: isPair(item) ? null : item.arm, left: isPair(item) ? item.left : null },
    ...{ repeatOf: item.repeatOf ?? null, position: place < 0 ? null : place + 1, ...values.values },
  });
  return { row: full, warnings };
}

/** The item whose row stands in a cell of another: read as it is, its scores would be lost without a word. */
function swallowedRow({ cells }: SheetRow, key: SheetKey): string | null {
  for (const cell of cells.values()) {
    for (const line of cell.split(/[\r\n]+/).slice(1)) {
      const [, id = ""] = /^\s*"?([\w-]{1,80})"?\s*[^\w\s-]/.exec(line) ?? [];
      if (Object.hasOwn(key.items, id)) return id;
    }
  }
  return null;
}

type Values = Pick<ScoreRow, "accuracy" | "completeness" | "safety" | "preferred">;
const NO_VALUES: Values = { accuracy: null, completeness: null, safety: null, preferred: null };

function readValues(
  where: { file: string; line: number },
  row: SheetRow,
  item: KeyItem,
): { values: Values } | { problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const take = <T>(column: string, reading: Reading<T>): T | null => {
    if ("value" in reading) return reading.value;
    problems.push(problem("bad-score", { ...where, key: column }, `${column}: ${reading.wrong}`));
    return null;
  };
  const cell = (column: string): string => row.cells.get(column) ?? "";
  const values: { -readonly [name in keyof Values]: Values[name] } = { ...NO_VALUES };
  if (isPair(item)) {
    const side = take("preferred", readPreference(cell("preferred")));
    values.preferred = side === "left" || side === "right" ? item[side] : side;
  } else {
    for (const dimension of DIMENSIONS) values[dimension] = take(dimension, readScore(cell(dimension)));
  }
  return problems.length > 0 ? { problems } : { values };
}

function unknownItem(file: string, line: number, id: string): Problem {
  const what = id === "" ? "this row names no item" : `item ${JSON.stringify(cut(id, 40))} is not in the key`;
  return problem(
    "unknown-item",
    { file, line },
    what,
    "was it typed by hand, or is it of another run's sheet?",
  );
}

function foreignSheet(file: string, rows: readonly SheetRow[], key: SheetKey): Problem {
  const first = rows[0] === undefined ? "" : cut(itemOf(rows[0]), 40);
  if (/^["“”„«»]/.test(first)) {
    return problem(
      "typographic-quotes",
      { file, line: rows[0]?.line ?? 1 },
      `the first row begins with ${first}: an editor turned the quotes around the cells into typographic ones`,
      "save the sheet again from the spreadsheet as CSV",
    );
  }
  const message = `none of the ${rows.length} rows (the first is ${JSON.stringify(first)}) is in the key of run ${key.runId}: this is a sheet of another run or another export`;
  return problem(
    "other-runs-sheet",
    { file, line: rows[0]?.line ?? 1 },
    message,
    "give the key.json written with this sheet",
  );
}
