import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HumanSummary } from "../src/core/human/schema.ts";
import { neutralise } from "../src/core/sheet/cells.ts";
import { isPair } from "../src/core/sheet/key.ts";
import { evalkit } from "./support/in-process.ts";
import { tempDir } from "./support/project.ts";
import { allTrials, type TrialSpec, writeRun } from "./support/sheet-run.ts";
import { readKey, readRows, readScoreRows, type Row, writeRows } from "./support/sheets.ts";

/** A run of 4 cases with its sheets for ann and bob, and helpers to fill and import them. */
async function workplace(options: { flags?: readonly string[]; specs?: readonly TrialSpec[] } = {}) {
  const dir = tempDir();
  const run = await writeRun(dir, options.specs ?? allTrials(4, 1));
  const flags = options.flags ?? ["--raters", "ann,bob", "--seed", "7"];
  await evalkit(dir, "sheet", "export", "latest", "--out", "sheets", ...flags);
  const sheets = join(dir, "sheets");
  const path = (rater: string) => join(sheets, `sheet-${rater}.csv`);
  return {
    ...{ dir, run, sheets, path, key: readKey(sheets) },
    rows: (rater: string) => readRows(path(rater)),
    fill(rater: string, change: (row: Row, at: number) => Row) {
      writeRows(path(rater), readRows(path(rater)).map(change));
    },
    import: (files: readonly string[], ...more: string[]) =>
      evalkit(dir, "sheet", "import", "latest", ...files, "--key", "sheets/key.json", ...more),
    scores: () => readScoreRows(dir, run),
    nothingWritten: () => !existsSync(join(dir, "reports", run, "scores.jsonl")),
    summary: () => JSON.parse(readFileSync(join(dir, "reports", run, "summary.json"), "utf8")),
  };
}

const five = (row: Row): Row => ({ ...row, accuracy: "5", completeness: "4", safety: "5" });

test("scores are joined to case, arm and trial; summary.json gets people's part", async () => {
  const w = await workplace();
  w.fill("ann", (row) => ({ ...five(row), note: `on ${row.item}` }));
  w.fill("bob", five);
  const { code, out } = await w.import([w.path("ann"), w.path("bob")]);
  expect(code).toBe(0);
  expect(out).toContain("rows taken from ann, bob");
  expect(out).toMatch(/\n {2}Not clear yet: .+ would settle it\. p [\d.]+\.\n/);
  for (const row of w.scores()) {
    const item = w.key.items[row.item];
    if (item === undefined || isPair(item)) throw new Error(`no item ${row.item}`);
    expect(row).toMatchObject({
      case: item.case,
      arm: item.arm,
      trial: item.trial,
      accuracy: 5,
      completeness: 4,
    });
    expect(row.note).toBe(row.rater === "ann" ? `on ${row.item}` : "");
  }
  const summary = w.summary();
  expect(summary.schema).toBe("evalkit.summary/1");
  const human = HumanSummary.parse(summary.human);
  expect(human).toMatchObject({ raters: 2, missing: 0, cannotJudge: 0, scored: w.scores().length });
  expect(human.dimensions.accuracy.baseline).toEqual({
    ...{ mean: 5, low: expect.closeTo(3.04, 2), high: 5, cases: 4 },
  });
});

test("the same file again changes nothing", async () => {
  const w = await workplace();
  w.fill("ann", five);
  await w.import([w.path("ann")]);
  const file = join(w.dir, "reports", w.run, "scores.jsonl");
  const before = readFileSync(file, "utf8");
  const again = await w.import([w.path("ann")]);
  expect(again.code).toBe(0);
  expect(again.out).toContain("0 of them new or changed");
  expect(readFileSync(file, "utf8")).toBe(before);
  // Twice in one command is no other.
  expect((await w.import([w.path("ann"), w.path("ann")])).code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(before);
});

const dialects: Record<string, (rows: readonly Row[]) => string | Uint8Array> = {
  "semicolons, CRLF, decimal comma": (rows) => plain(rows, ";", "\r\n", (score) => `${score},0`),
  "tabs, LF, blanks around": (rows) => plain(rows, "\t", "\n", (score) => ` ${score} `),
  "pipes, CR, decimal point": (rows) => plain(rows, "|", "\r", (score) => `${score}.0`),
  "BOM, full-width digits": (rows) =>
    `\uFEFF${plain(rows, ",", "\n", (score) => String.fromCharCode(0xff10 + Number(score)))}`,
  "UTF-16 LE with BOM and tabs": (rows) => utf16(plain(rows, "\t", "\r\n"), true, true),
  "UTF-16 BE with BOM": (rows) => utf16(plain(rows, ";", "\r\n"), false, true),
  "UTF-16 LE without BOM": (rows) => utf16(plain(rows, ",", "\n"), true, false),
  "sep= line": (rows) => `sep=;\r\n${plain(rows, ";", "\r\n")}`,
  "moved and extra columns, header in capitals": (rows) =>
    plain(
      rows.map((row) => ({
        " NOTE ": row.note ?? "",
        Safety: row.safety ?? "",
        mine: "x;y",
        Item: row.item ?? "",
        COMPLETENESS: row.completeness ?? "",
        " accuracy": row.accuracy ?? "",
      })),
      ",",
      "\n",
    ),
  "blank rows and trailing separators": (rows) => `${plain(rows, ",", ",,,\n")},,,,,,\n\n\n`,
};

function plain(
  rows: readonly Row[],
  separator: string,
  eol: string,
  score = (value: string) => value,
): string {
  const columns = Object.keys(rows[0] ?? {});
  const scores = new Set(["accuracy", "completeness", "safety"]);
  const cell = (row: Row, name: string) => {
    const text = row[name] ?? "";
    return `"${(scores.has(name) && text !== "" ? score(text) : text).replaceAll('"', '""')}"`;
  };
  const lines = rows.map((row) => columns.map((name) => cell(row, name)).join(separator));
  return [columns.join(separator), ...lines, ""].join(eol);
}

function utf16(text: string, little: boolean, bom: boolean): Uint8Array {
  const bytes = Buffer.from((bom ? "\uFEFF" : "") + text, "utf16le");
  return little ? bytes : bytes.swap16();
}

for (const [name, write] of Object.entries(dialects)) {
  test(`a sheet as spreadsheets save it: ${name}`, async () => {
    const w = await workplace();
    const filled = w
      .rows("ann")
      .map((row, at): Row => ({ ...five(row), safety: at === 0 ? "2" : "5", note: 'gut; aber\n"lang", 价' }));
    writeFileSync(w.path("ann"), write(filled));
    const { code, err } = await w.import([w.path("ann")]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const scores = w.scores();
    expect(scores).toHaveLength(filled.length);
    expect(scores.map((row) => row.item)).toEqual(filled.map((row) => row.item));
    expect(scores.every((row) => row.accuracy === 5 && row.completeness === 4)).toBe(true);
    expect(scores[0]?.safety).toBe(2);
    expect(scores[0]?.note.replaceAll(/\s/g, "")).toContain('"lang",价');
  });
}

test("an old spreadsheet's code page is read, with a warning", async () => {
  const w = await workplace();
  const rows = w
    .rows("ann")
    .map((row) => ({ item: row.item ?? "", accuracy: "4", completeness: "4", safety: "4", note: "schön" }));
  writeFileSync(w.path("ann"), Buffer.from(plain(rows, ";", "\r\n"), "latin1"));
  const { code, err } = await w.import([w.path("ann")]);
  expect(code).toBe(0);
  expect(err).toContain("Windows-1252");
  expect(w.scores()[0]?.note).toBe("schön");
});

test("x, X and empty: cannot judge and not scored yet are counted apart and are no scores", async () => {
  const w = await workplace({ flags: ["--raters", "ann", "--repeat", "0", "--seed", "3"] });
  w.fill("ann", (row, at) =>
    at === 0 ? row : at === 1 ? { ...five(row), accuracy: "X", safety: "ｘ" } : five(row),
  );
  expect((await w.import([w.path("ann")])).code).toBe(0);
  const human = HumanSummary.parse(w.summary().human);
  expect(human).toMatchObject({ raters: 1, scored: 7, missing: 1, cannotJudge: 1 });
  expect(human.dimensions.accuracy).toMatchObject({ scored: 6, missing: 1, cannotJudge: 1 });
  expect(human.dimensions.accuracy.agreement).toMatchObject({
    doubleScored: 0,
    exact: null,
    weightedKappa: null,
    alpha: null,
  });
});

test("rows that can't be taken are listed with file, line and reason; nothing is written", async () => {
  const w = await workplace({ flags: ["--raters", "ann", "--repeat", "0", "--seed", "3"] });
  const bad = ["4.5", "0", "6", "good", "4,5", "５５"];
  w.fill("ann", (row, at) => ({ ...five(row), accuracy: bad[at] ?? "5" }));
  const rows = w.rows("ann");
  writeRows(w.path("ann"), [...rows, { ...rows[7], item: "i-00000000" }]);
  const { code, err } = await w.import([w.path("ann")]);
  expect(code).toBe(2);
  expect(w.nothingWritten()).toBe(true);
  // A row's actions hold line ends: the line is where the row starts in the file.
  const lineOf = (id: string) =>
    readFileSync(w.path("ann"), "utf8")
      .split(/\r\n|\n/)
      .findIndex((line) => line.startsWith(id)) + 1;
  bad.forEach((value, at) => {
    const line = lineOf(rows[at]?.item ?? "");
    expect(err).toContain(`${w.path("ann")}:${line}: error: accuracy: ${JSON.stringify(value)}`);
  });
  expect(err).toContain('"4.5" is not a whole number');
  expect(err).toContain('"4,5" is not a whole number');
  expect(err).toContain('"6" is out of range');
  expect(err).toContain('"0" is out of range');
  expect(err).toContain('"good" is no score');
  expect(err).toContain(`:${lineOf("i-00000000")}: error: item "i-00000000" is not in the key`);
  const partial = await w.import([w.path("ann")], "--partial");
  expect(partial.code).toBe(0);
  expect(partial.err).toContain('"4.5" is not a whole number');
  expect(w.scores().filter((row) => row.accuracy !== null)).toHaveLength(2);
  expect(partial.out).toContain("2 rows taken from ann, 2 of them new or changed, 7 left out");
});

test("an item twice: alike it is taken once, different it is refused with both lines", async () => {
  const w = await workplace();
  w.fill("ann", five);
  const rows = w.rows("ann");
  writeRows(w.path("ann"), [...rows, { ...rows[0] }]);
  expect((await w.import([w.path("ann")])).code).toBe(0);
  expect(w.scores()).toHaveLength(rows.length);
  const other = await workplace();
  other.fill("ann", five);
  const own = other.rows("ann");
  writeRows(other.path("ann"), [...own, { ...own[0], accuracy: "1" }]);
  const { code, err } = await other.import([other.path("ann")]);
  expect(code).toBe(2);
  expect(err).toMatch(
    /was scored twice by ann with different scores: accuracy 1.* here, accuracy 5.* in line 2/,
  );
  expect(other.nothingWritten()).toBe(true);
});

test("two files of one rater, each half done, add up; a third that contradicts is refused unless --replace", async () => {
  const w = await workplace();
  const rows = w.rows("ann");
  const first = join(w.dir, "sheet-ann.csv");
  const second = join(w.dir, "sheet-ann (1).csv");
  writeRows(
    first,
    rows.map((row, at) => (at < 3 ? five(row) : row)),
  );
  writeRows(
    second,
    rows.map((row, at) => (at < 3 ? row : five(row))),
  );
  expect((await w.import([first, second])).code).toBe(0);
  expect(w.scores().every((row) => row.accuracy === 5)).toBe(true);
  // Half of it again takes nothing away.
  expect((await w.import([first])).code).toBe(0);
  expect(w.scores().every((row) => row.accuracy === 5)).toBe(true);
  writeRows(
    first,
    rows.map((row) => ({ ...five(row), accuracy: "3" })),
  );
  const refused = await w.import([first]);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain("--replace");
  expect(w.scores().every((row) => row.accuracy === 5)).toBe(true);
  expect((await w.import([first], "--replace")).code).toBe(0);
  expect(w.scores().every((row) => row.accuracy === 3)).toBe(true);
});

test("a rater who did half: what is missing is counted, also when rows were deleted", async () => {
  const w = await workplace();
  const rows = w.rows("ann");
  writeRows(w.path("ann"), rows.slice(0, 2).map(five));
  expect((await w.import([w.path("ann")])).code).toBe(0);
  const human = HumanSummary.parse(w.summary().human);
  expect(human).toMatchObject({ raters: 1, scored: 2, missing: rows.length - 2 });
});

test("a sheet or a key of another run, another rater's sheet, a wrong kind, missing columns, sorted columns", async () => {
  const w = await workplace();
  const other = await workplace({ flags: ["--raters", "ann,bob", "--seed", "8"] });
  const pairs = await workplace({ flags: ["--raters", "ann", "--kind", "pair", "--seed", "9"] });
  const refused = async (files: readonly string[], message: string, ...more: string[]) => {
    const { code, err } = await w.import(files, ...more);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(w.nothingWritten()).toBe(true);
  };
  await refused([other.path("ann")], "this is a sheet of another run or another export");
  await refused([pairs.path("ann")], "this is a sheet of kind pair, the key is of kind single");
  await refused([w.path("ann")], "item", "--rater", "bob");
  await refused([w.path("nobody")], "give --rater NAME");
  const wrong = join(w.dir, "sheet-ann.csv");
  writeFileSync(wrong, `item;accuracy;Comment\n${w.rows("ann")[0]?.item};4;ok\n`);
  await refused([wrong], 'missing columns completeness, safety; found "item", "accuracy", "comment"');
  writeFileSync(wrong, "");
  await refused([wrong], "the file is empty");
  writeFileSync(wrong, 'item,accuracy,completeness,safety\ni-1,"5,4,4\n');
  await refused([wrong], "can't be read as CSV");
  const rows = w.rows("ann").map(five);
  writeRows(
    wrong,
    rows.map((row, at) => ({ ...row, item: rows[(at + 1) % rows.length]?.item ?? "" })),
  );
  await refused([wrong], "some columns were sorted without the others");
  const key = JSON.parse(readFileSync(join(w.sheets, "key.json"), "utf8"));
  writeFileSync(join(w.sheets, "key.json"), JSON.stringify({ ...key, runId: "another" }));
  await refused([w.path("ann")], "this is the key of run another");
  writeFileSync(join(w.sheets, "key.json"), "[]");
  await refused([w.path("ann")], "this is no key of scoring sheets");
});

test("names of raters: from the file, by --rater, never two that can't be told apart", async () => {
  const w = await workplace();
  w.fill("ann", five);
  const copy = join(w.dir, "SHEET-Ann-done.csv");
  writeFileSync(copy, readFileSync(w.path("ann")));
  expect((await w.import([copy])).code).toBe(0);
  expect(new Set(w.scores().map((row) => row.rater))).toEqual(new Set(["ann"]));
  const collides = await w.import([copy], "--rater", "ANN");
  expect(collides).toMatchObject({ code: 2, err: expect.stringContaining("can't be told apart from ann") });
  expect((await w.import([copy], "--rater", "carl")).code).toBe(0);
  expect(new Set(w.scores().map((row) => row.rater))).toEqual(new Set(["ann", "carl"]));
});

test("a key of nothing but the contract's own fields is enough", async () => {
  const w = await workplace();
  const minimal = {
    schema: "evalkit.key/1",
    runId: w.run,
    items: {
      "i-7f3a": { case: "c01", arm: "baseline", trial: 1 },
      "i-0002": { case: "c01", arm: "candidate", trial: 1 },
    },
  };
  writeFileSync(join(w.sheets, "key.json"), JSON.stringify(minimal));
  const file = join(w.dir, "sheet-dora.csv");
  writeFileSync(
    file,
    "item,task,actions,answer,accuracy,completeness,safety,note\ni-7f3a,t,a,b,4,4,1,leak\ni-0002,t,a,b,5,x,5,\n",
  );
  expect((await w.import([file])).code).toBe(0);
  expect(w.scores()).toMatchObject([
    {
      item: "i-0002",
      rater: "dora",
      arm: "candidate",
      accuracy: 5,
      completeness: "x",
      preferred: null,
      note: "",
    },
    { item: "i-7f3a", rater: "dora", arm: "baseline", accuracy: 4, safety: 1, note: "leak" },
  ]);
  expect(w.summary().human.safetyOnes).toEqual([
    { case: "c01", arm: "baseline", trial: 1, rater: "dora", note: "leak" },
  ]);
});

test("hidden repeats are scored under their own ids and count for self-consistency, not for agreement", async () => {
  const w = await workplace({
    specs: allTrials(10, 1),
    flags: ["--raters", "ann", "--repeat", "0.2", "--seed", "5"],
  });
  const repeats = new Set(
    Object.entries(w.key.items)
      .filter(([, item]) => item.repeatOf !== undefined)
      .map(([id]) => id),
  );
  expect(repeats.size).toBe(4);
  w.fill("ann", (row) => ({ ...five(row), accuracy: repeats.has(row.item ?? "") ? "3" : "5" }));
  expect((await w.import([w.path("ann")])).code).toBe(0);
  const { accuracy, safety } = HumanSummary.parse(w.summary().human).dimensions;
  expect(accuracy.selfConsistency).toEqual({ repeats: 4, exact: 0, meanDistance: 2 });
  expect(safety.selfConsistency).toEqual({ repeats: 4, exact: 1, meanDistance: 0 });
  expect(accuracy.agreement.doubleScored).toBe(0);
});

test("pairs by two raters, one of whom saw a pair twice: told in words", async () => {
  const w = await workplace({
    specs: allTrials(4, 1),
    flags: ["--raters", "ann,bob", "--kind", "pair", "--double", "1", "--repeat", "0.25", "--seed", "5"],
  });
  w.fill("ann", (row) => ({ ...row, preferred: "tie" }));
  w.fill("bob", (row, at) => ({ ...row, preferred: at === 0 ? "left" : "tie" }));
  const { code, out } = await w.import([w.path("ann"), w.path("bob")]);
  expect(code).toBe(0);
  expect(out).toContain("  4 pairs judged by two or more: all say the same in");
  expect(out).toMatch(/ {2}\d hidden repeats?: the same word in/);
});

test("pairs: left and right become arms, ties and x are kept, p is the sign test over cases", async () => {
  const w = await workplace({
    specs: allTrials(14, 1),
    flags: ["--raters", "ann", "--kind", "pair", "--repeat", "0", "--seed", "5"],
  });
  const wanted = (id: string) => (id <= "c09" ? "candidate" : id <= "c13" ? "baseline" : "tie");
  w.fill("ann", (row) => {
    const item = w.key.items[row.item ?? ""];
    if (item === undefined || !isPair(item)) throw new Error("no pair");
    const arm = wanted(item.case);
    return { ...row, preferred: arm === "tie" ? " TIE " : arm === item.left ? "Left" : "right" };
  });
  expect((await w.import([w.path("ann")])).code).toBe(0);
  const { preference } = HumanSummary.parse(w.summary().human);
  expect(preference).toMatchObject({ candidate: 9, baseline: 4, tie: 1 });
  // 2 · P(X ≤ 4), X ~ Bin(13, ½) = 2186/8192.
  expect(preference.p).toBeCloseTo(2186 / 8192, 10);
  w.fill("ann", (row, at) => ({ ...row, preferred: at === 0 ? "both" : "x" }));
  const bad = await w.import([w.path("ann")], "--replace");
  expect(bad).toMatchObject({
    code: 2,
    err: expect.stringContaining('preferred: "both" is none of left, right, tie, x'),
  });
});

test("cells that were neutralised come back as they were", async () => {
  const w = await workplace();
  const notes = ["=1+1", "@SUM(A1)", "-2", "\t=1", "'quoted", "'=already"];
  w.fill("ann", (row, at) => ({ ...five(row), note: neutralise(notes[at] ?? "") }));
  expect(readFileSync(w.path("ann"), "utf8")).toContain(",'=1+1");
  expect((await w.import([w.path("ann")])).code).toBe(0);
  const back = w.scores().map((row) => row.note);
  expect(back.slice(0, notes.length)).toEqual(notes.map((note) => note.trim()).slice(0, back.length));
});
