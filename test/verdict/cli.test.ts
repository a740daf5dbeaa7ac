import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { RunRecord } from "../../src/core/nouns/run.ts";
import { Summary } from "../../src/core/nouns/summary.ts";
import { cli, repository, tempDir, writeFiles } from "../support/project.ts";

/** Lines of `n` cases from strings of trials, `x` for a broken one. */
function lines(n: number, baseline: string, candidate: string, prefix = "c"): string {
  const arm = (id: string, name: string, trials: string) =>
    [...trials].map((mark, at) =>
      JSON.stringify({
        ...{ case: id, arm: name, trial: at + 1 },
        ...(mark === "x" ? { status: "broken" } : { taskCompletion: Number(mark), turns: 3 }),
      }),
    );
  return Array.from({ length: n }, (_, at) => [
    ...arm(`${prefix}${at}`, "baseline", baseline),
    ...arm(`${prefix}${at}`, "candidate", candidate),
  ])
    .flat()
    .map((line) => `${line}\n`)
    .join("");
}

function folder(text: string): string {
  const dir = tempDir();
  writeFiles(dir, { "results.jsonl": text });
  return dir;
}

describe("import", () => {
  test.each([
    ["passed", 0, lines(40, "111", "111")],
    ["failed", 1, lines(40, "111", "001")],
    ["undecided", 3, lines(5, "111", "111")],
    ["undecided", 4, lines(5, "111", "xxx")],
    ["undecided", 0, lines(5, "", "110")],
  ])("%s ends with %d", async (verdict, code, text) => {
    const dir = folder(text);
    const run = await cli(["import", "results.jsonl", "--run-id", "r1", "--json"], { cwd: dir });
    expect(run.code).toBe(code);
    const summary = Summary.parse(JSON.parse(run.stdout));
    expect(summary.gate).toMatchObject({ verdict, exitCode: code });
    expect(JSON.parse(readFileSync(join(dir, "reports/r1/summary.json"), "utf8"))).toEqual(summary);
    const record = RunRecord.parse(JSON.parse(readFileSync(join(dir, "reports/r1/run.json"), "utf8")));
    expect(record.kind).toBe("import");
    for (const file of ["trials.jsonl", "report.md", "report.html"]) {
      expect(existsSync(join(dir, "reports/r1", file)), file).toBe(true);
    }
  });
  test("prints a table that names the verdict", async () => {
    const run = await cli(["import", "results.jsonl"], { cwd: folder(lines(40, "111", "001")) });
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/failed/i);
  });
  test("faulty lines: 2, every one named, nothing written", async () => {
    const dir = folder('{"case":"a","arm":"baseline","trial":1,"taskCompletion":NaN}\n{"case":"a"}\n');
    const run = await cli(["import", "results.jsonl", "--run-id", "r1"], { cwd: dir });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("results.jsonl:1: error:");
    expect(run.stderr).toContain("results.jsonl:2: error:");
    expect(run.stdout).toBe("");
    expect(existsSync(join(dir, "reports"))).toBe(false);
  });
  test.each([
    ["a result of promptfoo", '{"evalId":"e","results":{"version":3,"results":[]},"config":{}}'],
    ["a result of promptfoo", '{\n  "results": {\n    "results": []\n  }\n}'],
    ["a log of Inspect AI", '{"version":2,"status":"success","eval":{"task":"t"},"samples":[]}'],
    ["one JSON array", '[{"case":"a","arm":"baseline","trial":1}]'],
    ["XML or HTML", '<?xml version="1.0"?><testsuites/>'],
    ["a table (CSV)", "case,arm,trial,taskCompletion\na,baseline,1,1\n"],
    ["one JSON object", '{\n "a": 1\n}'],
  ])("another tool's file is named as %s, in one sentence", async (name, text) => {
    const run = await cli(["import", "results.jsonl"], { cwd: folder(text) });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`this is ${name}, and evalkit import reads one result a line`);
    expect(run.stderr.match(/error:/g)).toHaveLength(1);
  });
  test("no file, no results, a run that exists: 2", async () => {
    const dir = folder("\n");
    expect((await cli(["import", "nosuch.jsonl"], { cwd: dir })).code).toBe(2);
    expect((await cli(["import", "results.jsonl"], { cwd: dir })).stderr).toContain("holds no result");
    writeFiles(dir, { "results.jsonl": lines(1, "1", "1") });
    await cli(["import", "results.jsonl", "--run-id", "r1"], { cwd: dir });
    const again = await cli(["import", "results.jsonl", "--run-id", "r1"], { cwd: dir });
    expect(again.code).toBe(2);
    expect(again.stderr).toContain("exists already");
  });
  test("runs with other numbers of trials are compared: each arm is held against its own plan", async () => {
    const dir = folder(lines(40, "1", "1"));
    await cli(["import", "results.jsonl", "--run-id", "once"], { cwd: dir });
    writeFiles(dir, { "results.jsonl": lines(40, "111", "111") });
    await cli(["import", "results.jsonl", "--run-id", "thrice"], { cwd: dir });
    const found = await cli(["compare", "once", "thrice", "--json"], { cwd: dir });
    expect(JSON.parse(found.stdout).arms).toMatchObject({
      baseline: { trials: { planned: 40, finished: 40 } },
      candidate: { trials: { planned: 120, finished: 120 } },
    });
    expect(found.code).toBe(0);
    const lost = lines(40, "111", "111").replace(/.*"candidate","trial":3.*\n/g, "");
    writeFiles(dir, { "results.jsonl": lost });
    await cli(["import", "results.jsonl", "--run-id", "lost"], { cwd: dir });
    const short = await cli(["compare", "once", "lost"], { cwd: dir });
    expect(short.code).toBe(3);
    expect(short.stdout).toContain("candidate: 80 of 120 planned trials ended");
  });
  test("trials that a line is missing for are lost, not unplanned", async () => {
    const whole = lines(40, "111", "111").split("\n");
    const thin = whole.filter((line) => !/"candidate","trial":[12]\b/.test(line));
    const run = await cli(["import", "results.jsonl", "--json"], { cwd: folder(thin.join("\n")) });
    expect(run.code).toBe(3);
    const { arms, gate } = JSON.parse(run.stdout);
    expect(arms.baseline.trials).toMatchObject({ planned: 120, finished: 120 });
    expect(arms.candidate.trials).toMatchObject({ planned: 120, finished: 40 });
    expect(gate.reasons.map(({ code }: { code: string }) => code)).toContain("coverage");
  });
  test("a trial number that is a date leaves the rest lost, and is over at once", async () => {
    const cwd = folder(lines(2, "1", "1").replaceAll('"trial":1,', '"trial":900000001,'));
    const run = await cli(["import", "results.jsonl", "--json"], { cwd });
    expect(run.code).toBe(3);
    expect(JSON.parse(run.stdout).arms.candidate).toMatchObject({
      trials: { planned: 1_800_000_002, finished: 2 },
      passHatK: { "1": 1, "2": null, "900000001": null },
    });
  });
  test("a policy from the config, overridden by a flag", async () => {
    const dir = folder(lines(20, "111", "111"));
    writeFiles(dir, { "evalkit.yaml": "gate:\n  margin: 0.2\n" });
    expect((await cli(["import", "results.jsonl"], { cwd: dir })).code).toBe(0);
    expect((await cli(["import", "results.jsonl", "--margin", "0.1"], { cwd: dir })).code).toBe(3);
  });
});

describe("gate and compare work on saved runs", () => {
  test("gate keeps the run's policy but for what is said today, and writes nothing", async () => {
    const dir = folder(lines(20, "111", "111"));
    await cli(["import", "results.jsonl", "--run-id", "r1", "--margin", "0.2"], { cwd: dir });
    const before = readFileSync(join(dir, "reports/r1/summary.json"), "utf8");
    expect((await cli(["gate", "r1"], { cwd: dir })).code).toBe(0);
    expect((await cli(["gate", "latest", "--margin", "0.1"], { cwd: dir })).code).toBe(3);
    const allowed = await cli(["gate", "r1", "--margin", "0.1", "--undecided", "pass", "--json"], {
      cwd: dir,
    });
    expect(allowed.code).toBe(0);
    expect(JSON.parse(allowed.stdout).gate.verdict).toBe("undecided");
    expect(readFileSync(join(dir, "reports/r1/summary.json"), "utf8")).toBe(before);
  });
  test("compare takes arms of different runs; a case that is gone fails unless allowed", async () => {
    const dir = folder(lines(40, "", "111") + lines(1, "", "000", "bad"));
    await cli(["import", "results.jsonl", "--run-id", "monday"], { cwd: dir });
    writeFiles(dir, { "results.jsonl": lines(40, "", "111") });
    await cli(["import", "results.jsonl", "--run-id", "tuesday"], { cwd: dir });
    const run = await cli(["compare", "monday", "tuesday", "--json"], { cwd: dir });
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout).gate.reasons[0]).toMatchObject({ code: "cases-removed", cases: ["bad0"] });
    const allowed = await cli(["compare", "monday#candidate", "tuesday", "--allow-removed", "bad0"], {
      cwd: dir,
    });
    expect(allowed.code).toBe(0);
    const missing = await cli(["compare", "monday#baseline", "tuesday"], { cwd: dir });
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain("expected one of the run's arms (candidate)");
    expect((await cli(["compare", "monday", "monday"], { cwd: dir })).code).toBe(2);
  });
});

test("flakes reads every run in the reports folder", async () => {
  const dir = folder(lines(2, "111", "111") + lines(1, "101", "111", "wavers"));
  await cli(["import", "results.jsonl", "--run-id", "r1"], { cwd: dir });
  const run = await cli(["flakes", "--json"], { cwd: dir });
  expect(run.code).toBe(0);
  const { runs, cases } = JSON.parse(run.stdout);
  expect(runs).toBe(1);
  expect(
    cases.filter((one: { state: string }) => one.state === "flaky").map((one: { id: string }) => one.id),
  ).toEqual(["wavers0"]);
  expect((await cli(["flakes"], { cwd: dir })).stdout).toContain("wavers0: wavered in 1 of 2");
  expect((await cli(["flakes"], { cwd: tempDir() })).stdout).toContain("No trial of any case");
});

describe("plan", () => {
  const project = () =>
    repository({
      "cases/a.yaml": "turns: [{ user: Hello }]\nexpect: { completion: [{ answer: { contains: hi } }] }\n",
      "cases/b.yaml": "turns: [{ user: Bye }]\nexpect: { completion: [{ answer: { contains: bye } }] }\n",
      "evalkit.yaml": "model: m\nprices:\n  m: { prompt: 1, completion: 2 }\n",
    });
  test("says what is known and unknown before anything is paid", async () => {
    const run = await cli(["plan", "--trials", "5", "--detect", "0.2"], { cwd: project() });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("2 cases × 5 trials × 2 arms = 20 trials");
    expect(run.stdout).toContain("model calls      unknown");
    expect(run.stdout).toContain("smallest drop    none");
  });
  test("takes calls and noise from an earlier run", async () => {
    const dir = project();
    const rows = lines(1, "110", "111", "x").replaceAll("x0", "a");
    writeFiles(dir, { "results.jsonl": rows });
    await cli(["import", "results.jsonl", "--run-id", "r1"], { cwd: dir });
    const run = await cli(["plan", "--from", "r1", "--json"], { cwd: dir });
    expect(JSON.parse(run.stdout)).toMatchObject({
      cases: 2,
      usageFrom: "run r1",
      usage: { trials: 12, calls: 36, guessed: ["b"], cost: null },
      question: { noise: { from: "run" } },
    });
  });
  test("a share that is none: 2", async () => {
    const run = await cli(["plan", "--detect", "10"], { cwd: project() });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("--detect");
  });
});
