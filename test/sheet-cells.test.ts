import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bounded, CELL_LIMIT, csvText, neutralise, restore } from "../src/core/sheet/cells.ts";
import { columnsOf } from "../src/core/sheet/columns.ts";
import { decodeSheet } from "../src/core/sheet/decode.ts";
import { readTable } from "../src/core/sheet/table.ts";
import { readPreference, readScore } from "../src/core/sheet/values.ts";
import { scriptJson } from "../src/core/sheet/page/page.ts";

/** Texts with whatever breaks CSV and spreadsheets made frequent. */
const nasty = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.replaceAll(/\p{Cs}/gu, "\uFFFD")),
  fc
    .array(
      fc.constantFrom(
        "=",
        "+",
        "-",
        "@",
        "'",
        '"',
        ",",
        ";",
        "\t",
        "|",
        "\r",
        "\n",
        "\r\n",
        " ",
        "＝",
        "x",
        "\uFEFF",
        "\u200B",
        "sep=;",
      ),
      {
        maxLength: 12,
      },
    )
    .map((parts) => parts.join("")),
);

test("any cell text survives export and import, whatever it holds", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(nasty, nasty), { minLength: 1, maxLength: 5 }), (cells) => {
      const columns = columnsOf("single");
      const rows = cells.map(([answer, note], at) => [
        `i-${at}`,
        "task",
        "actions",
        answer,
        "5",
        "x",
        "",
        note,
      ]);
      const bytes = new TextEncoder().encode(csvText([columns, ...rows]));
      const table = readTable("f.csv", decodeSheet(bytes).text, "single");
      expect(table.problems).toEqual([]);
      expect(table.rows.map((row) => columns.map((name) => row.cells.get(name)))).toEqual(rows);
    }),
    { numRuns: 500 },
  );
});

test("a neutralised cell is never a formula, and restore is exact", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      expect(neutralise(text)).not.toMatch(/^[\s\u200B\uFEFF]*[=+\-@＝＋－＠]|^[\t\r\n]/);
      expect(restore(neutralise(text))).toBe(text);
    }),
    { numRuns: 2000 },
  );
});

test("texts that a spreadsheet would show as other texts are kept as texts; scores stay numbers", () => {
  for (const text of [
    "0012",
    "1/2",
    "3-4",
    "10:30",
    "1e5",
    "5 %",
    "1.50",
    "3 Mar",
    "Mar 2024",
    "5 pm",
    "123456789012",
  ]) {
    expect(neutralise(text)).toBe(`'${text}`);
    expect(restore(`'${text}`)).toBe(text);
  }
  for (const text of ["1", "5", "0", "42", "x", "", "left", "it is 5", "may", "v1.2", "价格 5"]) {
    expect(neutralise(text)).toBe(text);
  }
});

test("the file is RFC 4180: another reader gets the same cells", () => {
  fc.assert(
    fc.property(fc.array(nasty, { minLength: 2, maxLength: 4 }), (row) => {
      const read = parse(csvText([row]), { bom: true, record_delimiter: "\r\n", skip_empty_lines: false });
      expect(read).toEqual([row.map(neutralise)]);
    }),
  );
});

test("a cut cell is whole characters and no longer than a spreadsheet keeps, quote included", () => {
  fc.assert(
    fc.property(fc.integer({ min: 32_700, max: 33_000 }), fc.constantFrom("=", "", "a"), (length, start) => {
      const cell = neutralise(bounded(start + "😀".repeat(length / 2)));
      expect(cell.length).toBeLessThanOrEqual(CELL_LIMIT);
      expect(cell).not.toMatch(/\p{Cs}/u);
    }),
  );
});

test("scores as people and spreadsheets write them", () => {
  const fine = {
    "5": 5,
    " 5 ": 5,
    "5.0": 5,
    "5,0": 5,
    "4.000": 4,
    "５": 5,
    "\u00a03": 3,
    "'2": 2,
    x: "x",
    " X ": "x",
    "": null,
    "  ": null,
  };
  for (const [cell, value] of Object.entries(fine))
    expect([cell, readScore(cell)]).toEqual([cell, { value }]);
  for (const cell of [
    "0",
    "6",
    "4.5",
    "4,5",
    "4.01",
    "-1",
    "1e0",
    "five",
    "5 5",
    "x5",
    "NaN",
    "٥",
    "5.",
    "55",
  ]) {
    expect([cell, readScore(cell)]).toEqual([cell, { wrong: expect.stringContaining(JSON.stringify(cell)) }]);
  }
  expect(readPreference(" Left ")).toEqual({ value: "left" });
  expect(readPreference("")).toEqual({ value: null });
  expect(readPreference("links")).toEqual({ wrong: expect.any(String) });
});

test("page data can't leave its script block", () => {
  const text = '</script><script>alert(1)</script><!-- \u2028 & "';
  expect(scriptJson({ text })).not.toMatch(/[<>&\u2028]/);
  expect(JSON.parse(scriptJson({ text }))).toEqual({ text });
});
