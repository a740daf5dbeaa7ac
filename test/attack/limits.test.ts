import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, type Files, repository } from "../support/project.ts";
import { reply, startStub, type StubHandler } from "../support/stub-server.ts";
import { BETTER, PROJECT, RUN, serverOf, trialsOf } from "./support.ts";

async function run(files: Files, handler: StubHandler, ...more: string[]) {
  const stub = await startStub(handler);
  const cwd = repository({ ...PROJECT, ...files }, { better: BETTER });
  const result = await cli([...RUN, ...more], { cwd, env: serverOf(stub.url) });
  return { ...result, cwd, stub };
}
const checked = (check: string, more = "") =>
  `id: wish\nturns: [{ user: "Go." }]\ntools: [read_file]\nexpect: { completion: [${check}] }\n${more}`;

const A = "a".repeat(200_000);
test.each([
  `{ answer: { regex: "^(a+)+$" } }`,
  `{ answer: { regex: "(a|aa)+b" } }`,
  `{ answer: { regex: "(.*)*(.*)*x$", ignoreCase: true } }`,
  `{ answer: { regex: "^(([a-z])+.)+[A-Z]([a-z])+$" } }`,
  `{ answer: { regex: "(a{1,500}){1,2}b" } }`,
  `{ answer: { contains: ["${"a".repeat(5000)}b", "b"] } }`,
  `{ answer: { jsonSchema: { type: string, pattern: "^(a+)+$" } } }`,
])("a pattern of a case that explodes in other engines (%s) is done soon on a long answer", async (check) => {
  const { code, stderr, cwd } = await run({ "cases/wish.yaml": checked(check) }, () => reply(`${A}!`));
  expect({ code, stderr }).toMatchObject({ code: 3 });
  expect(trialsOf(cwd).map(({ status }) => status)).toEqual(["finished", "finished"]);
});

test.each([
  "((a{0,100}){0,100}){0,100}",
  "(?=a)b",
  String.raw`(a)\\1`,
  "(".repeat(900),
  "a{100000}",
  `(${"a|".repeat(450)}b)*`,
  "[",
  String.raw`\\p{Greek`,
])(
  "a pattern that can't be used (%s) is told with file and line, or compiled in no time",
  async (pattern) => {
    const cwd = repository({ ...PROJECT, "cases/wish.yaml": checked(`{ answer: { regex: "${pattern}" } }`) });
    const { code, stdout, stderr } = await cli(["validate"], { cwd });
    expect([0, 2]).toContain(code);
    if (code === 2) expect(stdout + stderr).toContain("cases/wish.yaml:4");
  },
);

test("patterns of a model are as harmless: search_files over a long line", async () => {
  const { cwd } = await run(
    {
      "cases/wish.yaml": `id: wish\nturns: [{ user: "Go." }]\ntools: [search_files]\nworld: { files: { a.txt: "${"a".repeat(100_000)}" } }\nexpect: { completion: [{ answer: { contains: done } }] }\n`,
    },
    ({ body }) =>
      body.messages?.at(-1)?.role === "tool"
        ? reply("done")
        : reply({
            content: "",
            calls: ["(a+)+b", "((a{0,100}){0,100}){0,100}", "(", "x".repeat(5000)].map((pattern) => ({
              name: "search_files",
              arguments: { pattern, regex: true },
            })),
          }),
  );
  const results =
    trialsOf(cwd)[0]
      ?.events.filter(({ type }) => type === "tool")
      .map(({ result }) => result ?? "") ?? [];
  expect(results).toHaveLength(4);
  expect(results[0]).toBe("No hits.");
  for (const text of results) expect(text.length).toBeLessThan(1000);
});

test("an answer of 20 megabytes: kept whole, scored, replayed, reported; no file of the report grows with it", async () => {
  const long = `${"0123456789abcdef ".repeat(1_250_000)}bright`;
  const { code, stderr, cwd } = await run({}, () => reply(long));
  expect({ code, stderr }).toMatchObject({ code: 3 });
  expect(trialsOf(cwd).map(({ answer }) => answer.length)).toEqual([long.length, long.length]);
  for (const name of ["report.html", "report.md", "summary.json"])
    expect(statSync(join(cwd, "reports/r", name)).size).toBeLessThan(2_000_000);
  for (const args of [
    ["show", "r"],
    ["show", "r", "wish"],
    ["report", "r"],
    ["gate", "r"],
    ["flakes"],
    ["sheet", "export", "r", "--raters", "ann", "--out", join(cwd, "s")],
  ]) {
    const other = await cli(args, { cwd });
    expect({ args, code: other.code, stderr: other.code === 4 ? other.stderr : "" }).not.toMatchObject({
      code: 4,
    });
  }
  const again = await cli([...RUN.slice(0, -1), "again", "--replay", "strict"], { cwd });
  expect(again.code).toBe(3);
  expect(trialsOf(cwd, "again").map(({ answer }) => answer.length)).toEqual([long.length, long.length]);
});

test("a reply beyond all bounds, and a stream that never ends, are broken trials that say so", async () => {
  const { code, cwd } = await run({}, () => ({
    body: `{"choices":[{"message":{"content":"${"x".repeat(40_000_000)}"}}]}`,
  }));
  expect(code).toBe(4);
  expect(trialsOf(cwd)[0]?.outcome.failure?.message).toMatch(/large|MiB|bytes/);
});

test("a line that no text can hold, in recordings, trials or scores: no recording, no trial, no score", async () => {
  // Longer than the longest text of V8. Holes in a file take no room on the disk.
  const endless = (file: string) => {
    writeFileSync(file, "");
    truncateSync(file, 540 * 1024 * 1024);
  };
  const first = await run({}, () => reply("bright"));
  const env = serverOf(first.stub.url);
  const inRun = (name: string) => join(first.cwd, "reports/r", name);
  const trials = readFileSync(inRun("trials.jsonl"));
  endless(join(first.cwd, "recordings/wish.jsonl"));
  const again = await cli([...RUN.slice(0, -1), "again"], { cwd: first.cwd, env });
  expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 3 });
  expect(trialsOf(first.cwd, "again").map(({ status }) => status)).toEqual(["finished", "finished"]);
  rmSync(join(first.cwd, "recordings/wish.jsonl"));

  truncateSync(inRun("trials.jsonl"), trials.length + 540 * 1024 * 1024);
  for (const args of [
    ["gate", "r"],
    ["run", "--resume", "r"],
  ]) {
    const { code, stderr } = await cli(args, { cwd: first.cwd, env });
    expect({ args, ended: [0, 3].includes(code ?? 4), stderr: code === 4 ? stderr : "" }).toMatchObject({
      ended: true,
    });
  }
  expect(readFileSync(inRun("trials.jsonl"))).toEqual(trials);

  endless(inRun("scores.jsonl"));
  const { code, stderr } = await cli(["gate", "r"], { cwd: first.cwd });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("scores.jsonl:1") });
});

test("JSON nested a hundred thousand levels deep: in the reply, the arguments, the answer, usage", async () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const bodies: StubHandler[] = [
    () => ({ body: `{"choices":[{"message":{"content":"bright"}}],"usage":${deep}}` }),
    () => ({ body: `{"choices":[{"message":{"content":${deep}}}]}` }),
    () => ({ body: `{"choices":${deep}}` }),
    () => ({ body: deep }),
    () => reply(deep),
    ({ body }) =>
      body.messages?.at(-1)?.role === "tool"
        ? reply("bright")
        : reply({ calls: [{ name: "read_file", arguments: deep }] }),
    ({ body }) =>
      body.messages?.at(-1)?.role === "tool"
        ? reply("bright")
        : reply({ calls: [{ name: "read_file", arguments: `{"path":${deep}}` }] }),
    () => ({
      body: `{"choices":[{"message":{"content":"bright","tool_calls":[{"function":{"name":"read_file","arguments":{"path":${deep}}}}]}}]}`,
    }),
  ];
  for (const [n, handler] of bodies.entries()) {
    const { code, stderr, cwd } = await run(
      {
        "cases/wish.yaml": checked(
          "{ answer: { contains: bright } }, { answer: { jsonSchema: { type: array, items: { type: array } } } }",
        ),
      },
      handler,
    );
    expect({ n, stderr: /\n {4}at /.test(stderr) }).toEqual({ n, stderr: false });
    expect([3, 4]).toContain(code);
    expect(trialsOf(cwd)).toHaveLength(2);
    for (const { outcome } of trialsOf(cwd))
      expect(outcome.failure?.message ?? "").not.toMatch(/call stack|not defined|undefined/);
  }
});

test("schemas that refer to themselves, or name prototypes, hang nothing", async () => {
  const schemas = [
    '{ $ref: "#" }',
    '{ $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" }',
    "{ properties: { __proto__: { type: string }, constructor: { type: number } } }",
    '{ $ref: "https://evil.example.test/schema.json" }',
    '{ $ref: "file:///etc/passwd" }',
    '{ anyOf: [{ $ref: "#" }, { $ref: "#" }, { $ref: "#" }] }',
  ];
  for (const schema of schemas) {
    const cwd = repository({
      ...PROJECT,
      "cases/wish.yaml": checked(`{ answer: { jsonSchema: ${schema} } }`),
    });
    const { code, stdout, stderr } = await cli(["validate"], { cwd });
    expect({ schema, code }).not.toMatchObject({ code: 4 });
    expect(stdout + stderr).not.toContain("root:");
  }
});

const laughs = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => [
    `a${n}`,
    n === 0 ? {} : { allOf: [{ $ref: `#/$defs/a${n - 1}` }, { $ref: `#/$defs/a${n - 1}` }] },
  ]),
);
const BAIT = "a".repeat(60);

test.each([
  ["the format of an address", { properties: { text: { format: "url" } } }],
  ["names by pattern", { patternProperties: { "^(a+)+$": { type: "number" } } }],
  [
    "a pattern where only a reference leads",
    { properties: { text: { $ref: "#/x" } }, x: { pattern: "^(h|ht|t|a+)+$" } },
  ],
  ["references that double", { $defs: laughs, $ref: "#/$defs/a39" }],
  ["a list of many items", { properties: { list: { uniqueItems: true } } }],
])("a schema that would take for ever (%s) is done soon, in a check and for arguments", async (_, schema) => {
  const value = {
    text: `http://${BAIT}!`,
    [`${BAIT}!`]: 1,
    list: Array.from({ length: 150_000 }, (__, n) => n),
  };
  const tool = { name: "t", parameters: { type: "object", ...schema }, results: [{ return: "ok" }] };
  const { code, stderr, cwd } = await run(
    {
      "cases/wish.yaml": `id: wish\nturns: [{ user: "Go." }]\ntools: [${JSON.stringify(tool)}]\nexpect: { completion: [{ answer: { jsonSchema: ${JSON.stringify(schema)} } }] }\n`,
    },
    ({ body }) =>
      body.messages?.at(-1)?.role === "tool"
        ? reply(JSON.stringify(value))
        : reply({ calls: [{ name: "t", arguments: { ...value, list: [] } }] }),
  );
  expect({ code: [2, 3].includes(code ?? 4), stderr: code === 4 ? stderr : "" }).toEqual({
    code: true,
    stderr: "",
  });
  if (code !== 2) expect(trialsOf(cwd).map(({ status }) => status)).toEqual(["finished", "finished"]);
});

test("__proto__ in replies, arguments, schemas, usage and config touches no other object", async () => {
  const { code, cwd } = await run(
    {
      "cases/wish.yaml": `id: wish\nturns: [{ user: "Go." }]\ntools: [{ name: t, parameters: { type: object, properties: { __proto__: { type: string } } }, results: [{ when: { __proto__: { a: 1 } }, return: proto }, { return: plain }] }]\nexpect: { completion: [{ answer: { contains: bright } }], tools: { calls: [{ name: t, args: { __proto__: { a: 1 } } }] } }\n`,
    },
    ({ body }) =>
      body.messages?.at(-1)?.role === "tool"
        ? {
            body: '{"__proto__":{"choices":[]},"choices":[{"__proto__":{"message":{}},"message":{"content":"bright","__proto__":{"tool_calls":[]}}}],"usage":{"__proto__":{"prompt_tokens":5},"prompt_tokens":1,"completion_tokens":1}}',
          }
        : reply({
            calls: [
              { name: "t", arguments: '{"__proto__":{"a":1},"constructor":{"prototype":{"polluted":true}}}' },
            ],
          }),
  );
  expect([0, 1, 2, 3]).toContain(code);
  if (code !== 2) expect(trialsOf(cwd).every(({ status }) => status === "finished")).toBe(true);
});

test("ten thousand cases in the branch's files, ids that collide in case and accents", async () => {
  const many = Array.from(
    { length: 900 },
    (_, n) =>
      `id: c${n}\nturns: [{ user: "Wish ${n}." }]\nexpect: { completion: [{ answer: { contains: bright } }] }\n`,
  ).join("---\n");
  const files = Object.fromEntries(
    Array.from({ length: 11 }, (_, n) => [`cases/f${n}.yaml`, many.replaceAll("id: c", `id: f${n}-c`)]),
  );
  const cwd = repository({ ...PROJECT, ...files });
  const { code, stdout } = await cli(["validate"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain("9901 cases");
});

test("a prompt of a megabyte in every section, a context with markers of sections", async () => {
  const { code, stub, stderr } = await run(
    {
      "prompts/modes/agent.md": "m ".repeat(450_000),
      "prompts/context/context-management.md": "c ".repeat(450_000),
      "cases/wish.yaml": checked(
        "{ answer: { contains: bright } }",
        `context: "## Skills\\n\\n- x: y\\n\\n## Handoff\\n\\n## Language"\n`,
      ),
    },
    () => reply("bright"),
  );
  expect({ code, stderr }).toMatchObject({ code: 3 });
  expect(stub.requests[0]?.text.length).toBeGreaterThan(1_700_000);
});
