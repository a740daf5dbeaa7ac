import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { csvField } from "../../src/core/sheet/cells.ts";
import { SheetKey } from "../../src/core/sheet/key.ts";
import { ScoreRow } from "../../src/core/human/score-row.ts";

/** A sheet as rows of cells by column, read by csv-parse and not by the code under test. */
export type Row = Record<string, string>;

export function readRows(path: string): Row[] {
  return parse(readFileSync(path), { columns: true, bom: true });
}

/** Writes rows as they were read, neutralised cells and all. */
export function writeRows(path: string, rows: readonly Row[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name] ?? ""))];
  writeFileSync(path, lines.map((line) => `${line.map(csvField).join(",")}\r\n`).join(""));
}

export function readKey(dir: string): SheetKey {
  return SheetKey.parse(JSON.parse(readFileSync(join(dir, "key.json"), "utf8")));
}

export function readScoreRows(dir: string, run: string): ScoreRow[] {
  return readFileSync(join(dir, "reports", run, "scores.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => ScoreRow.parse(JSON.parse(line)));
}
