import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { evalkit } from "../support/in-process.ts";
import { repository } from "../support/project.ts";
import { reply, startStub } from "../support/stub-server.ts";

const LANGUAGE = "\n## Language\n\nAnswer in English.\n";
const PROJECT = {
  "prompts/base.md": `Hours are 9 to 17.${LANGUAGE}`,
  "cases/desk.yaml":
    'id: hours\nturns: [{ user: "When are you open?" }]\nexpect: { completion: [{ judge: { rubric: It is polite. } }] }\n',
};
const CONFIG = "model: agent-1\nretries: 0\ntrials: 2\njudge: { model: judge-1 }\n";
const PRICES = "prices: { judge-1: { prompt: 1000, completion: 2000 } }\n";

async function ran(config: string, ...flags: string[]) {
  const stub = await startStub(({ body }) =>
    reply(body.model === "judge-1" ? '{"reason":"Yes.","verdict":"PASS"}' : "From 9 to 17."),
  );
  const cwd = repository(
    { ...PROJECT, "evalkit.yaml": config },
    { shorter: { "prompts/base.md": `Be brief.${LANGUAGE}` } },
  );
  const arms = ["--baseline", "main", "--candidate", "shorter"];
  const run = await evalkit(cwd, "run", ...arms, "--run-id", "r", "--base-url", stub.url, ...flags);
  await stub.close();
  const file = (name: string) => readFileSync(join(cwd, "reports/r", name), "utf8");
  return { cwd, run, stub, file, summary: JSON.parse(file("summary.json")) };
}

test("what a judge took stands in the summary and in every report, apart from the agent's", async () => {
  const { run, file, summary } = await ran(CONFIG + PRICES);
  // Each reply of the stub: 11 tokens of prompt, 7 of completion.
  for (const arm of ["baseline", "candidate"])
    expect(summary.arms[arm]).toMatchObject({
      tokens: { prompt: 22, cached: 0, completion: 14 },
      cost: null,
      judge: {
        ...{ calls: 2, unparsable: 0, tokens: { prompt: 22, cached: 0, completion: 14 } },
        cost: expect.closeTo(0.05, 10),
      },
    });
  const words = "2 calls, 22 prompt and 14 completion tokens, cost 0.05";
  const all = `apart from the agent's tokens and cost: baseline ${words}; candidate ${words}`;
  expect(run.out.replace(/\s+/g, " ")).toContain(`judge ${all}`);
  expect(file("report.md")).toContain(`The judge, ${all}.`);
  expect(file("report.html").replaceAll("&#39;", "'")).toContain(`The judge, ${all}.`);
});

test("a resume keeps the judge and refuses another by flag; a comparison of two judges is told", async () => {
  const { cwd, stub } = await ran(CONFIG);
  const again = (...flags: string[]) =>
    evalkit(cwd, "run", "--resume", "r", "--base-url", stub.url, ...flags);
  const other = await again("--judge-model", "judge-2", "--judge-votes", "3");
  expect(other.code).toBe(2);
  expect(other.err).toContain("judge.model is not what the run was started with: judge-1 then, judge-2 now");
  expect(other.err).toContain("judge.votes is not what the run was started with: 1 then, 3 now");
  expect((await again("--judge-model", "judge-1")).err).not.toContain("resume-differs");

  const second = await startStub(({ body }) =>
    reply(body.model === "judge-2" ? '{"reason":"Yes.","verdict":"PASS"}' : "From 9 to 17."),
  );
  const arms = ["--baseline", "main", "--candidate", "shorter", "--judge-model", "judge-2"];
  await evalkit(cwd, "run", ...arms, "--run-id", "s", "--base-url", second.url);
  const compared = await evalkit(cwd, "compare", "r", "s");
  expect(`${compared.out}${compared.err}`.replace(/\s+/g, " ")).toContain(
    "judge.model differs: judge-1 against judge-2: judged checks can't be compared",
  );
});

test("what evalkit tells a judge has a digest in run.json: another is refused at a resume and told by compare", async () => {
  const { cwd, stub, file } = await ran(CONFIG);
  const path = join(cwd, "reports", "r", "run.json");
  const record = JSON.parse(file("run.json"));
  expect(record.judgePrompt).toMatch(/^sha256:[0-9a-f]{64}$/);
  const arms = ["--baseline", "main", "--candidate", "shorter"];
  await evalkit(cwd, "run", ...arms, "--run-id", "s", "--base-url", stub.url);
  writeFileSync(path, JSON.stringify({ ...record, judgePrompt: "sha256:other" }));
  const again = await evalkit(cwd, "run", "--resume", "r", "--base-url", stub.url);
  expect(again.code).toBe(2);
  expect(again.err).toContain("judge.prompt is not what the run was started with: sha256:other then");
  const compared = await evalkit(cwd, "compare", "r", "s");
  expect(`${compared.out}${compared.err}`.replace(/\s+/g, " ")).toContain(
    `judge.prompt differs: sha256:other against ${record.judgePrompt}`,
  );
  // A run of an older version does not say.
  writeFileSync(path, JSON.stringify({ ...record, judgePrompt: undefined }));
  expect((await evalkit(cwd, "run", "--resume", "r", "--base-url", stub.url)).err).not.toContain("differs");
});

test("a budget of money counts the judge, and says what it can't count", async () => {
  const priced = await ran(CONFIG + PRICES, "--max-run-cost", "0.02", "-j", "1");
  expect(priced.run.code).toBe(3);
  expect(priced.run.err).toContain("the run's budget of 0.02 is used up (0.0250 spent)");
  expect(priced.run.err).toContain("the budget of 0.02 counts nothing of what agent-1 costs");
  const { run } = await ran(CONFIG, "--max-run-cost", "0.02");
  expect(run.err).toContain(
    "the budget of 0.02 counts nothing of what judge-1 costs: no price is set for it",
  );
});
