import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { marked } from "marked";
import { expect, test } from "vitest";
import type { Summary } from "../../src/core/nouns/summary.ts";
import { annotations, stepSummary } from "../../src/core/report/github.ts";
import { junitReport } from "../../src/core/report/junit.ts";
import { tellGitHub } from "../../src/io/github.ts";
import { scanMarkup } from "../support/markup-scan.ts";
import { tempDir } from "../support/project.ts";
import { makeRun, marks, type RunSpec, times } from "../support/run-fixture.ts";
import { ATTACKS } from "./attacks.ts";
import { SAMPLE } from "./sample-run.ts";

const sample = makeRun(SAMPLE);
const hostile = (attack: string) => {
  const id = `case ${attack}`;
  const spec: RunSpec = {
    cases: [{ id, critical: true }],
    trials: marks(id, "11", "00"),
    baseline: { variant: attack },
    candidate: { variant: attack },
    model: attack,
  };
  return makeRun(spec);
};
const attributes = (xml: string, element: string) =>
  scanMarkup(xml)
    .elements.filter(({ name }) => name === element)
    .map(({ attributes: own }) => Object.fromEntries(own));
/** Cases by name with what JUnit says of them. */
function verdicts(xml: string): Record<string, string> {
  const found: Record<string, string> = {};
  let last = "";
  for (const { name, attributes: own } of scanMarkup(xml).elements) {
    if (name === "testcase") {
      last = own.get("name") ?? "";
      found[last] = "passed";
    } else if (["failure", "error", "skipped"].includes(name)) found[last] = name;
  }
  return found;
}

test("JUnit: lost and critical cases fail, old failures are skipped, broken ones are errors, the gate is a test", () => {
  const broken = {
    status: "broken",
    failure: { kind: "server", message: "boom", status: 500, attempts: 5 },
  } as const;
  const run = makeRun({
    cases: ["fine", "lost", "won", { id: "vital", critical: true }, "old", "gone", "unscored"],
    trials: [
      ...marks("fine", "111", "111"),
      ...marks("lost", "111", "000"),
      ...marks("won", "000", "111"),
      ...marks("vital", "111", "110"),
      ...marks("old", "000", "000"),
      ...marks("gone", "111", ""),
      ...times(3, { case: "gone", arm: "candidate", outcome: broken, steps: [] }),
      ...times(3, { case: "unscored", arm: "candidate", completion: null, tools: null }),
    ],
  });
  const xml = junitReport(run.record, run.summary);
  expect(verdicts(xml)).toEqual({
    ...{ fine: "passed", lost: "failure", won: "passed", vital: "failure", old: "skipped" },
    ...{ gone: "error", unscored: "skipped", gate: "failure" },
  });
  expect(attributes(xml, "testsuites")).toEqual([
    { name: "evalkit made-up-run", tests: "8", failures: "3", errors: "1", skipped: "2" },
  ]);
});

test("JUnit: the gate is green exactly when the exit code is 0", () => {
  const gate = (exitCode: number, verdict: Summary["gate"]["verdict"]) =>
    verdicts(junitReport(sample.record, { ...sample.summary, gate: { verdict, exitCode, reasons: [] } }))
      .gate;
  expect([
    gate(0, "passed"),
    gate(1, "failed"),
    gate(3, "undecided"),
    gate(0, "undecided"),
    gate(4, "undecided"),
  ]).toEqual(["passed", "failure", "failure", "passed", "error"]);
});

test("JUnit stays well formed whatever a case is called, and holds no sign that XML forbids", () => {
  for (const attack of ATTACKS) {
    const { record, summary } = hostile(attack);
    const xml = junitReport(record, summary);
    expect(new Set(scanMarkup(xml).elements.map(({ name }) => name))).toEqual(
      new Set(["testsuites", "testsuite", "testcase", "failure"]),
    );
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|\p{Surrogate}/u);
  }
});

test("the page of a GitHub job, whole", async () => {
  await expect(stepSummary(sample.record, sample.summary)).toMatchFileSnapshot("golden/step-summary.md");
});

test("the page of a GitHub job renders to headings, lists, one table and nothing of a text's own making", () => {
  for (const attack of ATTACKS) {
    const { record, summary } = hostile(attack);
    const html = marked.parse(stepSummary(record, summary), { async: false, gfm: true });
    const tags = new Set([...html.matchAll(/<([a-z0-9]+)/g)].map(([, name]) => name));
    const known = [
      "h2",
      "ul",
      "li",
      "p",
      "code",
      "strong",
      "table",
      "thead",
      "tbody",
      "tr",
      "th",
      "td",
      "sup",
      "br",
      "em",
    ];
    expect([...tags].filter((name) => !known.includes(name ?? ""))).toEqual([]);
    expect(html.match(/<h2/g)).toHaveLength(1);
  }
});

test("annotations: one line a deciding reason, an error for a failed gate, a warning for an undecided one", () => {
  expect(annotations(sample.summary)[0]).toMatch(/^::error title=evalkit%3A failed::/);
  const reasons = [
    { code: "metric-unsure", message: "50 % of\n::error::this", cases: [] },
    { code: "metric-same", message: "no news", cases: [] },
  ];
  const undecided = { ...sample.summary, gate: { verdict: "undecided", exitCode: 3, reasons } as const };
  const told = annotations({ ...undecided, gate: { ...undecided.gate, reasons } });
  expect(told).toEqual(["::warning title=evalkit%3A undecided::50 %25 of%0A::error::this"]);
  expect(annotations({ ...sample.summary, gate: { verdict: "passed", exitCode: 0, reasons } })).toEqual([]);
  for (const attack of ATTACKS)
    for (const line of annotations(hostile(attack).summary)) expect(line).not.toMatch(/[\n\r\u001b]/);
});

test("a job's page is appended to; without GitHub nothing is told; a page that can't be written loses nothing", async () => {
  const { record, summary } = sample;
  const file = join(tempDir(), "summary.md");
  writeFileSync(file, "before\n");
  expect(await tellGitHub(record, summary, { GITHUB_STEP_SUMMARY: file })).toEqual([]);
  expect(readFileSync(file, "utf8")).toBe(`before\n${stepSummary(record, summary)}\n`);
  const masked = join(tempDir(), "masked.md");
  await tellGitHub(record, summary, { GITHUB_STEP_SUMMARY: masked }, (text) =>
    text.replaceAll("short", "***"),
  );
  expect(readFileSync(masked, "utf8")).toContain("`***-answers`");
  expect(await tellGitHub(record, summary, {})).toEqual([]);
  const folder = join(tempDir(), "folder");
  mkdirSync(folder);
  const told = await tellGitHub(record, summary, { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: folder });
  expect(told.at(-1)).toMatch(/^warning: GITHUB_STEP_SUMMARY could not be written: EISDIR/);
  expect(told.length).toBeGreaterThan(1);
});
