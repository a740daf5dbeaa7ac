import { parse } from "csv-parse/sync";
import * as z from "zod";
import type { Problem } from "../nouns/problem.ts";
import { problem } from "../nouns/problem.ts";
import { restore } from "./cells.ts";
import { columnsOf, SCORE_COLUMNS } from "./columns.ts";
import type { Kind } from "./key.ts";
import { cut } from "../text/cut.ts";
import { messageOf } from "../text/thrown.ts";

/** A row of a sheet that came back: cells by column name, formulas restored; `line` is where it starts, from 1. */
export interface SheetRow {
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
  /** How many cells the row has, and the header. */
  readonly length: number;
  readonly columns: number;
}

/** The id of the item that a row is about, as ids are written. */
export function itemOf(row: SheetRow): string {
  return (row.cells.get("item") ?? "").normalize("NFKC").trim().toLowerCase();
}

/** A sheet as read, or why it can't be read at all. */
export interface Table {
  readonly rows: readonly SheetRow[];
  readonly problems: readonly Problem[];
}

const Records = z.array(z.object({ record: z.array(z.string()), raw: z.string() }));
type RawRow = { readonly line: number; readonly cells: readonly string[] };

const SEPARATORS = [",", ";", "\t", "|"] as const;

/**
 * Reads a sheet's text: any separator (found from the header), any line end, columns by name wherever they stand,
 * unknown columns left alone. `file` is used in problems only.
 */
export function readTable(file: string, text: string, kind: Kind): Table {
  const body = withoutSeparatorLine(text);
  const separator = separatorOf(body.text, kind);
  const read = rawRows(file, body.text, separator);
  if (!Array.isArray(read)) return { rows: [], problems: [read] };
  const filled = read.filter((row) => row.cells.some((cell) => cell.trim() !== ""));
  const [header, ...rows] = filled;
  if (header === undefined)
    return { rows: [], problems: [problem("empty-sheet", { file }, "the file is empty")] };
  const names = header.cells.map(columnName);
  const wrong = headerProblems(file, header.line + body.skipped, names, kind);
  if (wrong.length > 0) return { rows: [], problems: wrong };
  if (rows.length === 0)
    return { rows: [], problems: [problem("empty-sheet", { file }, "the file has a header and no rows")] };
  // Sheets that were put one below the other bring their headers along.
  const heads = rows.filter((row) => isHeader(row, kind));
  const other = heads.find(
    (row) => row.cells.map(columnName).join("\n").trimEnd() !== names.join("\n").trimEnd(),
  );
  if (other !== undefined) return { rows: [], problems: [otherHeader(file, other.line + body.skipped)] };
  const items = rows.filter((row) => !heads.includes(row));
  const blank = names.findIndex((name, at) => name === "" && names.slice(at).some((later) => later !== ""));
  if (blank >= 0 && items.some((row) => row.cells.length < names.length))
    return { rows: [], problems: [unnamed(file, header.line + body.skipped, blank + 1)] };
  const least = items.reduce((so, row) => Math.min(so, row.cells.length), Number.POSITIVE_INFINITY);
  const allowed = Math.max(names.length, least);
  const [fitting, long] = [true, false].map((fits) =>
    items.filter((row) => isWithin(row, names, allowed) === fits),
  );
  return {
    rows: (fitting ?? []).map((row) => ({
      line: row.line + body.skipped,
      cells: new Map(names.map((name, at) => [name, restore(row.cells[at] ?? "")])),
      ...{ length: row.cells.length, columns: names.length },
    })),
    problems: (long ?? []).map((row) =>
      tooLong(file, row.line + body.skipped, row.cells.length, names.length),
    ),
  };
}

function isHeader({ cells }: RawRow, kind: Kind): boolean {
  const names = cells.map(columnName);
  return ["item", ...SCORE_COLUMNS[kind]].every((name) => names.includes(name));
}

/** A spreadsheet fills the rows up to a column that was put in; a separator too many in the header moves all scores. */
function unnamed(file: string, line: number, at: number): Problem {
  const message = `column ${at} has no name, and rows are shorter than the header: is there a separator too many in it?`;
  return problem("column-unnamed", { file, line }, message, "save the sheet again from the spreadsheet");
}

function otherHeader(file: string, line: number): Problem {
  const message =
    "a second header names the columns otherwise than the first: two sheets were put into one file";
  return problem("second-header", { file, line }, message, "import the sheets as files of their own");
}

/**
 * Blank cells may follow, as many in every row; a filled one, or one that other rows don't have, says that a separator
 * inside a cell (a comma in `4,5`) moved the others.
 */
function isWithin(row: RawRow, names: readonly string[], allowed: number): boolean {
  return row.cells.length <= allowed && row.cells.slice(names.length).every((cell) => cell.trim() === "");
}

function tooLong(file: string, line: number, cells: number, columns: number): Problem {
  const message = `the row has ${cells} cells, the header ${columns}: a separator inside a cell moves the scores`;
  return problem("row-too-long", { file, line }, message, "put the cell in quotes, or save the sheet again");
}

/** A header as it is compared: without case, blanks at the ends, BOM, underscores, doubled blanks. */
export function columnName(header: string): string {
  return header
    .normalize("NFKC")
    .replaceAll(/[\uFEFF\u200B]/g, "")
    .replaceAll(/[\s_]+/g, " ")
    .trim()
    .toLowerCase();
}

/** Excel writes and reads a first line `sep=;`. */
function withoutSeparatorLine(text: string): { text: string; skipped: number } {
  const rest = text.replace(/^"?sep=.?"?[^\r\n]*(\r\n|\r|\n)/i, "");
  return { text: rest, skipped: rest === text ? 0 : 1 };
}

/** The separator with which the first line names most of our columns; where it names none, the most columns at all. */
function separatorOf(text: string, kind: Kind): string {
  const first = /^(?:"(?:[^"]|"")*"|[^\r\n"])*/.exec(text.trimStart())?.[0] ?? "";
  const known = new Set([...columnsOf(kind), ...columnsOf(kind === "pair" ? "single" : "pair")]);
  const found = (separator: string): number =>
    first.split(separator).filter((name) => known.has(columnName(name.replaceAll('"', "")))).length;
  const cells = (separator: string): number => first.split(separator).length;
  const others = first.match(/[^\p{L}\p{N}\p{M}"'_.-]/gu) ?? [];
  return (
    [...new Set([...SEPARATORS, ...others])].sort((a, b) => found(b) - found(a) || cells(b) - cells(a))[0] ??
    ","
  );
}

function rawRows(file: string, text: string, delimiter: string): RawRow[] | Problem {
  try {
    const records = Records.parse(
      parse(text, {
        delimiter,
        raw: true,
        record_delimiter: ["\r\n", "\n", "\r"],
        relax_column_count: true,
        relax_quotes: true,
      }),
    );
    // Counted here: csv-parse's own line numbers take a CRLF inside quotes for two lines.
    let line = 1;
    return records.map(({ record, raw }) => {
      const row = { line, cells: record };
      line += raw.match(/\r\n|\r|\n/g)?.length ?? 0;
      return row;
    });
  } catch (error) {
    const reason = messageOf(error);
    return problem(
      "broken-csv",
      { file },
      `the file can't be read as CSV: ${reason}`,
      "save it again from the spreadsheet as CSV",
    );
  }
}

function headerProblems(file: string, line: number, names: readonly string[], kind: Kind): Problem[] {
  const needed = ["item", ...SCORE_COLUMNS[kind]];
  const missing = needed.filter((name) => !names.includes(name));
  const twice = columnsOf(kind).filter((name) => names.indexOf(name) !== names.lastIndexOf(name));
  const list = cut(names.map((name) => JSON.stringify(name)).join(", "), 300);
  const other: Kind = kind === "pair" ? "single" : "pair";
  const isOther = missing.length > 0 && SCORE_COLUMNS[other].every((name) => names.includes(name));
  const where = { file, line };
  if (isOther)
    return [problem("wrong-kind", where, `this is a sheet of kind ${other}, the key is of kind ${kind}`)];
  return [
    ...(missing.length === 0
      ? []
      : [
          problem(
            "missing-column",
            where,
            `missing column${missing.length > 1 ? "s" : ""} ${missing.join(", ")}; found ${list}`,
            "the first line must name the columns as they were exported",
          ),
        ]),
    ...twice.map((name) => problem("column-twice", where, `the column ${name} stands twice; found ${list}`)),
  ];
}
