import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, repository } from "./support/project.ts";
import { fault, reply, type StubAnswer, startStub, type StubHandler } from "./support/stub-server.ts";

const PROJECT = {
  "prompts/base.md": "You help.\n\n## Language\n\nEnglish.\n",
  "cases/all.yaml": Array.from(
    { length: 5 },
    (_, n) =>
      `id: case-${n}\nturns: [{ user: Say yes to ${n}. }]\nexpect: { completion: [{ answer: { contains: yes } }] }\n`,
  ).join("---\n"),
  "evalkit.yaml": "model: m\nretries: 0\nconcurrency: 4\n",
};
const CANDIDATE = { "prompts/base.md": "You help gladly.\n\n## Language\n\nEnglish.\n" };
const yes: StubHandler = () => reply("yes");

async function runAgainst(handler: StubHandler, trials: number, ...more: readonly string[]) {
  const stub = await startStub(handler);
  const cwd = repository(PROJECT, { other: CANDIDATE });
  const env = { OPENAI_BASE_URL: stub.url, OPENAI_API_KEY: "stub-key-0123456789" };
  const args = ["run", "--baseline", "main", "--candidate", "other", "--run-id", "r1"];
  const run = await cli([...args, "--trials", String(trials), ...more], { cwd, env });
  return { ...run, cwd, env, requests: stub.requests.length };
}
const summaryOf = (cwd: string) => JSON.parse(readFileSync(join(cwd, "reports/r1/summary.json"), "utf8"));

test.each<[string, StubAnswer, string]>([
  ["a wrong key", fault(401, "Incorrect API key provided"), "set OPENAI_API_KEY"],
  ["no access", fault(403, "Forbidden"), "set OPENAI_API_KEY"],
  ["a model that is not there", fault(404, "The model `m` does not exist"), "--model"],
  ["a path that is not there", fault(404, "Not Found"), "is the base URL right?"],
  [
    "an empty account",
    fault(429, "You exceeded your current quota", { code: "insufficient_quota" }),
    "quota",
  ],
  [
    "a parameter that is refused",
    fault(400, "Unsupported parameter: 'stream'", { param: "stream" }),
    "stream",
  ],
])("%s stops the run after a few trials, and says what to do: exit 4", async (_, answer, says) => {
  const run = await runAgainst(() => answer, 40);
  expect(run.code).toBe(4);
  expect(run.requests).toBeLessThanOrEqual(12);
  expect(run.stderr).toContain("stopped early: 8 trials in a row were refused");
  expect(run.stderr).toContain(says);
  expect(run.stderr).toContain(
    "`evalkit run --resume r1 --retry-broken` runs the rest and the broken ones again.",
  );
  expect(readFileSync(join(run.cwd, "reports/r1/report.md"), "utf8")).toContain("stopped early");
});

test("with the fault mended, --resume --retry-broken runs all of it", async () => {
  let valid = false;
  const stub = await startStub((request, number) => (valid ? yes(request, number) : fault(401, "no")));
  const cwd = repository(PROJECT, { other: CANDIDATE });
  const env = { OPENAI_BASE_URL: stub.url, OPENAI_API_KEY: "stub-key-0123456789" };
  await cli(["run", "--baseline", "main", "--candidate", "other", "--run-id", "r1", "--trials", "4"], {
    cwd,
    env,
  });
  valid = true;
  await cli(["run", "--resume", "r1", "--retry-broken"], { cwd, env });
  const { arms } = summaryOf(cwd);
  expect(arms.baseline.trials).toMatchObject({ planned: 20, finished: 20, broken: 0 });
  expect(arms.candidate.trials).toMatchObject({ planned: 20, finished: 20, broken: 0 });
});

test("an account that is used up in the middle of a run: what ended counts, exit 3", async () => {
  const run = await runAgainst(
    (request, n) => (n < 60 ? yes(request, n) : fault(402, "payment required")),
    40,
  );
  expect(run.code).toBe(3);
  expect(run.requests).toBeLessThanOrEqual(60 + 36);
  expect(run.stderr).toContain("32 trials in a row were refused (quota)");
  expect(summaryOf(run.cwd).arms.baseline.trials.finished).toBeGreaterThan(20);
});

test("refusals among replies never stop a run: a case that is refused, a key that fails now and then", async () => {
  const moderated: StubHandler = (request, number) =>
    request.text.includes("yes to 2") ? fault(403, "flagged by moderation") : yes(request, number);
  const flagged = await runAgainst(moderated, 10);
  expect(flagged.requests).toBe(100);
  const shaky = await runAgainst((request, n) => (n % 10 < 6 ? fault(401, "no") : yes(request, n)), 10);
  expect(shaky.requests).toBe(100);
  expect(`${flagged.stderr}${shaky.stderr}`).not.toContain("stopped early");
});

test("an arm whose own model is not there stops the run, though the other arm is answered", async () => {
  const handler: StubHandler = (request, number) =>
    request.body.model === "gone" ? fault(404, "model 'gone' not found") : yes(request, number);
  const run = await runAgainst(handler, 40, "--candidate", "other+model:gone");
  expect(run.code).toBe(4);
  expect(run.requests).toBeLessThan(30);
  expect(run.stderr).toContain("8 trials in a row were refused (no-model)");
});

test("a judge that is refused stops the run: the agent is not paid for what nobody judges", async () => {
  const handler: StubHandler = (request, number) =>
    request.body.model === "j" ? fault(401, "no such key") : yes(request, number);
  const stub = await startStub(handler);
  const judged = PROJECT["cases/all.yaml"].replaceAll(
    "answer: { contains: yes }",
    "judge: { rubric: Says yes. }",
  );
  const cwd = repository({ ...PROJECT, "cases/all.yaml": judged }, { other: CANDIDATE });
  const env = { OPENAI_BASE_URL: stub.url, OPENAI_API_KEY: "stub-key-0123456789" };
  const args = ["run", "--baseline", "main", "--candidate", "other", "--run-id", "r1", "--trials", "40"];
  const run = await cli([...args, "--judge-model", "j"], { cwd, env });
  expect(run.stderr).toContain("stopped early: 8 calls of the judge in a row were refused (auth)");
  expect(stub.requests.length).toBeLessThanOrEqual(30);
  expect(run.code).toBe(3);
});

test("a server that never answers, whatever is tried, stops the run in the end; one that answered once does not", async () => {
  const dead = await runAgainst(() => fault(503, "Loading model"), 20);
  expect(dead.code).toBe(4);
  expect(dead.requests).toBeLessThanOrEqual(64 + 4);
  expect(dead.stderr).toContain(
    "stopped early: 64 trials in a row got no reply (server), and so would the rest: ",
  );
  const back = await runAgainst(
    (request, n) => (n < 50 || n > 150 ? yes(request, n) : fault(503, "busy")),
    20,
  );
  expect(back.requests).toBe(200);
  expect(back.stderr).not.toContain("stopped early");
});
