import { expect, test } from "vitest";
import { cli, commit, type Files, git, repository, writeFiles } from "../support/project.ts";
import { reply, startStub, type StubHandler } from "../support/stub-server.ts";
import { BETTER, LANGUAGE, SECRET, serverOf } from "./support.ts";

const wish = (n: number, says = "bright", more = "") => `id: wish-${n}
turns: [{ user: "Wish ${n}." }]
tools: [read_file]
expect: { completion: [{ answer: { contains: ${says} } }] }
${more}`;
const PROJECT: Files = {
  "prompts/base.md": `You run a home.${LANGUAGE}`,
  "cases/wishes.yaml": [1, 2, 3, 4].map((n) => wish(n)).join("---\n"),
  "evalkit.yaml": "model: stub-model\nretries: 0\ntrials: 1\ngate: { margin: 0.2 }\n",
};

/** The candidate's prompt makes wish 1 fail. */
const weak: StubHandler = ({ body }) => {
  const text = JSON.stringify(body.messages);
  return reply(text.includes("and well") && text.includes("Wish 1.") ? "dark" : "bright");
};

/** Checks the candidate branch out, as a CI job does, and runs it against main. */
async function inCi(changes: Files, env: Record<string, string> = {}, handler: StubHandler = weak) {
  const stub = await startStub(handler);
  const cwd = repository(PROJECT, { better: { ...BETTER, ...changes } });
  git(cwd, "checkout", "-q", "better");
  const run = await cli(["run", "--baseline", "main", "--candidate", "HEAD", "--run-id", "r"], {
    cwd,
    env: { ...serverOf(stub.url), CI: "true", ...env },
  });
  return { ...run, stub, cwd };
}

test.each([
  ["the gated metrics", "gate: { margin: 0.2, metrics: [turns] }", "gate.metrics"],
  ["the margin", "gate: { margin: 1 }", "gate.margin"],
  ["the level", "gate: { margin: 0.2, alpha: 0.000001 }", "gate.alpha"],
  ["the coverage floor", "gate: { margin: 0.2, coverage: 0 }", "gate.coverage"],
  ["what undecided means", "gate: { margin: 0.2, undecided: pass }", "gate.undecided"],
  ["whether critical cases count", "gate: { margin: 0.2, critical: false }", "gate.critical"],
  ["cases that may go", "gate: { margin: 0.2, allow-removed: [wish-1] }", "gate.allow-removed"],
  ["a filter", "gate: { margin: 0.2 }\nfilter: [wish-2]", "filter"],
  ["the cases folder", "gate: { margin: 0.2 }\ncases: [other]", "cases"],
  ["the judge", "gate: { margin: 0.2 }\njudge: { model: kind-judge }", "judge.model"],
  ["limits", "gate: { margin: 0.2 }\nlimits: { turns: 1 }", "limits.turns"],
])(
  "a branch that changes %s in its config does not pass by it: the change is named",
  async (_, lines, name) => {
    const { code, stdout } = await inCi({
      "evalkit.yaml": `model: stub-model\nretries: 0\ntrials: 1\n${lines}\n`,
      "other/x.yaml": wish(9),
    });
    expect([1, 3]).toContain(code);
    expect(stdout).toContain(name);
    expect(stdout).toMatch(/policy|config/i);
  },
);

test.each([
  ["base-url", (url: string) => `base-url: ${url}`],
  ["headers", () => "headers: { X-Leak: x }"],
  ["api-key", () => "api-key: none-0123456789"],
  ["judge.base-url", (url: string) => `judge: { model: j, base-url: ${url} }`],
])("a branch that sets %s is stopped in CI before a key leaves", async (name, line) => {
  const thief = await startStub(() => reply("bright"));
  const { code, stderr, stub } = await inCi(
    { "evalkit.yaml": `${PROJECT["evalkit.yaml"]}${line(thief.url)}\n` },
    name === "api-key" ? { OPENAI_API_KEY: "" } : { OPENAI_BASE_URL: "" },
  );
  expect(code).toBe(2);
  expect(stderr).toContain("connection-changed");
  expect(stderr).toContain(name);
  expect(thief.requests).toHaveLength(0);
  expect(stub.requests).toHaveLength(0);
});

test("a server given by the environment wins over a branch's: the key goes where the job says", async () => {
  const thief = await startStub(() => reply("bright"));
  const { stub } = await inCi({ "evalkit.yaml": `${PROJECT["evalkit.yaml"]}base-url: ${thief.url}\n` });
  expect(thief.requests).toHaveLength(0);
  expect(stub.requests[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
});

test.each([
  ["drops the case that fails", [2, 3, 4].map((n) => wish(n)).join("---\n"), "wish-1"],
  ["softens it", [wish(1, "dark"), ...[2, 3, 4].map((n) => wish(n))].join("---\n"), "wish-1"],
  ["renames it", [wish(7), ...[2, 3, 4].map((n) => wish(n))].join("---\n"), "wish-1"],
  ["drops all but one", wish(2), "wish-1"],
  [
    "takes its checks away",
    [wish(1).replace(/expect: .*/, "expect: {}"), ...[2, 3, 4].map((n) => wish(n))].join("---\n"),
    "wish-1",
  ],
])("a branch that %s does not pass by it: the case is named", async (_, cases, named) => {
  const { code, stdout } = await inCi({ "cases/wishes.yaml": cases });
  expect([1, 3]).toContain(code);
  expect(stdout).toContain(named);
  expect(stdout).toMatch(/removed|changed/);
});

test("a branch that deletes the config is held against the one it had", async () => {
  const { code, stdout } = await inCi(
    { "evalkit.yaml": null },
    { EVALKIT_MODEL: "stub-model", EVALKIT_TRIALS: "1" },
  );
  expect([1, 3]).toContain(code);
  expect(stdout).toContain("gate.margin");
});

test("the working tree's config and cases are in use, whatever a tag or branch is called", async () => {
  const { cwd, stub } = await inCi({});
  commit(cwd, {}, "more");
  git(cwd, "tag", "worktree");
  git(cwd, "branch", "dir:x-y".replace(":", "-"));
  const run = await cli(["run", "--baseline", "main", "--candidate", "worktree", "--run-id", "w"], {
    cwd,
    env: serverOf(stub.url),
  });
  expect(run.stdout).toContain("worktree");
  expect(run.code).not.toBe(2);
});

test("nor can it lead the judge's key elsewhere afterwards", async () => {
  const thief = await startStub(() => reply("1"));
  const { cwd, stub } = await inCi({});
  commit(
    cwd,
    { "evalkit.yaml": `${PROJECT["evalkit.yaml"]}judge: { model: j, base-url: ${thief.url} }\n` },
    "steal",
  );
  const env = { ...serverOf(stub.url), EVALKIT_JUDGE_API_KEY: SECRET };
  const judged = await cli(["judge", "r"], { cwd, env: { ...env, CI: "true" } });
  expect(judged.code).toBe(2);
  expect(judged.stderr).toContain("connection-changed");
  expect(thief.requests).toHaveLength(0);
});

test("outside of CI a changed server is told before it is asked", async () => {
  const other = await startStub(() => reply("bright"));
  const { stderr, code } = await inCi(
    { "evalkit.yaml": `${PROJECT["evalkit.yaml"]}base-url: ${other.url}\n` },
    { OPENAI_BASE_URL: "", CI: "" },
  );
  expect(code).not.toBe(2);
  expect(stderr).toContain("connection-changed");
});

/** A branch that names as the baseline a commit of its own. */
async function choosing(main = "", own = "baseline: better~1\n") {
  const stub = await startStub(weak);
  const config = PROJECT["evalkit.yaml"];
  const files = { ...PROJECT, "evalkit.yaml": `${config}${main}` };
  const cwd = repository(files, { better: { ...BETTER, "evalkit.yaml": `${config}${own}` } });
  git(cwd, "checkout", "-q", "better");
  commit(cwd, { "prompts/base.md": `You run a house.${LANGUAGE}` }, "choose");
  const run = (env: Record<string, string>, ...flags: string[]) =>
    cli(["run", "--candidate", "HEAD", ...flags], {
      cwd,
      env: { ...serverOf(stub.url), CI: "true", ...env },
    });
  return { cwd, run, stub };
}

test.each([
  ["main has none", "", {}],
  ["main names another", "baseline: main\n", {}],
  ["the job names the target", "baseline: main\n", { GITHUB_BASE_REF: "main" }],
  ["the target is not in the clone", "baseline: main\n", { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "stable" }],
])("a branch whose config names its own baseline is refused in CI: %s", async (_, main, env) => {
  const { run, stub } = await choosing(main);
  const refused = await run(env);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(
    'evalkit.yaml: error: the branch\'s own config names the baseline "better~1"',
  );
  expect(refused.stderr).toContain("baseline-from-config");
  expect(stub.requests).toHaveLength(0);
  expect((await run(env, "--baseline", "main")).code).not.toBe(2);
  expect((await run({ ...env, CI: "" })).stderr).not.toContain("baseline-from-config");
});

test.each([{}, { GITHUB_BASE_REF: "main" }])(
  "a baseline that main's config names too is used in CI (%o)",
  async (env) => {
    const { run } = await choosing("baseline: main\n", "baseline: main\n");
    const { code, stderr } = await run(env);
    expect(stderr).not.toContain("baseline-from-config");
    expect(code).not.toBe(2);
  },
);

test.each([
  ["doctor", ["doctor"]],
  ["mutate", ["mutate", "--trials", "1"]],
  ["run against a folder", ["run", "--baseline", "dir:old", "--candidate", "HEAD"]],
])(
  "nor does %s, which has no commit to hold it against, send the key to a branch's server",
  async (_, args) => {
    const thief = await startStub(() => reply("bright"));
    const stub = await startStub(() => reply("bright"));
    const cwd = repository(PROJECT, {
      better: { ...BETTER, "evalkit.yaml": `${PROJECT["evalkit.yaml"]}base-url: ${thief.url}\n` },
    });
    git(cwd, "checkout", "-q", "better");
    writeFiles(cwd, { "old/prompts/base.md": PROJECT["prompts/base.md"] ?? "" });
    const env = { OPENAI_API_KEY: SECRET, CI: "true" };
    const refused = await cli(args, { cwd, env });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("connection-changed");
    expect(refused.stderr).toContain("base-url");
    await cli(args, { cwd, env: { ...env, OPENAI_BASE_URL: stub.url } });
    expect(stub.requests.length).toBeGreaterThan(0);
    expect(thief.requests).toHaveLength(0);
  },
);

test("a server that main's config names is asked in CI, by doctor too", async () => {
  const stub = await startStub(() => reply("bright"));
  const config = `${PROJECT["evalkit.yaml"]}base-url: ${stub.url}\n`;
  const cwd = repository({ ...PROJECT, "evalkit.yaml": config }, { better: BETTER });
  git(cwd, "checkout", "-q", "better");
  const { stderr } = await cli(["doctor"], { cwd, env: { OPENAI_API_KEY: SECRET, CI: "true" } });
  expect(stderr).not.toContain("connection-changed");
  expect(stub.requests.length).toBeGreaterThan(0);
});
