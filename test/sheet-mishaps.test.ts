import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSheet } from "../src/core/sheet/import.ts";
import { mergeScores } from "../src/core/sheet/merge.ts";
import { evalkit } from "./support/in-process.ts";
import { tempDir } from "./support/project.ts";
import { allTrials, writeRun } from "./support/sheet-run.ts";
import { readKey, readRows, readScoreRows, type Row, writeRows } from "./support/sheets.ts";

const quoted = (text = "") => `"${text.replaceAll('"', '""')}"`;
const csv = (rows: readonly Row[], separator = ",", columns = Object.keys(rows[0] ?? {})) =>
  [columns, ...rows.map((row) => columns.map((name) => quoted(row[name])))]
    .map((cells) => `${cells.join(separator)}\r\n`)
    .join("");

/** Ann's sheet of eight outputs, scored 5, 4, 5, and what an import of some bytes in its place says. */
async function sheet() {
  const dir = tempDir();
  const run = await writeRun(dir, allTrials(4, 1));
  const flags = ["--raters", "ann", "--seed", "7", "--repeat", "0", "--out", "sheets"];
  await evalkit(dir, "sheet", "export", "latest", ...flags);
  const scores = { accuracy: "5", completeness: "4", safety: "5", note: "" };
  const rows = readRows(join(dir, "sheets/sheet-ann.csv")).map((row): Row => ({ ...row, ...scores }));
  const file = join(dir, "sheet-ann.csv");
  const give = async (bytes: string | Uint8Array) => {
    writeFileSync(file, bytes);
    return evalkit(dir, "sheet", "import", "latest", file, "--key", "sheets/key.json");
  };
  const written = () => existsSync(join(dir, "reports", run, "scores.jsonl"));
  return { dir, file, rows, give, written, scores: () => readScoreRows(dir, run) };
}

test("what is no CSV file is named, with what to do", async () => {
  const { dir, file, rows, give, written } = await sheet();
  const zip = Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(500, 7)]);
  const cases: [string | Uint8Array, string][] = [
    [zip, "this is a workbook (.xlsx, .ods, .numbers), not a CSV file"],
    [Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), "this is an old workbook (.xls)"],
    [readFileSync(join(dir, "sheets/sheet-ann.html")), "this is a web page or XML"],
    [readFileSync(join(dir, "sheets/key.json")), "the key goes to --key"],
    [Buffer.alloc(900), "sheet-ann.csv:1: error: the file holds a NUL byte"],
    [csv(rows).replace("line two", "line\0two"), "the file holds a NUL byte"],
    ["", "the file is empty"],
    [csv(rows).split("\r\n")[0] ?? "", "the file has a header and no rows"],
    [csv(rows).slice(0, -20), "can't be read as CSV: Quote Not Closed"],
    [csv(rows).replaceAll('"', "\u201d"), "turned the quotes around the cells into typographic ones"],
  ];
  for (const [bytes, message] of cases) {
    const { code, err } = await give(bytes);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
    expect(err.length).toBeLessThan(900);
  }
  writeFileSync(file, "item");
  truncateSync(file, 200 * 2 ** 20);
  const large = await evalkit(dir, "sheet", "import", "latest", file, "--key", "sheets/key.json");
  expect(large).toMatchObject({ code: 2, err: expect.stringContaining("200 MB, more than the 128 MB") });
  expect(written()).toBe(false);
});

test("a key with a case or a trial that the run does not have is refused", async () => {
  const { dir, rows, give, written } = await sheet();
  const path = join(dir, "sheets/key.json");
  const key = readKey(join(dir, "sheets"));
  const [first = "", item] = Object.entries(key.items)[0] ?? [];
  for (const change of [{ case: "elsewhere" }, { trial: 2 }]) {
    writeFileSync(path, JSON.stringify({ ...key, items: { ...key.items, [first]: { ...item, ...change } } }));
    expect(await give(csv(rows))).toMatchObject({
      code: 2,
      err: expect.stringContaining(`item ${first} is of case`),
    });
  }
  expect(written()).toBe(false);
});

test("any separator that a spreadsheet can be told to write", async () => {
  for (const separator of [":", "^", "~", "#", " "]) {
    const { rows, give, scores } = await sheet();
    const columns = Object.keys(rows[0] ?? {});
    const text = csv(rows, separator, columns);
    expect(await give(text)).toMatchObject({ code: 0, err: "" });
    expect(scores().every((row) => row.accuracy === 5 && row.completeness === 4)).toBe(true);
  }
});

test("two sheets in one file: a header of the same columns is no row, of others it is refused", async () => {
  const { rows, give, scores, written } = await sheet();
  const columns = Object.keys(rows[0] ?? {});
  const other = columns.map((name) =>
    name === "accuracy" ? "safety" : name === "safety" ? "accuracy" : name,
  );
  const mixed = await give(csv(rows.slice(0, 4)) + csv(rows.slice(4), ",", other));
  expect(mixed).toMatchObject({
    code: 2,
    err: expect.stringContaining("sheet-ann.csv:18: error: a second header"),
  });
  expect(written()).toBe(false);
  expect(await give(csv(rows.slice(0, 4)) + csv(rows.slice(4)))).toMatchObject({ code: 0, err: "" });
  expect(scores().filter((row) => row.accuracy === 5)).toHaveLength(8);
});

test("a quote that is not closed never takes other rows' scores along", async () => {
  const { rows, give, written } = await sheet();
  const bare = rows.map(({ item = "", accuracy = "", completeness = "", safety = "" }, at) =>
    [item, accuracy, completeness, safety, at === 1 ? '"he said' : at === 3 ? 'so"' : ""].join(","),
  );
  const text = ["item,accuracy,completeness,safety,note", ...bare, ""].join("\n");
  const { code, err } = await give(text);
  expect(code).toBe(2);
  expect(err).toContain(
    `sheet-ann.csv:3: error: a cell of item ${rows[1]?.item} holds the row of item ${rows[2]?.item}`,
  );
  expect(written()).toBe(false);
});

test("a sheet without a score is taken and told; very many wrong rows are an error like one", async () => {
  const { rows, give, written } = await sheet();
  const many = await give(csv(rows) + "i-none,,,,5,5,5,\r\n".repeat(150_000));
  expect(many).toMatchObject({ code: 2, err: expect.stringContaining('item "i-none" is not in the key') });
  const long = await give(`${csv(rows)}${quoted("x".repeat(2_000_000))}`);
  expect(long.err.length).toBeLessThan(400);
  expect(written()).toBe(false);
  const none = rows.map((row) => ({ ...row, accuracy: "", completeness: "", safety: "" }));
  expect(await give(csv(none))).toMatchObject({
    code: 0,
    err: expect.stringContaining("nothing is scored on this sheet yet"),
  });
});

test("a separator, quote or line end too many or too few, anywhere: refused, or every score is that of its item", async () => {
  const { dir, rows } = await sheet();
  const key = readKey(join(dir, "sheets"));
  const wanted = new Map<string, readonly number[]>();
  const scored = rows.map((row, at): Row => {
    const [accuracy, completeness, safety] = [1 + (at % 5), 1 + ((at * 2 + 1) % 5), 1 + ((at * 3 + 2) % 5)];
    wanted.set(row.item ?? "", [accuracy, completeness, safety]);
    return { ...row, accuracy: `${accuracy}`, completeness: `${completeness}`, safety: `${safety}` };
  });
  const file = join(dir, "whole.csv");
  writeRows(file, scored);
  const whole = readFileSync(file, "utf8");
  const signs = ['"', ",", "\n", ";", "'"];
  const damaged = Array.from(whole).flatMap((sign, at) => [
    whole.slice(0, at) + signs[at % signs.length] + whole.slice(at),
    ...(/[",\r\n]/.test(sign) ? [whole.slice(0, at) + whole.slice(at + 1)] : []),
  ]);
  let taken = 0;
  for (const text of damaged) {
    const { scores, problems } = readSheet("f.csv", text, "ann", key);
    const merged = mergeScores([], scores, { replace: false });
    if ([...problems, ...merged.problems].some((one) => one.severity === "error")) continue;
    taken += 1;
    for (const row of merged.rows)
      expect([text.slice(0, 120), row.accuracy, row.completeness, row.safety]).toEqual([
        text.slice(0, 120),
        ...(wanted.get(row.item) ?? []),
      ]);
  }
  expect(taken).toBeGreaterThan(100);
  expect(damaged.length - taken).toBeGreaterThan(100);
});

test("cells that all rows have too many, and empty ones that Excel leaves out, are no shift", async () => {
  const { rows, give, scores } = await sheet();
  const [head = "", ...lines] = csv(rows).split(/\r\n(?=i-|$)/);
  const trailing = [head, ...lines.map((line) => (line === "" ? "" : `${line},,`))].join("\r\n");
  expect(await give(trailing)).toMatchObject({ code: 0, err: "" });
  // The last cells are left out, and an old code page has changed the arrows of all texts.
  const short = [head, ...lines.map((line) => line.replace(/,""$/, ""))].join("\r\n").replaceAll("→", "?");
  expect(await give(short)).toMatchObject({
    code: 0,
    err: expect.stringContaining("texts of 8 items are not those"),
  });
  expect(scores().every((row) => row.accuracy === 5 && row.completeness === 4 && row.safety === 5)).toBe(
    true,
  );
});
