import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { schedule } from "../src/run/schedule.ts";
import { caseOf } from "./loop/support.ts";
import { cli, commit, git, repository, startCli, writeFiles } from "./support/project.ts";
import { fault, reply, startStub, type StubHandler } from "./support/stub-server.ts";

const LANGUAGE = "\n## Language\n\nAnswer in English.\n";
const CASES = Array.from(
  { length: 6 },
  (_, n) => `id: wish-${n}
turns: [{ user: "Wish ${n}: make it bright." }]
tools:
  - name: light
    description: Switches the light.
    parameters: { type: object, properties: { state: { enum: [on, off] } }, required: [state] }
    results: [{ return: done }]
expect:
  tools: { calls: [{ name: light, args: { state: on } }] }
  completion: [{ answer: { contains: bright } }]
intent: The light is switched on.
`,
).join("---\n");
const PROJECT = {
  "prompts/base.md": `You run a home.${LANGUAGE}`,
  "cases/wishes.yaml": CASES,
  "evalkit.yaml": "model: stub-model\nretries: 0\ngate: { metrics: [toolCallAccuracy] }\n",
};
const BETTER = { "prompts/base.md": `You run a home. RULE: bright means light on.${LANGUAGE}` };

/** Follows the rule where the system prompt holds it; else switches the light off. */
const obedient: StubHandler = ({ body }) => {
  const [system] = body.messages ?? [];
  const last = body.messages?.at(-1);
  if (last?.role === "tool") return reply("It is bright now.");
  const knows = system?.content.includes("RULE") === true;
  return reply({ calls: [{ name: "light", arguments: { state: knows ? "on" : "off" } }] });
};
const serverOf = (url: string) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: "stub-key-0123456789" });
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));
const linesOf = (...path: string[]) =>
  readFileSync(join(...path), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

test("the main job: two branches in, trials, table, reports, verdict and exit code out", async () => {
  const stub = await startStub(obedient);
  const cwd = repository(PROJECT, { better: BETTER });
  writeFiles(cwd, { "prompts/base.md": "a dirty tree is not read" });

  const run = await cli(["run", "--baseline", "main", "--candidate", "better", "--run-id", "r1"], {
    cwd,
    env: serverOf(stub.url),
  });

  expect({ code: run.code, stderr: run.stderr }).toMatchObject({ code: 0 });
  expect(run.stdout).toContain("passed");
  expect(run.stderr).toContain("36 trials: 6 cases in two arms");
  expect(stub.requests).toHaveLength(72);
  const summary = readJson(cwd, "reports/r1/summary.json");
  expect(summary.gate).toMatchObject({ verdict: "passed", exitCode: 0 });
  expect(summary.arms.baseline.metrics.toolCallAccuracy.mean).toBe(0);
  expect(summary.arms.candidate.metrics.toolCallAccuracy.mean).toBe(1);
  expect(summary.arms.candidate.trials).toEqual({ planned: 18, finished: 18, stopped: 0, broken: 0 });
  const record = readJson(cwd, "reports/r1/run.json");
  expect(record.arms.baseline.commit).toBe(git(cwd, "rev-parse", "main").trim());
  expect(record.commits.map((item: { subject: string }) => item.subject)).toEqual(["Change for better"]);
  expect(linesOf(cwd, "reports/r1/trials.jsonl")).toHaveLength(36);
  expect(readFileSync(join(cwd, "reports/r1/report.md"), "utf8")).toContain("RULE: bright means light on.");
  expect(existsSync(join(cwd, "reports/r1/report.html"))).toBe(true);
  expect(readFileSync(join(cwd, "prompts/base.md"), "utf8")).toBe("a dirty tree is not read");
});

test("a regression exits 1 and names the cases", async () => {
  const stub = await startStub(obedient);
  const cwd = repository(
    { ...PROJECT, ...BETTER },
    { worse: { "prompts/base.md": PROJECT["prompts/base.md"] } },
  );
  const run = await cli(["run", "--baseline", "main", "--candidate", "worse"], {
    cwd,
    env: serverOf(stub.url),
  });
  expect(run.code).toBe(1);
  expect(run.stdout).toContain("failed");
  expect(run.stdout).toContain("wish-0");
});

test("--json prints the summary and nothing else on stdout", async () => {
  const stub = await startStub(obedient);
  const cwd = repository(PROJECT, { better: BETTER });
  const run = await cli(["run", "--baseline", "main", "--candidate", "better", "--json"], {
    cwd,
    env: serverOf(stub.url),
  });
  expect(JSON.parse(run.stdout).schema).toBe("evalkit.summary/1");
});

test("recordings are replayed without a server, and marked; a strict miss is a broken trial that says why", async () => {
  const stub = await startStub(obedient);
  const cwd = repository(PROJECT, { better: BETTER });
  const args = ["run", "--baseline", "main", "--candidate", "better", "--trials", "2"];
  await cli(args, { cwd, env: serverOf(stub.url) });
  await stub.close();

  const replayed = await cli([...args, "--run-id", "again"], { cwd });
  expect(replayed.code).toBe(0);
  expect(linesOf(cwd, "reports/again/trials.jsonl").every((line) => line.replies === "replayed")).toBe(true);

  const missed = await cli([...args, "--trials", "3", "--replay", "strict", "--run-id", "more"], { cwd });
  const broken = linesOf(cwd, "reports/more/trials.jsonl").filter((line) => line.status === "broken");
  expect(broken).toHaveLength(12);
  expect(broken[0].outcome.failure).toMatchObject({ kind: "replay-miss" });
  expect(broken[0].outcome.failure.message).toContain("recorded");
  expect(missed.code).toBe(3);
});

test("a server that only fails: every trial is broken, none is a zero, exit 4", async () => {
  const stub = await startStub(() => fault(500, "boom"));
  const cwd = repository(PROJECT, { better: BETTER });
  const run = await cli(
    ["run", "--baseline", "main", "--candidate", "better", "--run-id", "r1", "--trials", "1"],
    { cwd, env: serverOf(stub.url) },
  );
  const summary = readJson(cwd, "reports/r1/summary.json");
  expect(run.code).toBe(4);
  expect(summary.arms.candidate.metrics.taskCompletion.mean).toBeNull();
  expect(summary.arms.candidate.trials.broken).toBe(6);
  expect(summary.gate.verdict).toBe("undecided");
});

test.each([
  { name: "a missing ref", args: ["--baseline", "man"], files: {}, says: "man" },
  { name: "equal arms", args: ["--baseline", "main", "--candidate", "main"], files: {}, says: "equal-arms" },
  { name: "no baseline", args: ["--candidate", "main"], files: {}, says: "no-baseline" },
  {
    name: "an unknown key in a case",
    args: [],
    files: { "cases/x.yaml": "turns: [{ user: hi }]\nexpct: {}\n" },
    says: "cases/x.yaml:2",
  },
  {
    name: "an unknown key in the config",
    args: [],
    files: { "evalkit.yaml": "modle: x\n" },
    says: "evalkit.yaml:1",
  },
  { name: "no model", args: [], files: { "evalkit.yaml": "retries: 0\n" }, says: "no-model" },
  { name: "a case filter that matches nothing", args: ["--filter", "zzz*"], files: {}, says: "zzz*" },
  { name: "a mistyped flag", args: ["--basline", "main"], files: {}, says: "--baseline" },
  { name: "a number that is none", args: ["--trials", "many"], files: {}, says: "--trials" },
])("bad input ($name): exit 2, said plainly, no model call", async ({ args, files, says }) => {
  const stub = await startStub(obedient);
  const cwd = repository(PROJECT, { better: BETTER });
  writeFiles(cwd, files);
  const base =
    args.length > 0 && args.some((arg) => arg.startsWith("--bas") || arg.startsWith("--cand"))
      ? []
      : ["--baseline", "main", "--candidate", "better"];
  const run = await cli(["run", ...base, ...args], { cwd, env: serverOf(stub.url) });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain(says);
  expect(run.stdout).toBe("");
  expect(stub.requests).toHaveLength(0);
  expect(existsSync(join(cwd, "reports"))).toBe(false);
});

test("no call in a whole run though cases need them: a note sends to the doctor; one call and there is none", async () => {
  const cwd = repository(PROJECT, { better: BETTER });
  const args = ["run", "--baseline", "main", "--candidate", "better", "--trials", "1", "--replay", "off"];
  const deaf = await startStub(() => reply("I can't do that."));
  const none = await cli([...args, "--run-id", "none"], { cwd, env: serverOf(deaf.url) });
  const said = "no tool was called in any of 12 trials, though 6 cases needed calls: `evalkit doctor` tells";
  expect(none.stderr).toContain(said);
  expect(readFileSync(join(cwd, "reports/none/report.md"), "utf8")).toContain(
    "no tool was called in any of 12",
  );
  const rare = await startStub((asked, n) => (n === 0 ? obedient(asked, n) : reply("No.")));
  const one = await cli([...args, "--run-id", "one"], { cwd, env: serverOf(rare.url) });
  expect(one.stderr).not.toContain("no tool was called");
});

test("no server and no recordings: exit 2 that says what to set", async () => {
  const cwd = repository(PROJECT, { better: BETTER });
  const run = await cli(["run", "--baseline", "main", "--candidate", "better"], { cwd });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("OPENAI_API_KEY");
});

test("Ctrl-C ends at once with what is there, exit 130, and --resume runs the rest to the same summary", async () => {
  let calls = 0;
  const stub = await startStub(async (request, n) => {
    calls += 1;
    return calls > 24 ? { hang: true } : obedient(request, n);
  });
  const cwd = repository(PROJECT, { better: BETTER });
  const args = [
    "run",
    "--baseline",
    "main",
    "--candidate",
    "better",
    "--run-id",
    "r1",
    "--replay",
    "off",
    "-j",
    "4",
  ];
  const started = startCli(args, { cwd, env: serverOf(stub.url) });
  while (calls < 25) await new Promise((tick) => setTimeout(tick, 20));
  started.kill("SIGINT");
  const stopped = await started.done;
  expect(stopped.code).toBe(130);
  expect(stopped.stderr).toContain("--resume r1");
  const before = linesOf(cwd, "reports/r1/trials.jsonl");
  expect(before.length).toBeGreaterThan(0);
  expect(before.every((line) => line.status === "finished")).toBe(true);

  const fresh = await startStub(obedient);
  commit(cwd, { "prompts/base.md": `Something else.${LANGUAGE}` }, "main moves on");
  const resumed = await cli(["run", "--resume", "r1", "--quiet"], { cwd, env: serverOf(fresh.url) });
  expect(resumed.code).toBe(0);
  expect(linesOf(cwd, "reports/r1/trials.jsonl").slice(0, before.length)).toEqual(before);
  expect(fresh.requests).toHaveLength((36 - before.length) * 2);

  const whole = await cli(
    [
      ...args.slice(0, 5).map((arg) => (arg === "main" ? "main~1" : arg)),
      "--run-id",
      "whole",
      "--replay",
      "off",
    ],
    { cwd, env: serverOf(fresh.url) },
  );
  expect(whole.code).toBe(0);
  // Times differ from run to run, and so do labels and ids; everything else is the same.
  const same = (id: string) => {
    const { comparisons, cases, gate } = readJson(cwd, `reports/${id}/summary.json`);
    return {
      cases,
      gate,
      comparisons: comparisons.filter((one: { metric: string }) => one.metric !== "seconds"),
    };
  };
  expect(same("r1")).toEqual(same("whole"));
});

test("broken trials are run again with --retry-broken and kept aside", async () => {
  let sick = true;
  const stub = await startStub((request, n) =>
    sick && n % 3 === 0 ? fault(500, "boom") : obedient(request, n),
  );
  const cwd = repository(PROJECT, { better: BETTER });
  const first = await cli(["run", "--baseline", "main", "--candidate", "better", "--run-id", "r1"], {
    cwd,
    env: serverOf(stub.url),
  });
  expect(first.code).toBe(3);
  sick = false;
  const again = await cli(["run", "--resume", "r1", "--retry-broken"], { cwd, env: serverOf(stub.url) });
  expect(again.code).toBe(0);
  expect(linesOf(cwd, "reports/r1/trials.jsonl")).toHaveLength(36);
  expect(linesOf(cwd, "reports/r1/broken.jsonl").length).toBeGreaterThan(0);
});

test("two runs of one id: the second is refused and the first untouched; ids made by evalkit never meet", async () => {
  const stub = await startStub(obedient);
  const cwd = repository(PROJECT, { better: BETTER });
  const args = ["run", "--baseline", "main", "--candidate", "better", "--trials", "1"];
  const env = serverOf(stub.url);
  const [a, b] = await Promise.all([
    cli([...args, "--run-id", "x"], { cwd, env }),
    cli([...args, "--run-id", "x"], { cwd, env }),
  ]);
  expect([a.code, b.code].sort()).toEqual([0, 2]);
  await Promise.all([cli(args, { cwd, env }), cli(args, { cwd, env })]);
  expect(readdirSync(join(cwd, "reports")).length).toBe(3);
});

test("the key is in no file, even when the server quotes it", async () => {
  const stub = await startStub(() => reply("Your key is stub-key-0123456789 and bright."));
  const cwd = repository(PROJECT, { better: BETTER });
  await cli(["run", "--baseline", "main", "--candidate", "better", "--run-id", "r1", "--trials", "1"], {
    cwd,
    env: serverOf(stub.url),
  });
  const files = readdirSync(cwd, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.(jsonl?|md|html)$/.test(file) && !file.startsWith(".git/"),
  );
  expect(files.length).toBeGreaterThan(4);
  expect(
    files.filter((file) => readFileSync(join(cwd, file), "utf8").includes("stub-key-0123456789")),
  ).toEqual([]);
});

test("an A/A run: equal arms, each with replies of its own", async () => {
  const stub = await startStub(obedient);
  const cwd = repository({ ...PROJECT, ...BETTER });
  const run = await cli(["run", "--aa", "--baseline", "main", "--trials", "1", "--run-id", "aa"], {
    cwd,
    env: serverOf(stub.url),
  });
  expect(run.code).not.toBe(2);
  expect(stub.requests).toHaveLength(24);
  const again = await cli(
    ["run", "--aa", "--baseline", "main", "--trials", "1", "--replay", "strict", "--run-id", "aa2"],
    { cwd },
  );
  expect(readJson(cwd, "reports/aa2/summary.json").arms.candidate.trials.finished).toBe(6);
  expect(again.code).toBe(run.code);
});

test("placeholders of mode files are filled in a plan trial, and nothing stands in their way before it", async () => {
  const stub = await startStub(({ body }) =>
    (body.messages ?? []).length === 2 && body.messages?.[0]?.content.includes("PLANNER") === true
      ? reply(
          '{"summary":"s","tasks":[{"id":"t1","description":"Switch it on","type":"ACTION","dependencies":[]}]}',
        )
      : reply("bright"),
  );
  const plan = {
    "prompts/modes/planner.md": "PLANNER for {{goal}}",
    "prompts/modes/plan.md": "Task {{taskId}}: {{taskDescription}}",
  };
  const files = {
    ...PROJECT,
    ...plan,
    "cases/wishes.yaml":
      "id: p\nmode: plan\nturns: [{ user: Make it bright. }]\nexpect: { completion: [{ answer: { contains: bright } }] }\n",
  };
  const cwd = repository(files, { better: BETTER });
  const run = await cli(
    ["run", "--baseline", "main", "--candidate", "better", "--trials", "1", "--run-id", "r1"],
    { cwd, env: serverOf(stub.url) },
  );
  expect(run.stderr).not.toContain("error");
  expect(linesOf(cwd, "reports/r1/trials.jsonl").map((line) => line.status)).toEqual([
    "finished",
    "finished",
  ]);
  const systems = stub.requests.map(({ body }) => body.messages?.[0]?.content ?? "");
  expect(systems.some((text) => text.includes("PLANNER for Make it bright."))).toBe(true);
  expect(systems.some((text) => text.includes("Task t1: Switch it on"))).toBe(true);
});

test("a resumed run's notes tell of the run as it is now, and --trials can't change it", async () => {
  let sick = true;
  const stub = await startStub((request, n) =>
    sick && n % 2 === 0 ? fault(500, "boom") : obedient(request, n),
  );
  const cwd = repository(PROJECT, { better: BETTER });
  const args = [
    "run",
    "--baseline",
    "main",
    "--candidate",
    "better",
    "--run-id",
    "r1",
    "--trials",
    "1",
    "--replay",
    "off",
  ];
  await cli(args, { cwd, env: serverOf(stub.url) });
  expect(readJson(cwd, "reports/r1/run.json").notes.join(" ")).toContain("broken (server)");
  const other = await cli(["run", "--resume", "r1", "--trials", "7"], { cwd, env: serverOf(stub.url) });
  expect(other.code).toBe(2);
  expect(other.stderr).toContain("the number of trials");
  sick = false;
  await cli(["run", "--resume", "r1", "--retry-broken"], { cwd, env: serverOf(stub.url) });
  expect(readJson(cwd, "reports/r1/run.json").notes.join(" ")).not.toContain("broken (server)");
});

test("compare across runs names both models and warns that more than the prompt differs", async () => {
  const stub = await startStub(obedient);
  const cwd = repository(PROJECT, { better: BETTER });
  const args = ["run", "--baseline", "main", "--candidate", "better", "--trials", "1"];
  await cli([...args, "--run-id", "one"], { cwd, env: serverOf(stub.url) });
  await cli([...args, "--run-id", "two", "--model", "other-model"], { cwd, env: serverOf(stub.url) });
  const compared = await cli(["compare", "one#candidate", "two#candidate"], { cwd });
  expect(compared.stdout).toContain("stub-model and other-model");
  expect(compared.stdout).not.toContain("made elsewhere");
  expect(compared.stdout.replaceAll(/\s+/g, " ")).toContain(
    "the models differ: stub-model against other-model",
  );
});

test("which version goes first alternates: neither always finds what the other has warmed", () => {
  const cases = ["a", "b"].map((id) => caseOf({ id }));
  const order = [...schedule(cases, 2, new Set())].map(({ key }) => `${key.case}${key.trial} ${key.arm}`);
  expect(order).toEqual([
    ...["a1 baseline", "a1 candidate", "b1 candidate", "b1 baseline"],
    ...["a2 candidate", "a2 baseline", "b2 baseline", "b2 candidate"],
  ]);
});
