import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { levelAt } from "../src/core/sequential/plan.ts";
import { levelText } from "../src/core/text/figures.ts";
import { cli, repository } from "./support/project.ts";
import { reply, startStub } from "./support/stub-server.ts";

const CASES = 40;
const base = (rule: string) => `You count.${rule}\n\n## Language\n\nAnswer in English.\n`;
const project = (text: string) => ({
  "prompts/base.md": base(text),
  "evalkit.yaml": "model: stub-model\ntrials: 1\nseed: 7\nstream: false\n",
  "cases/all.yaml": Array.from(
    { length: CASES },
    (_, n) =>
      `id: case-${n}\nturns: [{ user: "Count to ${n}." }]\nexpect: { completion: [{ answer: { contains: done } }] }\n`,
  ).join("---\n"),
});
const run = (cwd: string, url: string, ...more: string[]) =>
  cli(["run", "--baseline", "main", "--candidate", "other", "--run-id", "r1", ...more], {
    cwd,
    env: { OPENAI_BASE_URL: url },
  });
const saved = (cwd: string) => ({
  summary: JSON.parse(readFileSync(join(cwd, "reports/r1/summary.json"), "utf8")),
  lines: readFileSync(join(cwd, "reports/r1/trials.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line)),
  record: JSON.parse(readFileSync(join(cwd, "reports/r1/run.json"), "utf8")),
});

const report = (cwd: string, name: string) => readFileSync(join(cwd, "reports/r1", name), "utf8");

/** Does the work only where the rule stands in its prompt. */
const byRule = () =>
  startStub(({ body }) => reply(body.messages?.[0]?.content.includes("RULE") ? "done" : "no"));

test("a plain loss stops at the second of four looks, with both arms of each case run and exit 1", async () => {
  const stub = await byRule();
  const cwd = repository(project(" RULE"), { other: { "prompts/base.md": base("") } });
  const { code, stdout } = await run(cwd, stub.url, "--sequential");
  const { lines, record, summary } = saved(cwd);
  expect(code).toBe(1);
  expect(lines).toHaveLength(CASES);
  const seen = new Set(lines.map((line) => line.case));
  expect([...seen].sort()).toEqual([...record.sequential.order.slice(0, CASES / 2)].sort());
  expect(summary.gate.verdict).toBe("failed");
  expect(stdout).toContain("look 2 of 4");
  const level = `${levelText(levelAt(2, 4, 0.05))} interval`;
  for (const text of [stdout, report(cwd, "report.md"), report(cwd, "report.html")]) {
    expect(text.replace(/\s+/g, " ")).toContain(level);
    expect(text).not.toContain("95 % interval");
  }
});

test("no change goes on until it has earned the word; resumed halfway it comes to the same verdict", async () => {
  const stub = await byRule();
  const cwd = repository(project(" RULE"), { other: { "prompts/base.md": base(" RULE, again") } });
  const stopped = await run(cwd, stub.url, "--sequential", "--max-run-tokens", "300");
  expect(stopped.stderr).toContain("budget of 300 tokens");
  const before = saved(cwd).lines.length;
  expect(before).toBeLessThan(40);
  const resumed = await cli(["run", "--resume", "r1", "--max-run-tokens", "1000000"], {
    cwd,
    env: { OPENAI_BASE_URL: stub.url },
  });
  const { summary, lines } = saved(cwd);
  expect(lines.length).toBeGreaterThan(before);
  expect(resumed.code).toBe(0);
  expect(summary.gate.verdict).toBe("passed");
  const completion = summary.comparisons.find((one: { metric: string }) => one.metric === "taskCompletion");
  expect(completion.verdict).toBe("same");
});

test("--undecided pass turns exit 3 into 0 and says so", async () => {
  const stub = await byRule();
  const cwd = repository(project(" RULE"), { other: { "prompts/base.md": base(" RULE, again") } });
  const few = ["--filter", "case-1", "case-2"];
  const honest = await run(cwd, stub.url, ...few);
  expect(honest.code).toBe(3);
  const lenient = await cli(["gate", "r1", "--undecided", "pass"], { cwd });
  expect(lenient.code).toBe(0);
  expect(lenient.stdout).toContain("undecided");
});
