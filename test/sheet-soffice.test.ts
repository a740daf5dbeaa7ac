import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { evalkit } from "./support/in-process.ts";
import { tempDir } from "./support/project.ts";
import { allTrials, writeRun } from "./support/sheet-run.ts";
import { readRows, readScoreRows, writeRows } from "./support/sheets.ts";

const SOFFICE = ["/usr/bin/soffice", "/usr/bin/libreoffice"].find((path) => existsSync(path));
if (SOFFICE === undefined) console.warn("skipped: no LibreOffice (apt-get install libreoffice-calc)");

/** Separator, quote, UTF-8, first row, then as LibreOffice's own defaults when a person saves. */
const AS_CSV = "csv:Text - txt - csv (StarCalc):59,34,76,1,,0,false,true,false";

function convert(dir: string, file: string, to: string, ...more: string[]): void {
  const profile = `-env:UserInstallation=file://${join(dir, "profile")}`;
  const args = [profile, "--headless", ...more, "--convert-to", to, "--outdir", dir, file];
  execFileSync(SOFFICE ?? "", args, { stdio: "pipe", timeout: 120_000 });
}

/** Tab, quote, UTF-16, first row. */
const AS_UNICODE = "csv:Text - txt - csv (StarCalc):9,34,65535,1,,0,false,true,false";

test.skipIf(SOFFICE === undefined)(
  "a sheet as .ods and as UTF-16 with tabs; a workbook itself is refused with what to do",
  { timeout: 240_000 },
  async () => {
    const dir = tempDir();
    const run = await writeRun(dir, allTrials(3, 1));
    const flags = ["--raters", "ann", "--out", "sheets", "--seed", "2", "--repeat", "0"];
    await evalkit(dir, "sheet", "export", "latest", ...flags);
    const sheet = join(dir, "sheet-ann.csv");
    writeRows(
      sheet,
      readRows(join(dir, "sheets", "sheet-ann.csv")).map((row) => ({
        ...{ ...row, accuracy: "4.0", completeness: "x", safety: "5" },
        note: 'two\nlines, "quoted"; 价',
      })),
    );
    const give = (name: string) =>
      evalkit(dir, "sheet", "import", "latest", join(dir, name), "--key", "sheets/key.json");
    convert(dir, sheet, "ods", "--infilter=CSV:44,34,76,1");
    convert(dir, sheet, "xlsx", "--infilter=CSV:44,34,76,1");
    for (const name of ["sheet-ann.ods", "sheet-ann.xlsx"]) {
      expect(await give(name)).toMatchObject({ code: 2, err: expect.stringContaining("this is a workbook") });
    }
    convert(dir, join(dir, "sheet-ann.ods"), AS_UNICODE);
    const bytes = readFileSync(sheet);
    expect(bytes.includes(0)).toBe(true);
    expect(await give("sheet-ann.csv")).toMatchObject({ code: 0, err: "" });
    const rows = readScoreRows(dir, run);
    expect(rows).toHaveLength(6);
    for (const row of rows) {
      expect(row).toMatchObject({
        accuracy: 4,
        completeness: "x",
        safety: 5,
        note: 'two\nlines, "quoted"; 价',
      });
    }
  },
);

test.skipIf(SOFFICE === undefined)(
  "a sheet survives LibreOffice: opened, saved as a workbook, saved as CSV with semicolons, imported",
  { timeout: 240_000 },
  async () => {
    const dir = tempDir();
    const answers = [
      "=1+1",
      "+1",
      "@SUM(A1)",
      "\t=1",
      'line1\nline2, "quoted"',
      "0012",
      "3/4",
      "1e5",
      "- a\n- b",
      "'quoted",
    ];
    const run = await writeRun(
      dir,
      allTrials(answers.length, 1).map((spec) => ({
        ...spec,
        answer: answers[Number(spec.case.slice(1)) - 1] ?? "",
      })),
    );
    await evalkit(
      dir,
      "sheet",
      "export",
      "latest",
      "--raters",
      "ann",
      "--out",
      "sheets",
      "--seed",
      "2",
      "--repeat",
      "0",
    );
    const scored = readRows(join(dir, "sheets", "sheet-ann.csv")).map((row, at) => ({
      ...row,
      accuracy: String((at % 5) + 1),
      completeness: "x",
      safety: "5",
      note: "fine; 价",
    }));
    writeRows(join(dir, "sheet-ann.csv"), scored);

    convert(dir, join(dir, "sheet-ann.csv"), "xlsx", "--infilter=CSV:44,34,76,1");
    convert(dir, join(dir, "sheet-ann.xlsx"), AS_CSV);

    const text = readFileSync(join(dir, "sheet-ann.csv"), "utf8");
    expect(text.split("\n")[0]).toContain("item;task");
    const imported = await evalkit(
      dir,
      "sheet",
      "import",
      "latest",
      join(dir, "sheet-ann.csv"),
      "--key",
      "sheets/key.json",
    );
    expect(imported).toMatchObject({ code: 0, err: "" });
    const rows = readScoreRows(dir, run);
    expect(rows.map((row) => row.accuracy)).toEqual(scored.map((row) => Number(row.accuracy)));
    expect(rows.every((row) => row.completeness === "x" && row.safety === 5 && row.note === "fine; 价")).toBe(
      true,
    );
  },
);
