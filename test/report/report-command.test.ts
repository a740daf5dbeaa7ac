import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { junitReport } from "../../src/core/report/junit.ts";
import { evalkit } from "../support/in-process.ts";
import { scanMarkup } from "../support/markup-scan.ts";
import { tempDir, writeFiles } from "../support/project.ts";
import { makeRun, writeMadeRun } from "../support/run-fixture.ts";
import { SAMPLE } from "./sample-run.ts";

/** A project with one finished run whose reports were never written. */
async function project(files: Readonly<Record<string, string>> = {}) {
  const root = tempDir();
  writeFiles(root, { "evalkit.yaml": "model: stub-model\n", ...files });
  const run = makeRun(SAMPLE);
  const dir = await writeMadeRun(root, run);
  return { root, run, dir, read: (name: string) => readFileSync(join(dir, name), "utf8") };
}

test("report prints the table, writes both reports and exits 0 whatever the verdict is", async () => {
  const { root, dir, read } = await project();
  const { code, out, err } = await evalkit(root, "report", "latest");
  expect(code).toBe(0);
  expect(out).toContain("Verdict: failed (exit code 1)");
  expect(out.split("\n").every((line) => [...line].length <= 80)).toBe(true);
  expect(err).toBe(`reports: ${join(dir, "report.md")}, report.html\n`);
  expect(read("report.md")).toMatch(/^# Gap analysis: main/);
  scanMarkup(read("report.html"));
});

test("every format, printed alone to stdout", async () => {
  const { root, run, read } = await project();
  const of = async (...args: string[]) => (await evalkit(root, "report", "short-answers", ...args)).out;
  expect(JSON.parse(await of("--format", "json"))).toEqual(run.summary);
  expect(JSON.parse(await of("--json"))).toEqual(run.summary);
  expect(await of("--format", "junit")).toBe(junitReport(run.record, run.summary));
  expect(await of("--format", "md")).toBe(read("report.md"));
  expect(await of("--format", "html")).toBe(read("report.html"));
});

test("--out takes the format from the file's ending; --junit comes besides; stdout stays empty", async () => {
  const { root, run, read } = await project();
  const { code, out } = await evalkit(root, "report", "latest", "--out", "v.html", "--junit", "junit.xml");
  expect({ code, out }).toEqual({ code: 0, out: "" });
  expect(readFileSync(join(root, "v.html"), "utf8")).toBe(read("report.html"));
  expect(readFileSync(join(root, "junit.xml"), "utf8")).toBe(junitReport(run.record, run.summary));
});

test("a summary that is missing is made again from the trials", async () => {
  const { root, run, dir } = await project();
  rmSync(join(dir, "summary.json"));
  const { out } = await evalkit(root, "report", "latest", "--json");
  expect(JSON.parse(out)).toEqual(run.summary);
});

test("the project's own template is used, another by --template; an unknown placeholder is a warning with its line", async () => {
  const { root } = await project({
    "docs/prompt-analysis-template.md": "# Unser Bericht\n\n{{verdict}}\n",
    "other.md": "# Other\n\n{{verdcit}}\n",
  });
  const own = await evalkit(root, "report", "latest", "--format", "md");
  expect(own.out).toBe("# Unser Bericht\n\nfailed\n");
  const other = await evalkit(root, "report", "latest", "--format", "md", "--template", "other.md");
  expect(other.out).toBe("# Other\n\n{{verdcit}}\n");
  expect(other.err).toMatch(/other\.md:3: warning: \{\{verdcit\}\} is no placeholder/);
  expect(other.err).toContain("did you mean {{verdict}}?");
  expect(other.code).toBe(0);
});

test("bad input is told in a line and is 2", async () => {
  const { root } = await project();
  for (const [args, message] of [
    [["nope"], /no run "nope" was found/],
    [["latest", "--format", "pdf"], /Allowed choices are terminal, md, html, json, junit/],
    [["latest", "--template", "nope.md"], /nope\.md: error: the template does not exist/],
    [["latest", "--out", "no/such/r.md"], /the folder of no\/such\/r\.md does not exist/],
    [["latest", "--json", "--format", "md"], /contradict each other/],
  ] as const) {
    const { code, out, err } = await evalkit(root, "report", ...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(message);
  }
  expect(existsSync(join(root, "no"))).toBe(false);
});

test("a last line torn by a crash is left out; the reports are those of the whole trials", async () => {
  const { root, dir, read } = await project();
  await evalkit(root, "report", "latest");
  const before = read("report.md");
  writeFileSync(join(dir, "trials.jsonl"), `${read("trials.jsonl")}{"case":"torn","arm":"base`);
  expect((await evalkit(root, "report", "latest")).code).toBe(0);
  expect(read("report.md")).toBe(before);
});

test.each([
  ["one that no parser reads", () => '{"case":"torn","arm":"base', "this line is not a trial"],
  ["one that stands there twice", (line: string) => line, "it stands there a second time"],
  [
    "one of another run",
    (line: string) => line.replace(/"case":"[^"]*"/, '"case":"elsewhere"'),
    "this run never planned it",
  ],
])("a line between the others, %s, is told in the report, and no verdict is made", async (_, make, why) => {
  const { root, dir, read } = await project();
  const [first = "", ...others] = read("trials.jsonl").split("\n");
  writeFileSync(join(dir, "trials.jsonl"), [first, make(first), ...others].join("\n"));
  const told = await evalkit(root, "report", "latest");
  expect(told.err).toContain("trials.jsonl:2: warning: 1 line left out of this report");
  expect(told.err).toContain(why);
  expect(read("report.md")).toContain("1 line left out of this report");
  const gate = await evalkit(root, "gate", "latest");
  expect({ code: gate.code, out: gate.out }).toEqual({ code: 2, out: "" });
  expect(gate.err).toContain(`trials.jsonl:2: error: `);
  expect(gate.err).toContain(why);
  expect(gate.err).toContain("take the line out");
});
