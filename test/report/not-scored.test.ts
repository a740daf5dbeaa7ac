import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { summarise } from "../../src/core/summary/summarise.ts";
import { cases, plan, row } from "../verdict/results.ts";
import { evalkit } from "../support/in-process.ts";
import { repository } from "../support/project.ts";
import { reply, startStub } from "../support/stub-server.ts";

const LANGUAGE = "\n## Language\n\nAnswer in English.\n";
const CASES = `id: hours
turns: [{ user: "When are you open?" }]
expect:
  completion:
    - answer: { contains: 9 to 17 }
    - judge: { rubric: It is polite. }
---
id: greeting
turns: [{ user: Hello }]
expect: { completion: [{ answer: { contains: Hello } }] }
---
id: polite
turns: [{ user: Hello }]
expect: { completion: [{ judge: { rubric: It is polite. } }] }
`;
const PROJECT = {
  "prompts/base.md": `Hours are 9 to 17.${LANGUAGE}`,
  "cases/desk.yaml": CASES,
  "evalkit.yaml": "model: stub-model\nretries: 0\ntrials: 2\ngate: { metrics: [taskCompletion] }\n",
};

test("a trial whose judge check got no verdict is called passed nowhere, and its failed check is seen everywhere", async () => {
  const stub = await startStub(({ body }) =>
    reply(body.messages?.[0]?.content.includes("9 to 17") ? "Hello, 9 to 17." : "Hello! How can I help?"),
  );
  const cwd = repository(PROJECT, { shorter: { "prompts/base.md": `Be brief.${LANGUAGE}` } });
  const arms = ["--baseline", "main", "--candidate", "shorter"];
  const run = await evalkit(cwd, "run", ...arms, "--run-id", "r", "--base-url", stub.url);

  expect(run.err).toContain("taskCompletion is not scored in hours, polite");
  expect(run.out.replace(/\s+/g, " ")).toContain(
    "hours (baseline 2 of 2 trials; candidate 2 of 2 trials, a check failed in 2: completion[1]: no judge is set up)",
  );
  const summary = JSON.parse(readFileSync(join(cwd, "reports/r/summary.json"), "utf8"));
  expect(summary.cases.find(({ id }: { id: string }) => id === "hours").candidate).toMatchObject({
    taskCompletion: null,
    notScored: { trials: 2, failedChecks: 2 },
  });
  expect(summary.arms.candidate.passHatK["2"]).toBe(1);

  const one = await evalkit(cwd, "show", "r", "hours", "--arm", "candidate");
  expect(one.out).toContain(
    "trials of the candidate: 1 not scored, a check failed; 2 not scored, a check failed",
  );
  expect(one.out).toMatch(/✗ completion\[0\].answer/);
  const all = await evalkit(cwd, "show", "r");
  expect(all.out).toContain("candidate: 2 not scored though a check failed of 2 trials");
  expect(all.out).toMatch(/✗ completion\[0\].answer[^\n]*\[trial 1, 2\]/);
  expect(all.out).not.toContain("polite");

  const report = readFileSync(join(cwd, "reports/r/report.md"), "utf8");
  expect(report).toContain("2 trials without a verdict (a check failed in 2)");
  expect(report).not.toMatch(/`hours`[^\n]*of \d pass/);
  const page = readFileSync(join(cwd, "reports/r/report.html"), "utf8");
  expect(page).toContain("0 of 2 trials passed, 2 not scored");
  expect(page).toContain("a trial that is not scored, with a failed check");
  const junit = await evalkit(cwd, "report", "r", "--format", "junit");
  expect(junit.out).toMatch(
    /name="hours">\s*<skipped message="not scored in 2 of 2 trials; another check failed in 2: completion\[1\]/,
  );
  expect(junit.out).toMatch(/name="greeting"\/>/);
  await stub.close();
});

test("the gate stays open where a check fails more often among what has no verdict, and names what was left out", () => {
  const open = (failed: number) => ({ open: { reason: "no judge is set up", failed } });
  const hours = (arm: "baseline" | "candidate", failed: number) =>
    [1, 2].map((trial) => ({ ...row("hours", arm, trial, {}), ...open(failed) }));
  const verdict = (before: number, after: number) =>
    summarise(plan(), [...cases(60, "11", "11"), ...hours("baseline", before), ...hours("candidate", after)])
      .gate;
  expect(verdict(0, 1)).toMatchObject({
    verdict: "undecided",
    reasons: expect.arrayContaining([
      expect.objectContaining({ code: "not-scored-failing", cases: ["hours"] }),
    ]),
  });
  for (const failed of [0, 1])
    expect(verdict(failed, failed)).toMatchObject({
      verdict: "passed",
      reasons: expect.arrayContaining([expect.objectContaining({ code: "not-scored", cases: ["hours"] })]),
    });
});

test("a critical case with a failed check fails the gate, and one without any verdict leaves it open", async () => {
  const stub = await startStub(({ body }) =>
    reply(body.messages?.[0]?.content.includes("9 to 17") ? "Hello, 9 to 17." : "Hello! How can I help?"),
  );
  const critical = CASES.replaceAll("\nturns", "\ncritical: true\nturns");
  const cwd = repository(
    { ...PROJECT, "cases/desk.yaml": critical },
    { shorter: { "prompts/base.md": `Be brief.${LANGUAGE}` } },
  );
  const arms = ["--baseline", "main", "--candidate", "shorter"];
  const run = await evalkit(cwd, "run", ...arms, "--run-id", "r", "--base-url", stub.url);

  expect({ code: run.code, err: run.err }).toMatchObject({ code: 1 });
  const { gate } = JSON.parse(readFileSync(join(cwd, "reports/r/summary.json"), "utf8"));
  expect(gate.reasons).toContainEqual(expect.objectContaining({ code: "critical-failed", cases: ["hours"] }));
  expect(gate.reasons).toContainEqual(
    expect.objectContaining({ code: "critical-unknown", cases: ["polite"] }),
  );
  const junit = await evalkit(cwd, "report", "r", "--format", "junit");
  expect(junit.out).toMatch(/name="hours">\s*<failure message="a critical case fails/);
  await stub.close();
});
