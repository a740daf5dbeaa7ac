import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { InputError } from "../../src/core/nouns/problem.ts";
import { rewriteSummary } from "../../src/io/human.ts";
import { writeReports } from "../../src/io/report-files.ts";
import { readReportInput } from "../../src/io/report-input.ts";
import { openRun } from "../../src/io/open-run.ts";
import { cli, repository, tempDir } from "../support/project.ts";
import { makeRun, marks, writeMadeRun } from "../support/run-fixture.ts";
import { reply, startStub } from "../support/stub-server.ts";
import { SAMPLE } from "./sample-run.ts";

const TEMPLATE = "docs/prompt-analysis-template.md";
const read = (...path: string[]) => readFileSync(join(...path), "utf8");

function project(template?: string): string {
  const dir = tempDir();
  mkdirSync(join(dir, ".git"));
  mkdirSync(join(dir, "docs"));
  if (template !== undefined) writeFileSync(join(dir, TEMPLATE), template);
  return dir;
}

test("both reports from the folder alone, written again to the same bytes, nothing left beside them", async () => {
  const dir = await writeMadeRun(project(), makeRun(SAMPLE));
  expect(await writeReports(dir)).toEqual([]);
  const [markdown, html] = [read(dir, "report.md"), read(dir, "report.html")];
  expect(markdown).toContain("# Gap analysis: main (1f3c1f3) → short-answers (9ab29ab)");
  expect(html).toMatch(/^<!doctype html>/);
  await writeReports(dir);
  expect([read(dir, "report.md"), read(dir, "report.html")]).toEqual([markdown, html]);
  expect(readdirSync(dir).sort()).toEqual([
    "report.html",
    "report.md",
    "run.json",
    "summary.json",
    "trials.jsonl",
  ]);
});

test("the project's own template is used; what is wrong with it is told with file and line", async () => {
  const dir = await writeMadeRun(project("# Ours\n\n{{run}}\n{{resluts}}\n"), makeRun(SAMPLE));
  const told = await writeReports(dir);
  expect(read(dir, "report.md")).toBe("# Ours\n\nshort-answers\n{{resluts}}\n");
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(`${TEMPLATE}:4: warning: {{resluts}} is no placeholder`);
  expect(told[0]).toContain("did you mean {{results}}?");
});

test.each(["the file", "its folder"])("a template that %s links to is not followed", async (what) => {
  const [root, elsewhere] = [project(), tempDir()];
  writeFileSync(join(elsewhere, "prompt-analysis-template.md"), "quoted from the host\n");
  if (what === "the file") symlinkSync(join(elsewhere, "prompt-analysis-template.md"), join(root, TEMPLATE));
  else {
    rmSync(join(root, "docs"), { recursive: true });
    symlinkSync(elsewhere, join(root, "docs"));
  }
  const dir = await writeMadeRun(root, makeRun(SAMPLE));
  expect(await writeReports(dir)).toEqual([
    `${TEMPLATE}: warning: is reached through a link, so evalkit's own template was used [bad-template]`,
  ]);
  expect(read(dir, "report.md")).not.toContain("quoted from the host");
});

test("a template that can't be read: a run still ends with a report, a named one is refused", async () => {
  const root = project();
  writeFileSync(join(root, TEMPLATE), Buffer.from([0xff, 0xfe, 0x23, 0x00]));
  const dir = await writeMadeRun(root, makeRun(SAMPLE));
  expect(await writeReports(dir)).toEqual([
    `${TEMPLATE}: warning: is UTF-16, expected UTF-8, so evalkit's own template was used [bad-template]`,
  ]);
  expect(read(dir, "report.md")).toContain("# Gap analysis");
  await expect(writeReports(dir, { template: join(root, "none.md") })).rejects.toThrow(InputError);
  writeFileSync(join(root, "other.md"), "{{verdict}}");
  await writeReports(dir, { template: join(root, "other.md") });
  expect(read(dir, "report.md")).toBe("failed\n");
});

test("a torn last line is left out, a missing summary is made from the trials", async () => {
  const dir = await writeMadeRun(tempDir(), makeRun({ ...SAMPLE, notes: [] }));
  const before = await readReportInput(dir);
  appendFileSync(join(dir, "trials.jsonl"), '{"case":"web/static-pa');
  rmSync(join(dir, "summary.json"));
  expect(await readReportInput(dir)).toEqual(before);
  expect(JSON.parse(read(dir, "summary.json"))).toEqual(before.summary);
});

test("only cases worth a look keep transcripts, shortened, whatever a tool gave back", async () => {
  const huge = "y".repeat(300_000);
  const steps = [{ user: "Go." }, { calls: [{ name: "read_file", result: huge }] }, { says: huge }];
  const run = makeRun({
    cases: ["fine", "lost", "won"],
    trials: [
      ...marks("fine", "111", "111", { steps }),
      ...marks("lost", "111", "000", { steps }),
      ...marks("won", "010", "111", { steps }),
    ],
  });
  const input = await readReportInput(await writeMadeRun(tempDir(), run));
  expect([...input.samples.keys()].sort()).toEqual(["lost", "won"]);
  expect(input.samples.get("won")?.baseline.failing?.trial).toBe(1);
  expect(input.samples.get("won")?.baseline.passing?.trial).toBe(2);
  expect(input.trials).toHaveLength(18);
  expect(JSON.stringify([...input.samples]).length).toBeLessThan(8 * 30_000);
});

test("thousands of changed cases: the closer looks are bounded, and the report says so", async () => {
  const ids = Array.from({ length: 300 }, (_, at) => `case-${at}`);
  const run = makeRun({ cases: ids, trials: ids.flatMap((id) => marks(id, "1", "0")) });
  const dir = await writeMadeRun(tempDir(), run);
  const input = await readReportInput(dir);
  expect(input.samples.size).toBe(60);
  expect(input.withoutSample).toHaveLength(240);
  await writeReports(dir);
  const text = read(dir, "report.md");
  expect(text.length).toBeLessThan(120_000);
  expect(text).toContain("no transcript kept for this report of: ");
  expect(text).toContain("… and 100 more cases: report.html lists them all.");
});

test("people's scores: where they and the checks disagree comes first", async () => {
  const run = makeRun({ cases: ["a", "b"], trials: [...marks("a", "11", "11"), ...marks("b", "11", "00")] });
  const dir = await writeMadeRun(tempDir(), run);
  const score = (id: string, arm: string, accuracy: number, note: string) =>
    JSON.stringify({
      ...{
        item: `${id}-${arm}`,
        case: id,
        arm,
        trial: 1,
        rater: "ann",
        accuracy,
        completeness: 4,
        safety: 5,
      },
      ...{ preferred: null, note },
    });
  const rows = [
    score("a", "baseline", 5, ""),
    score("a", "candidate", 1, "wrong | file </td>"),
    score("b", "baseline", 4, ""),
    score("b", "candidate", 5, "right after all"),
  ];
  writeFileSync(join(dir, "scores.jsonl"), `${rows.join("\n")}\n`);
  await rewriteSummary(await openRun(dir, dir));
  const template = join(dir, "t.md");
  writeFileSync(template, "{{people}}");
  await writeReports(dir, { template });
  const text = read(dir, "report.md");
  expect(text).toMatch(/^\*\*2 trials that people and checks see differently:\*\*/);
  expect(text).toContain(
    "| `a` | candidate 1 | checks passed, people find it wrong | 1.0 | wrong \\| file &lt;/td&gt; |",
  );
  expect(text).toContain(
    "| `b` | candidate 1 | checks failed, people find it right | 5.0 | right after all |",
  );
  expect(text).toContain("| accuracy | 4.50 | 3.00 |");
});

const CASE = `id: wish
turns: [{ user: "Make it bright." }]
expect: { completion: [{ answer: { contains: bright } }] }
intent: It gets bright.
`;
const LANGUAGE = "\n\n## Language\n\nEnglish.\n";

test("end to end: a run, its replay and its report, with the project's own template", async () => {
  const stub = await startStub(({ body }) =>
    reply(body.messages?.[0]?.content.includes("RULE") === true ? "Now it is bright." : "Now it is dark."),
  );
  const cwd = repository(
    {
      "prompts/base.md": `You run a home.${LANGUAGE}`,
      "cases/wish.yaml": CASE,
      "evalkit.yaml": "model: stub-model\nretries: 0\ngate: { metrics: [taskCompletion] }\n",
      [TEMPLATE]: "# {{candidate}}\n\n{{before}}\n\n{{changes}}\n\n{{oops}}\n",
    },
    { better: { "prompts/base.md": `You run a home. RULE: make it bright.${LANGUAGE}` } },
  );
  const args = ["run", "--baseline", "main", "--candidate", "better", "--trials", "1"];
  const env = { OPENAI_BASE_URL: stub.url, OPENAI_API_KEY: "stub-key-0123456789" };
  const run = await cli([...args, "--run-id", "one"], { cwd, env });
  await stub.close();
  expect(run.stderr).toContain(`${TEMPLATE}:7: warning: {{oops}} is no placeholder`);
  const text = read(cwd, "reports/one/report.md");
  expect(text).toMatch(
    /^# better \([0-9a-f]{7}\)\n\n1 of 1 cases failed in at least one trial of the baseline\./,
  );
  expect(text).toContain("user: Make it bright.\nturn 1: Now it is dark.");
  expect(text).toContain("-You run a home.\n+You run a home. RULE: make it bright.");
  expect(text.trimEnd().endsWith("{{oops}}")).toBe(true);

  const again = await cli([...args, "--run-id", "two"], { cwd });
  expect(again.stdout).toContain("recordings of stub-model; no model was called");
  for (const line of again.stdout.split("\n")) expect([...line].length).toBeLessThanOrEqual(80);
});
