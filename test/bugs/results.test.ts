import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { evalkit } from "../support/in-process.ts";
import { cli, tempDir } from "../support/project.ts";
import { readKey, readRows, readScoreRows, writeRows } from "../support/sheets.ts";
import { allTrials, writeRun } from "../support/sheet-run.ts";
import { fixture, readFixture } from "./support.ts";

/** Faults of scores and sheets: outcomes from the list of faults as imported results, sheets as spreadsheets save them. */

interface Outcome {
  readonly case: string;
  readonly run?: number;
  readonly status: "pass" | "fail" | "error";
}

const outcomes = (bug: string, file = "results.json"): Outcome[] => JSON.parse(readFixture(bug, file));

function lines(arm: string, results: readonly Outcome[]): string[] {
  return results.map(({ case: id, run = 0, status }) => {
    const score = status === "error" ? { status: "broken" } : { taskCompletion: status === "pass" ? 1 : 0 };
    return JSON.stringify({ case: id, arm, trial: run + 1, ...score });
  });
}

async function imported(text: string | readonly string[]) {
  const dir = tempDir();
  writeFileSync(join(dir, "r.jsonl"), typeof text === "string" ? text : text.join("\n"));
  const { code, out, err } = await evalkit(dir, "import", "r.jsonl", "--json");
  return { code, err, out, summary: out === "" ? null : JSON.parse(out), dir };
}

describe("results", () => {
  test("none at all is bad input; a case that only broke is no zero (BR-067)", async () => {
    expect(await imported(lines("candidate", outcomes("BR-067")))).toMatchObject({ code: 2, out: "" });
    const { code, summary, out } = await imported(
      lines("candidate", [
        { case: "a", status: "error" },
        { case: "b", status: "pass" },
      ]),
    );
    expect(code).not.toBe(0);
    expect(out).not.toContain("NaN");
    expect(summary.cases[0]).toMatchObject({ id: "a", candidate: { taskCompletion: null, broken: 1 } });
    expect(summary.arms.candidate.metrics.taskCompletion).toMatchObject({ mean: 1, cases: 1 });
  });

  test("19 of 20 broken: the coverage is shown and the comparison void (BR-069)", async () => {
    const results = outcomes("BR-069");
    const { code, summary } = await imported([...lines("baseline", results), ...lines("candidate", results)]);
    expect(code).toBe(3);
    expect(summary.gate.reasons[0].message).toContain("1 of 20 planned trials ended (5.0 %)");
    expect(summary.arms.candidate.trials).toMatchObject({ planned: 20, finished: 1, broken: 19 });
    expect((await imported(lines("candidate", results))).code).toBe(3);
  });

  test("a failing case that is gone from the new run fails the gate unless allowed (BR-087)", async () => {
    const rows = [
      ...lines("baseline", outcomes("BR-087", "before.json")),
      ...lines("candidate", outcomes("BR-087", "after.json")),
    ];
    const { code, summary, dir } = await imported(rows);
    expect(code).toBe(1);
    expect(summary.comparisons).toContainEqual(
      expect.objectContaining({ metric: "taskCompletion", difference: 0, cases: 2 }),
    );
    expect(summary.gate.reasons[0]).toMatchObject({ code: "cases-removed", cases: ["b"] });
    expect((await evalkit(dir, "import", "r.jsonl", "--allow-removed", "b")).code).toBe(3);
  });

  test("pass@k needs k trials, and no pass is never above 0 (BR-093)", async () => {
    const { summary } = await imported(lines("candidate", outcomes("BR-093")));
    expect(summary.arms.candidate.passAtK).toEqual({ 1: 0, 2: 0 });
    expect(summary.arms.candidate.passHatK).toEqual({ 1: 0, 2: 0 });
  });

  test("certain rates have wide intervals, and prove nothing alone (BR-095)", async () => {
    const five = outcomes("BR-095").map((result, at) => ({ ...result, case: `c${at}`, run: 0 }));
    const all = await imported([...lines("baseline", five), ...lines("candidate", five)]);
    expect(all.code).toBe(3);
    const { low, high } = all.summary.arms.candidate.metrics.taskCompletion;
    expect([low, high]).toEqual([expect.closeTo(0.5655, 3), 1]);
    const none = await imported(
      lines(
        "candidate",
        five.map((result) => ({ ...result, status: "fail" })),
      ),
    );
    expect(none.summary.arms.candidate.metrics.taskCompletion).toMatchObject({
      low: 0,
      high: expect.closeTo(0.4345, 3),
    });
  });

  test("a hundred cases that fail in both versions are the same, and no pass (BR-061)", async () => {
    const failing = Array.from({ length: 100 }, (_, at): Outcome => ({ case: `c${at}`, status: "fail" }));
    const { code, summary } = await imported([...lines("baseline", failing), ...lines("candidate", failing)]);
    expect(code).toBe(3);
    expect(summary.gate.reasons).toContainEqual(expect.objectContaining({ code: "metric-at-floor" }));
  });

  test.each([
    ['{"case":"a","arm":"candidate","trial":1,"taskCompletion":NaN}', "NaN and Infinity are no JSON"],
    ['{"case":"a","arm":"candidate","trial":1,"turns":1e999}', "expected a number from 0, got null"],
    ['{"case":"a","arm":"candidate","trial":1,"taskCompletion":"1"}', "write the number without quotes"],
    ['{"case":"a","arm":"candidate","trial":1,"taskCompletion":95}', "expected a number from 0 to 1"],
    ['{"case":"a","arm":"candidate","trial":1,"turns":1,"turns":2}', "the key stands twice"],
    ['{"case":" ","arm":"candidate","trial":1}', "expected the case's id"],
    ['{"case":"a\\ud83e","arm":"candidate","trial":1}', "expected the case's id"],
    ['{"case":"a","arm":"Candidate","trial":1}', "expected baseline or candidate"],
    ['{"case":"a","arm":"candidate","trial":1,"taskcompletion":1}', "Did you mean taskCompletion?"],
    ['{"case":"a","arm":"candidate","trial":0}', "trials count from 1"],
    ['{"case":"a","arm":"cand', "this line is no JSON"],
  ])("%s is refused by line", async (line, message) => {
    const good = '{"case":"z","arm":"candidate","trial":1,"taskCompletion":1}';
    const { code, err } = await imported(`\uFEFF${good}\r\n\r\n${line}\r\n`);
    expect(code).toBe(2);
    expect(err).toContain("r.jsonl:3: error:");
    expect(err).toContain(message);
  });
});

/** A run with one sheet for ann, and what its import says of a text saved in its place. */
async function workplace() {
  const dir = tempDir();
  const run = await writeRun(dir, allTrials(3, 1));
  await evalkit(dir, "sheet", "export", "latest", "--raters", "ann", "--double", "0", "--out", "sheets");
  const [item = ""] = Object.keys(readKey(join(dir, "sheets")).items);
  const file = join(dir, "sheet-ann.csv");
  return {
    item,
    async import(text: string | Buffer) {
      writeFileSync(file, text);
      const key = join("sheets", "key.json");
      const { code, err } = await evalkit(dir, "sheet", "import", "latest", file, "--key", key);
      const written = existsSync(join(dir, "reports", run, "scores.jsonl"));
      const row = written ? readScoreRows(dir, run).find((score) => score.item === item) : undefined;
      return { code, err, row };
    },
  };
}

describe("sheets as spreadsheets save them (BR-099)", () => {
  const HEAD = "item,accuracy,completeness,safety,note";
  const dialects: [string, (id: string) => string | Buffer][] = [
    ["BOM, CRLF", (id) => `\uFEFF${HEAD}\r\n${id},4,5,4,ok\r\n`],
    ["semicolons, decimal commas", (id) => `${HEAD.replaceAll(",", ";")}\r\n${id};4,0;5;4;"ok"\r\n`],
    ["UTF-16 with tabs", (id) => utf16(`${HEAD}\n${id},4,5,4,ok\n`.replaceAll(",", "\t"))],
    ["UTF-16, big end first", (id) => utf16(`${HEAD}\n${id},4,5,4,ok\n`).swap16()],
    [
      "columns moved, more columns",
      (id) => `note,safety,extra,item,completeness,accuracy\nok,4,x,${id},5,4\n`,
    ],
    ["lines of commas, sep=", (id) => `sep=,\n${HEAD}\n${id}, 4 ,５,4.0,ok,,\n,,,,\n\n`],
    ["headers in capitals, CR", (id) => `${HEAD.toUpperCase()}\r ${id} ,4,5,4,ok\r`],
  ];

  test.each(dialects)("%s", async (_what, text) => {
    const place = await workplace();
    const { code, err, row } = await place.import(text(place.item));
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(row).toMatchObject({ accuracy: 4, completeness: 5, safety: 4, note: "ok" });
  });

  test("the list's own dialects name what is missing, whatever their form", async () => {
    const place = await workplace();
    for (const name of ["bom.csv", "moved.csv", "semicolon.csv", "utf16.csv"]) {
      const { code, err } = await place.import(readFileSync(fixture("BR-099", name)));
      expect(code).toBe(2);
      expect(err).toMatch(
        /:1: error: missing columns item, accuracy, completeness, safety; found ("id"|"comment")/,
      );
    }
  });

  test.each(["4.5", '"4,5"', "4/5", "five", "0", "6", "2026-01-04", "4-Jan", "#REF!", "=4", "TRUE"])(
    "the score %s is refused by row, and nothing is written",
    async (score) => {
      const place = await workplace();
      const { code, err, row } = await place.import(`${HEAD}\n${place.item},${score},4,4,"two\nlines"\n`);
      expect([code, row]).toEqual([2, undefined]);
      expect(err).toContain("sheet-ann.csv:2: error: accuracy:");
    },
  );

  test("a comma inside a number that moves the other scores is told", async () => {
    const place = await workplace();
    const { code, err, row } = await place.import(`${HEAD}\n${place.item},4,5,4,4,ok\n`);
    expect([code, row]).toEqual([2, undefined]);
    expect(err).toContain(":2: error: the row has 6 cells, the header 5");
  });
});

test("answers that a spreadsheet would run are made harmless, and restored (BR-071)", async () => {
  const dir = tempDir();
  const replies: { body: { choices: { message: { content: string } }[] } }[] = JSON.parse(
    readFixture("BR-071", "responses.json"),
  );
  const answers = [
    ...replies.map(({ body }) => body.choices[0]?.message.content ?? ""),
    ...["=1+1", "\t=1", "\r=1", "＝1", "'=1", "-2", "plain"],
  ];
  await writeRun(
    dir,
    answers.map((answer, at) => ({ case: `c${at}`, arm: "candidate" as const, trial: 1, answer })),
  );
  await evalkit(dir, "sheet", "export", "latest", "--raters", "ann", "--repeat", "0", "--out", "sheets");
  const rows = readRows(join(dir, "sheets/sheet-ann.csv"));
  expect(rows).toHaveLength(answers.length);
  for (const { answer } of rows) expect(answer).not.toMatch(/^"?\s*[=+\-@＝＋－＠]/u);
});

test("sheets imported by several processes at once are all taken (BR-079)", async () => {
  const dir = tempDir();
  const run = await writeRun(dir, allTrials(3, 1));
  const raters = ["ann", "bob", "cat"];
  const flags = ["--raters", raters.join(","), "--double", "1", "--repeat", "0", "--out", "sheets"];
  await evalkit(dir, "sheet", "export", "latest", ...flags);
  const sheets = raters.map((rater) => join("sheets", `sheet-${rater}.csv`));
  for (const sheet of sheets) {
    const path = join(dir, sheet);
    writeRows(
      path,
      readRows(path).map((row) => ({ ...row, accuracy: "4", completeness: "4", safety: "5" })),
    );
  }
  const args = (sheet: string) => ["sheet", "import", "latest", sheet, "--key", join("sheets", "key.json")];
  const results = await Promise.all(sheets.map((sheet) => cli(args(sheet), { cwd: dir })));
  expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    raters.map(() => ({ code: 0, stderr: "" })),
  );
  const scored = readScoreRows(dir, run).filter(({ accuracy }) => accuracy === 4);
  expect(new Set(scored.map(({ rater }) => rater))).toEqual(new Set(raters));
  const summary = JSON.parse(readFileSync(join(dir, "reports", run, "summary.json"), "utf8"));
  expect(summary.human.raters).toBe(3);
  expect(existsSync(join(dir, "reports", run, "lock"))).toBe(false);
});

function utf16(text: string): Buffer {
  return Buffer.from(`\uFEFF${text}`, "utf16le");
}
