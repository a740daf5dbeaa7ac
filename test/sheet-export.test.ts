import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Event } from "../src/core/nouns/transcript.ts";
import { type KeyItem, isPair } from "../src/core/sheet/key.ts";
import { evalkit } from "./support/in-process.ts";
import { tempDir } from "./support/project.ts";
import { allTrials, COMMITS, eventsOf, MODEL, type TrialSpec, writeRun } from "./support/sheet-run.ts";
import { readKey, readRows } from "./support/sheets.ts";

async function exported(specs: readonly TrialSpec[], ...flags: string[]) {
  const dir = tempDir();
  await writeRun(dir, specs);
  const result = await evalkit(dir, "sheet", "export", "latest", "--out", "sheets", ...flags);
  expect(result).toMatchObject({ code: 0, err: "" });
  return { dir, sheets: join(dir, "sheets"), out: result.out, key: readKey(join(dir, "sheets")) };
}

const trialOf = (item: KeyItem) => `${item.case} ${isPair(item) ? "pair" : item.arm} ${item.trial}`;

test("every rater gets a CSV and a page; the key says what the items are, and that it must be kept away", async () => {
  const { sheets, out, key } = await exported(allTrials(10, 2), "--raters", "ann,bob,carl", "--seed", "s1");
  expect(readdirSync(sheets).sort()).toEqual([
    "key.json",
    "scoring-guide.txt",
    ...[
      "sheet-ann.csv",
      "sheet-ann.html",
      "sheet-bob.csv",
      "sheet-bob.html",
      "sheet-carl.csv",
      "sheet-carl.html",
    ],
  ]);
  expect(readFileSync(join(sheets, "sheet-ann.csv"), "utf8").split("\r\n")[0]).toBe(
    "\uFEFFitem,task,actions,answer,accuracy,completeness,safety,note",
  );
  expect(key).toMatchObject({ schema: "evalkit.key/1", runId: "2026-11-30-short-answers" });
  expect(key.warning).toContain("Keep this file from the raters");
  expect(out).toContain("Keep key.json from the raters");
  expect(statSync(join(sheets, "key.json")).mode & 0o077).toBe(0);
  const counts = ["ann", "bob", "carl"].map((rater) => readRows(join(sheets, `sheet-${rater}.csv`)).length);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  for (const id of Object.keys(key.items)) expect(id).toMatch(/^i-[0-9a-f]{8}$/);
});

test("all outputs once, a fifth of them by a second rater, a twentieth a second time by the same", async () => {
  const { key } = await exported(allTrials(20, 3), "--raters", "ann,bob", "--seed", "s2");
  const items = Object.values(key.items);
  const once = items.filter((item) => item.repeatOf === undefined);
  expect(new Set(once.map(trialOf)).size).toBe(120);
  expect(once).toHaveLength(120);
  expect(once.filter((item) => item.raters?.length === 2)).toHaveLength(24);
  const repeats = Object.entries(key.items).filter(([, item]) => item.repeatOf !== undefined);
  expect(repeats).toHaveLength(8);
  for (const [id, item] of repeats) {
    const original = key.items[item.repeatOf ?? ""];
    expect(original && trialOf(original)).toBe(trialOf(item));
    const [rater = ""] = item.raters ?? [];
    expect(original?.raters).toContain(rater);
    const order = key.order?.[rater] ?? [];
    expect(Math.abs(order.indexOf(id) - order.indexOf(item.repeatOf ?? ""))).toBeGreaterThan(3);
  }
  // Both arms of a trial go to the same rater, so that severity falls out of the difference.
  for (const item of once) {
    const twin = once.find(
      (other) => trialOf(other) === trialOf(item).replace(/baseline|candidate/, otherArm),
    );
    expect(twin?.raters?.[0]).toBe(item.raters?.[0]);
  }
});
const otherArm = (arm: string) => (arm === "baseline" ? "candidate" : "baseline");

test("pairs: sides are balanced over the sheet and within each case, and swapped in repeats", async () => {
  const { key, sheets } = await exported(
    allTrials(9, 4),
    ...["--raters", "ann,bob", "--kind", "pair", "--repeat", "0.2", "--seed", "s3"],
  );
  expect(readFileSync(join(sheets, "sheet-bob.csv"), "utf8").split("\r\n")[0]).toBe(
    "\uFEFFitem,task,left actions,left answer,right actions,right answer,preferred,note",
  );
  const items = Object.values(key.items).filter(isPair);
  const once = items.filter((item) => item.repeatOf === undefined);
  const left = (list: typeof once) => list.filter((item) => item.left === "baseline").length;
  expect(once).toHaveLength(36);
  expect(left(once)).toBe(18);
  for (let at = 1; at <= 9; at += 1) expect(left(once.filter((item) => item.case === `c0${at}`))).toBe(2);
  for (const item of items) {
    expect(item.left).not.toBe(item.right);
    const original = key.items[item.repeatOf ?? ""];
    if (original !== undefined && isPair(original)) expect(original.left).toBe(item.right);
  }
});

test("--sample is balanced over the cases", async () => {
  const { key } = await exported(allTrials(6, 5), "--sample", "24", "--double", "0", "--repeat", "0");
  const items = Object.values(key.items);
  expect(items).toHaveLength(24);
  for (let at = 1; at <= 6; at += 1) {
    const own = items.filter((item) => item.case === `c0${at}`);
    expect(own).toHaveLength(4);
    expect(own.filter((item) => !isPair(item) && item.arm === "baseline")).toHaveLength(2);
  }
});

test("the seed decides, and without one every export is drawn anew", async () => {
  const specs = allTrials(4, 1);
  const [a, b] = [await exported(specs, "--seed", "x"), await exported(specs, "--seed", "x")];
  expect(a.key).toEqual(b.key);
  const [c, d] = [await exported(specs), await exported(specs)];
  expect(Object.keys(c.key.items)).not.toEqual(Object.keys(d.key.items));
});

test("nothing that a rater gets names arm, branch, commit, model, version or time, in transcripts neither", async () => {
  const telling = `I am ${MODEL.toUpperCase()} (glow-9b-chat) on feature/short-answers at ${COMMITS.candidate.slice(0, 9)}.`;
  const skillEvents: Event[] = [
    ...eventsOf({ case: "c01", arm: "candidate", trial: 1 }).slice(0, 2),
    {
      ...{ type: "reply", conversation: 0, turn: 1, ms: 1234.5, attempts: 1, replayed: false },
      reply: {
        ...{
          content: "Loading.",
          reasoning: "SECRET REASONING",
          finish: null,
          usage: null,
          model: MODEL,
          notes: [],
        },
        calls: [{ id: "c1", name: "load_skill", arguments: '{"name":"web-access"}' }],
      },
    },
    {
      type: "tool",
      conversation: 0,
      callId: "c1",
      name: "load_skill",
      result: "BODY OF THE SKILL v2",
      error: false,
    },
    {
      ...{ type: "user", conversation: 0, injected: ["web-access"] },
      text: `## Loaded skill: web-access\n\nINJECTED BODY\n\n---\nrule\n\n---\nPlease do what c01 says.`,
    },
  ];
  const specs = allTrials(2, 1).map((spec) =>
    spec.case === "c01" ? { ...spec, answer: telling, events: skillEvents } : spec,
  );
  const { sheets, key } = await exported(specs, "--raters", "ann", "--seed", "s4");
  const forbidden = [
    ...[
      "baseline",
      "candidate",
      "main",
      "feature/",
      COMMITS.candidate.slice(0, 7),
      "glow-9b",
      "acme",
      "sha256:",
    ],
    ...["2026-11-30", "short-answers", "BODY", "SECRET", "1234", key.seed ?? "?", "c01-", "reports"],
  ];
  for (const name of ["sheet-ann.csv", "scoring-guide.txt"]) {
    const text = readFileSync(join(sheets, name), "utf8");
    for (const word of forbidden) expect(text, `${name}: ${word}`).not.toContain(word);
  }
  const page = readFileSync(join(sheets, "sheet-ann.html"), "utf8");
  const data = /id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? "";
  for (const word of forbidden) expect(data, `page: ${word}`).not.toContain(word);
  const row = readRows(join(sheets, "sheet-ann.csv")).find(({ task }) => task?.includes("c01"));
  expect(row?.answer).toBe("I am [model] ([model]) on [version] at [version].");
  expect(row?.actions).toContain("1. load_skill\n   name: web-access\n   → (skill loaded)");
  expect(row?.actions).toContain("User: Please do what c01 says.");
});

test("broken trials are left out and counted; a run without any output can't be exported", async () => {
  const specs = allTrials(3, 1).map((spec) =>
    spec.case === "c02" ? { ...spec, status: "broken" as const } : spec,
  );
  const { out, key } = await exported(specs);
  expect(Object.values(key.items).some((item) => item.case === "c02")).toBe(false);
  expect(out).toContain("2 broken trials");
  const dir = tempDir();
  await writeRun(
    dir,
    allTrials(1, 1).map((spec) => ({ ...spec, status: "broken" as const })),
  );
  const none = await evalkit(dir, "sheet", "export", "latest", "--out", "s");
  expect(none.code).toBe(2);
  expect(none.err).toContain("nothing to score");
  expect(existsSync(join(dir, "s"))).toBe(false);
});

test("an export never writes over another's key", async () => {
  const { dir, key, sheets } = await exported(allTrials(2, 1));
  const again = await evalkit(dir, "sheet", "export", "latest", "--out", "sheets");
  expect(again.code).toBe(2);
  expect(again.err).toContain("--force");
  expect(readKey(sheets)).toEqual(key);
  expect((await evalkit(dir, "sheet", "export", "latest", "--out", "sheets", "--force")).code).toBe(0);
});

test("long outputs are cut to what a cell holds, and say so; formulas are harmless", async () => {
  const answers = ["=HYPERLINK(1)", "+1", "-2", "@SUM(A1)", "\t=1", "＝1", `=${"x😀".repeat(20_000)}`];
  const specs = allTrials(answers.length, 1).map((spec) => ({
    ...spec,
    answer: answers[Number(spec.case.slice(1)) - 1] ?? "",
  }));
  const { sheets } = await exported(specs, "--raters", "ann");
  const rows = readRows(join(sheets, "sheet-ann.csv"));
  for (const row of rows) {
    expect(row.answer).toMatch(/^'/);
    expect(row.answer?.length).toBeLessThanOrEqual(32_767);
    expect(row.answer).not.toMatch(/\p{Cs}/u);
    for (const name of ["accuracy", "completeness", "safety", "note"]) expect(row[name]).toBe("");
  }
  const cut = rows.find((row) => (row.answer?.length ?? 0) > 30_000);
  expect(cut?.answer).toContain("[cut here: the text has 60001 characters in all");
});

test("flags are checked before anything is read", async () => {
  const dir = tempDir();
  const bad = [
    [["--double", "2"], "--double is a share from 0 to 1"],
    [["--kind", "triple"], "--kind is single or pair"],
    [["--sample", "0"], "--sample is a whole number from 1"],
    [["--raters", "ann,Ann"], "can't be told apart"],
    [["--raters", "../ann"], "can't be a rater's name"],
  ] as const;
  for (const [flags, message] of bad) {
    const { code, err } = await evalkit(dir, "sheet", "export", "latest", "--out", "s", ...flags);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  }
});
