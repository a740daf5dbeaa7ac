import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TrialLine } from "../../src/core/nouns/run.ts";
import { cli, repository, tempDir, writeFiles, type Files } from "../support/project.ts";
import { fault, reply, sse, type StubAnswer, type StubHandler, startStub } from "../support/stub-server.ts";
import { chunk, rawReply } from "../support/wire.ts";
import { BASE, readFixture, skill } from "./support.ts";

/** Faults that show only when a whole run meets a server: the built command, two versions in git, a stub server. */

const KEY = "test-key-0123456789abcdef";
const responses = (bug: string): StubAnswer[] => JSON.parse(readFixture(bug, "responses.json"));

/** Runs one case on two versions of a prompt; replies do not depend on the version. */
async function runCase(script: StubHandler, yaml: string, flags: readonly string[] = [], files: Files = {}) {
  const stub = await startStub(script);
  const config = "model: stub-model\nretries: 0\n";
  const cwd = repository(
    { "prompts/base.md": BASE, "cases/c.yaml": yaml, "evalkit.yaml": config, ...files },
    { next: { "prompts/base.md": `${BASE}Be brief.\n` } },
  );
  const env = { OPENAI_BASE_URL: stub.url, OPENAI_API_KEY: KEY };
  const args = [
    "run",
    "--baseline",
    "main",
    "--candidate",
    "next",
    "--trials",
    "1",
    "-j",
    "1",
    "--run-id",
    "r",
  ];
  const result = await cli([...args, ...flags], { cwd, env });
  const path = join(cwd, "reports/r/trials.jsonl");
  const trials = existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => TrialLine.parse(JSON.parse(line)))
    : [];
  return { ...result, cwd, stub, trials, args, env };
}

const TOOLS = `tools:
  - { name: add, results: [{ return: 7 }] }
  - { name: time, results: [{ return: noon }] }
`;
const callsOf = ({ trials }: { trials: TrialLine[] }) =>
  trials[0]?.events.flatMap((event) =>
    event.type === "reply" ? event.reply.calls.map((call) => `${call.name} ${call.arguments}`) : [],
  );

describe("streams of calls (BR-045)", () => {
  const piece = (...calls: object[]) => chunk({ tool_calls: calls });
  const named = (name: string, text: unknown, more: object = {}) => ({
    ...more,
    function: { name, arguments: text },
  });
  const end = chunk({}, "tool_calls");
  const stream = (body: string): StubAnswer => ({ headers: { "content-type": "text/event-stream" }, body });
  const zone = ['add {"a":1,"b":2}', 'time {"zone":"UTC"}'];
  const both = ['add {"a":1}', 'time {"z":1}'];

  test.each<[string, StubAnswer, string[]]>([
    ["without index", stream(readFixture("BR-045", "stream.txt")), zone],
    [
      "every index 0",
      sse([
        piece(named("add", '{"a":1}', { index: 0, id: "a" })),
        piece(named("time", '{"z":1}', { index: 0, id: "b" })),
        end,
      ]),
      both,
    ],
    [
      "interleaved",
      sse([
        piece(named("add", "", { index: 0, id: "a" }), named("time", '{"z"', { index: 1, id: "b" })),
        piece({ index: 1, function: { arguments: ":1}" } }, { index: 0, function: { arguments: '{"a":1}' } }),
        end,
      ]),
      both,
    ],
    [
      "without id or index",
      sse([
        piece(named("add", '{"a":')),
        piece({ function: { arguments: "1}" } }),
        piece(named("time", '{"z":1}')),
        end,
      ]),
      both,
    ],
    [
      "ids null or empty in later pieces",
      sse([
        piece(named("add", '{"a":', { id: "a" })),
        piece({ id: null, function: { name: null, arguments: "1}" } }),
        piece(named("time", { z: 1 }, { id: "" })),
        end,
      ]),
      both,
    ],
    ["no finish reason", sse([piece(named("add", "{}", { index: 0, id: "a" }))]), ["add {}"]],
  ])("%s", async (_what, answer, expected) => {
    const run = await runCase(
      ({ body }) => (body.messages?.at(-1)?.role === "tool" ? reply("done") : answer),
      `turns: [{ user: Go. }]\n${TOOLS}`,
    );
    expect(callsOf(run)).toEqual(expected);
    expect(run.trials.map(({ status, answer: said }) => [status, said])).toEqual([
      ["finished", "done"],
      ["finished", "done"],
    ]);
  });

  test("a stream that breaks off is no answer", async () => {
    const run = await runCase(() => sse([chunk({ content: "hal" })], false), "turns: [{ user: Go. }]\n");
    expect(run.code).toBe(4);
    expect(run.trials[0]).toMatchObject({ status: "broken", outcome: { failure: { kind: "cut-off" } } });
  });
});

describe("answers that are none", () => {
  test("200 with an error, no choices, HTML, nothing: tried again as what it is (BR-055)", async () => {
    const html = { headers: { "content-type": "text/html" }, body: "<html><title>Busy</title></html>" };
    const script = [...responses("BR-055").slice(0, 2), html, { body: "" }, reply("ok"), reply("ok")];
    const run = await runCase((_, n) => script[n] ?? reply("ok"), "turns: [{ user: Go. }]\n", [
      "--retries",
      "3",
    ]);
    expect(run.trials.map(({ answer }) => answer)).toEqual(["ok", "ok"]);
    const untried = await runCase(() => script[0] ?? {}, "turns: [{ user: Go. }]\n");
    expect(untried.stderr).toContain("upstream is busy");
    expect(untried.trials[0]).toMatchObject({ outcome: { failure: { kind: "rate-limited", status: 429 } } });
  });

  test("a forced choice that yields no call is an error of the set-up (BR-057)", async () => {
    const run = await runCase(() => reply("I would."), `turns: [{ user: Go. }]\n${TOOLS}`, [], {
      "evalkit.yaml": "model: stub-model\nretries: 2\nrequest: { tool_choice: required }\n",
    });
    expect(run.code).toBe(4);
    expect(run.stub.requests).toHaveLength(2);
    expect(run.stderr).toContain("tool_choice forces a tool call and the reply holds none");
  });

  test("one part without its list, a number, half a character are text (BR-059)", async () => {
    const contents = [{ type: "text", text: "part" }, 42, "a\ud83e b"];
    const run = await runCase(
      (_, n) => rawReply({ role: "assistant", content: contents[n % 3] }),
      "turns: [{ user: Go. }]\n",
      ["--trials", "3", "--no-stream"],
    );
    expect([...new Set(run.trials.map(({ answer }) => answer))].sort()).toEqual(["42", "a\uFFFD b", "part"]);
    expect(readFileSync(join(run.cwd, "reports/r/trials.jsonl"), "utf8")).not.toContain("\\ud83e");
  });
});

describe("exit codes (BR-061)", () => {
  const NEVER =
    "turns: [{ user: Say yes. }]\nexpect: { completion: [{ answer: { contains: no-such-text } }] }\n";
  const yes = () => responses("BR-061")[0] ?? {};

  test("a case that fails in both versions is no pass, a critical one fails", async () => {
    expect((await runCase(yes, NEVER)).code).toBe(3);
    expect((await runCase(yes, `critical: true\n${NEVER}`)).code).toBe(1);
  });

  test("nothing chosen is bad input, nothing expected is no pass", async () => {
    expect((await runCase(yes, NEVER, ["--filter", "nothing"])).code).toBe(2);
    const partly = await runCase(yes, NEVER, ["--filter", "*", "nothing"]);
    expect(partly.code).toBe(2);
    expect(partly.stderr).toContain('no case matches "nothing"');
    expect((await runCase(yes, NEVER, ["--filter", "*", "!nothing"])).code).not.toBe(2);
    expect((await runCase(yes, "turns: [{ user: Hi. }]\n")).code).toBe(3);
  });
});

test("a key that a message or a tool result echoes is masked wherever it is written (BR-075)", async () => {
  const run = await runCase(
    (_, n) => (n === 0 ? reply({ calls: [{ name: "env" }] }) : (responses("BR-075")[0] ?? {})),
    `turns: [{ user: "My key is ${KEY}." }]\ntools: [{ name: env, results: [{ return: "OPENAI_API_KEY=${KEY}" }] }]\n`,
    ["--replay", "auto"],
  );
  expect(run.code).toBe(4);
  for (const folder of ["reports", "recordings"]) {
    for (const entry of readdirSync(join(run.cwd, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
      expect(text).not.toContain(KEY);
      expect(text.toLowerCase()).not.toContain("authorization");
    }
  }
  expect(`${run.stdout}${run.stderr}`).not.toContain(KEY);
});

test("runs started together have folders of their own; a name taken is refused (BR-079)", async () => {
  const run = await runCase(() => reply("ok"), "turns: [{ user: Go. }]\n");
  const start = (args: readonly string[]) => cli(args, { cwd: run.cwd, env: run.env });
  const unnamed = run.args.filter((arg) => arg !== "--run-id" && arg !== "r");
  const together = await Promise.all([start(unnamed), start(unnamed), start(unnamed)]);
  expect(together.map(({ code }) => code)).toEqual([3, 3, 3]);
  const folders = readdirSync(join(run.cwd, "reports")).filter((name) => name !== ".gitkeep");
  expect(folders).toHaveLength(4);
  for (const folder of folders) {
    const lines = readFileSync(join(run.cwd, "reports", folder, "trials.jsonl"), "utf8")
      .trim()
      .split("\n");
    expect(lines).toHaveLength(2);
  }
  const again = await start(run.args);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("exists already")]);
});

test("a user's copy of a skill reaches no arm that did not ask for it (BR-083)", async () => {
  const home = tempDir();
  writeFiles(home, { ".evalkit/skills/fmt/SKILL.md": readFixture("BR-083", "user/skills/fmt/SKILL.md") });
  const stub = await startStub(() => reply("ok"));
  const cwd = repository({
    "prompts/base.md": BASE,
    "skills/fmt/SKILL.md": skill("fmt", "House style.", "Be brief."),
    "cases/c.yaml": "turns: [{ user: Go. }]\n",
  });
  const args = [
    "run",
    "--baseline",
    "main+skill:fmt=off",
    "--candidate",
    "main",
    "--model",
    "m",
    "--run-id",
    "r",
  ];
  await cli([...args, "--trials", "1"], {
    cwd,
    env: { HOME: home, OPENAI_BASE_URL: stub.url, OPENAI_API_KEY: KEY },
  });
  const { arms } = JSON.parse(readFileSync(join(cwd, "reports/r/run.json"), "utf8"));
  expect(arms.baseline.skills).toMatchObject([{ name: "fmt", tier: "builtin", enabled: false }]);
  expect(arms.candidate.skills).toMatchObject([{ name: "fmt", tier: "builtin", enabled: true }]);
  expect(arms.baseline.digest).not.toBe(arms.candidate.digest);
  expect(stub.requests.some(({ text }) => text.includes("capitals") || text.includes("Must not reach"))).toBe(
    false,
  );
});

test("--json prints JSON alone, with warnings raised and trials broken (BR-101)", async () => {
  const run = await runCase(() => fault(500, "boom"), "turns: [{ user: Go. }]\n", ["--json"]);
  expect(JSON.parse(run.stdout)).toMatchObject({ schema: "evalkit.summary/1", gate: { exitCode: 4 } });
  expect(run.stderr).toContain("warning:");
  expect(run.stderr).toContain("boom");
});

test("a header that says something is part of a recording's key; keys and the machine's own are not", async () => {
  const open = (beta: string) =>
    `model: stub-model\nheaders: { x-beta: ${beta}, x-api-key: "\${THE_KEY}", x-host: "\${HOST_NAME}" }\n`;
  const yaml = "turns: [{ user: Hi. }]\nexpect: { completion: [{ answer: { contains: ok } }] }\n";
  const stub = await startStub(() => reply("ok"));
  const cwd = repository(
    { "prompts/base.md": BASE, "cases/c.yaml": yaml },
    { next: { "prompts/base.md": `${BASE}Be brief.\n` } },
  );
  const asked = async (beta: string, env: Record<string, string>, ...more: string[]) => {
    writeFiles(cwd, { "evalkit.yaml": open(beta) });
    const before = stub.requests.length;
    const args = ["run", "--baseline", "main", "--candidate", "next", "--trials", "1", ...more];
    const { stderr } = await cli(args, { cwd, env: { OPENAI_BASE_URL: stub.url, ...env } });
    return { calls: stub.requests.length - before, stderr };
  };
  const here = { THE_KEY: "made-up-key-of-this-host", HOST_NAME: "this-host" };
  expect((await asked("one", here)).calls).toBe(2);
  expect((await asked("one", { THE_KEY: "made-up-key-of-another", HOST_NAME: "another" })).calls).toBe(0);
  expect((await asked("two", here, "--replay", "strict")).stderr).toContain("headers of the config: ");
  expect((await asked("two", here)).calls).toBe(2);
  const kept = readFileSync(join(cwd, "recordings/c.jsonl"), "utf8");
  expect(kept).not.toMatch(/made-up-key|this-host|x-beta/);
});
