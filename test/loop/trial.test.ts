import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TrialLine } from "../../src/core/nouns/run.ts";
import { withRetries } from "../../src/run/retry.ts";
import { systemClock } from "../../src/io/clock.ts";
import { reply, type StubAnswer } from "../support/stub-server.ts";
import {
  caseOf,
  metric,
  replyOf,
  resultsOf,
  scripted,
  skillOf,
  stubModel,
  trialOver,
  trialWith,
  variantOf,
} from "./support.ts";

const add = {
  name: "add",
  description: "Adds.",
  parameters: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  results: [{ when: { a: 1 }, return: { sum: 2 } }, { when: { a: 2 }, error: "overflow" }, { return: 7 }],
};
const list = { name: "list_items", results: [{ return: ["x", "y", "z"] }] };
const withAdd = caseOf({ tools: [add, list] });

const call = (name: string, args: object | string = {}) => ({ name, arguments: args });
const bug = (id: string): StubAnswer[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../fixtures/bugs", id, "responses.json"), "utf8"));

describe("the loop over HTTP", () => {
  test("runs calls, feeds results back and ends with the answer", async () => {
    const { line, stub } = await trialOver(
      [reply({ calls: [call("add", { a: 1, b: 1 }), call("add", { a: 2, b: 2 })] }), reply("The sum is 2.")],
      caseOf({
        tools: [add],
        expect: {
          tools: { match: "strict", calls: [{ name: "add", args: { a: 1 } }, { name: "add" }] },
          completion: [{ answer: { contains: "2" } }],
        },
      }),
    );
    expect(TrialLine.parse(line)).toEqual(line);
    expect(line).toMatchObject({ status: "finished", answer: "The sum is 2.", replies: "live" });
    expect([metric(line, "toolCallAccuracy"), metric(line, "taskCompletion"), metric(line, "turns")]).toEqual(
      [1, 1, 2],
    );
    expect(stub.requests[1]?.body.messages?.slice(2)).toEqual([
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { id: "call-1", type: "function", function: { name: "add", arguments: '{"a":1,"b":1}' } },
          { id: "call-2", type: "function", function: { name: "add", arguments: '{"a":2,"b":2}' } },
        ],
      },
      { role: "tool", tool_call_id: "call-1", content: '{"sum":2}' },
      { role: "tool", tool_call_id: "call-2", content: "Error: overflow" },
    ]);
  });

  test("empty arguments are {} and the call runs once (BR-041)", async () => {
    const { line } = await trialOver(bug("BR-041"), withAdd);
    expect(resultsOf(line)).toEqual(['["x","y","z"]']);
    expect(line).toMatchObject({ status: "finished", answer: "Done: 3 items." });
  });

  test("arguments that are no object are error results that name the shape (BR-043)", async () => {
    const { line } = await trialOver(bug("BR-043"), withAdd);
    expect(resultsOf(line)).toEqual([
      "Error: the arguments of add must be a JSON object, but they are null: null",
      "Error: the arguments of add must be a JSON object, but they are an array: [1,2]",
      'Error: the arguments of add must be a JSON object, but they are a string: "x"',
      "Error: the arguments of add must be a JSON object, but they are a number: 7",
    ]);
    expect(line.status).toBe("finished");
  });

  test("calls with repeated or empty ids are told apart, and ids sent back match (BR-047)", async () => {
    const { line, stub } = await trialOver(bug("BR-047"), withAdd);
    const sent = stub.requests[1]?.body.messages ?? [];
    const ids = sent.flatMap((message) => message.tool_calls?.map(({ id }) => id) ?? []);
    expect(new Set(ids).size).toBe(3);
    expect(sent.flatMap((message) => message.tool_call_id ?? [])).toEqual(ids);
    expect(resultsOf(line)).toEqual(['{"sum":2}', "Error: overflow", "7"]);
  });

  test("ids stay unique over the whole trial though a server starts anew in each reply", async () => {
    const turn = (a: number) => reply({ calls: [{ id: "x", ...call("add", { a, b: 0 }) }] });
    const { line, stub } = await trialOver([turn(1), turn(3), turn(4), reply("ok")], withAdd);
    const ids = line.events.flatMap((event) => (event.type === "tool" ? [event.callId] : []));
    expect(new Set(ids).size).toBe(3);
    const sent = stub.requests[3]?.body.messages ?? [];
    expect(sent.flatMap((message) => message.tool_call_id ?? [])).toEqual(ids);
  });

  test("no call means the turn is over, whatever finish_reason says (BR-049)", async () => {
    const { line, stub } = await trialOver(bug("BR-049"), withAdd);
    expect(stub.requests).toHaveLength(1);
    expect(line).toMatchObject({ status: "finished", answer: "" });
  });

  test("a call written in the text is flagged as tools not honoured (BR-057)", async () => {
    const { line } = await trialOver(
      bug("BR-057"),
      caseOf({ tools: [list], expect: { tools: { calls: [{ name: "list_items" }] } } }),
    );
    expect(line.scores.toolCallAccuracy).toMatchObject({
      value: 0,
      evidence: [{ detail: expect.stringContaining("the server did not honour tools") }],
    });
  });

  test("content in parts, null or absent is text (BR-059)", async () => {
    for (const [at, answer] of ["Total 42", "", ""].entries()) {
      const { line } = await trialOver([bug("BR-059")[at] ?? {}], caseOf());
      expect(line).toMatchObject({ status: "finished", answer });
    }
  });

  test("a server that fails every try breaks the trial: negative checks give no pass (BR-063)", async () => {
    const { model } = await stubModel(bug("BR-063"));
    const retried = withRetries(model, {
      retries: 3,
      clock: { ...systemClock, sleep: async () => undefined },
      random: () => 0,
    });
    const line = await trialWith(
      retried,
      caseOf({ expect: { completion: [{ answer: { notContains: "Error" } }] } }),
    );
    expect(line).toMatchObject({ status: "broken", outcome: { failure: { kind: "server", attempts: 4 } } });
    expect(line.scores.taskCompletion).toMatchObject({ status: "unscored" });
  });

  test("a wrong argument value is not a match (BR-081)", async () => {
    const area = { name: "area", parameters: { type: "object" } };
    const expectation = { tools: { calls: [{ name: "area", args: { base: 10, height: 5 } }] } };
    const { line } = await trialOver(bug("BR-081"), caseOf({ tools: [area], expect: expectation }));
    expect(line.scores.toolCallAccuracy).toMatchObject({
      value: 0,
      evidence: [{ detail: expect.stringContaining("closest is call 1: base expected 10, came 999") }],
    });
  });

  test("each user turn is a loop in one history", async () => {
    const { line, stub } = await trialOver(
      [reply({ calls: [call("list_items")] }), reply("three"), reply("bye")],
      caseOf({ tools: [list], turns: [{ user: "How many?" }, { user: "Thanks." }] }),
    );
    expect(line.answer).toBe("bye");
    expect(stub.requests[2]?.body.messages?.map((message) => message.role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });
});

describe("results instead of faults", () => {
  const results = async (calls: { name?: string; arguments?: string }[], item = withAdd) =>
    resultsOf(await trialWith(scripted([replyOf({ calls }), replyOf({ content: "ok" })]), item));

  test("broken JSON, schema violations and unknown tools are told to the model", async () => {
    expect(
      await results([
        { name: "add", arguments: '{"a":1,' },
        { name: "add", arguments: '{"a":"1"}' },
        { name: "adds", arguments: "{}" },
        { name: "__proto__", arguments: "{}" },
        { name: "read_file", arguments: '{"path":"a"}' },
      ]),
    ).toEqual([
      'Error: the arguments of add must be a JSON object, but they are not valid JSON: {"a":1,',
      `Error: the arguments of add don't fit its parameters: Instance does not have required property "b"; a: Instance type "string" is invalid. Expected "number". add takes: a, b.`,
      'Error: there is no tool "adds"; the tools are add, list_items',
      'Error: there is no tool "__proto__"; the tools are add, list_items',
      'Error: there is no tool "read_file"; the tools are add, list_items',
    ]);
  });

  test("more than 64 calls in one reply are not run", async () => {
    const calls = Array.from({ length: 70 }, (_, at) => ({
      id: `i${at}`,
      name: "list_items",
      arguments: "",
    }));
    const found = await results(calls);
    expect(found).toHaveLength(70);
    expect(found.filter((text) => text === "Error: not run: at most 64 calls in one reply")).toHaveLength(6);
  });

  test("odd names and arguments are made harmless in the history, and kept as they were in the transcript", async () => {
    const model = scripted([
      replyOf({ calls: [{ name: "add numbers!", arguments: "[1" }] }),
      replyOf({ content: "ok" }),
    ]);
    const line = await trialWith(model, withAdd);
    expect(model.requests[1]?.messages[2]).toMatchObject({
      tool_calls: [{ function: { name: "add_numbers_", arguments: "{}" } }],
    });
    expect(line.events.find((event) => event.type === "reply")).toMatchObject({
      reply: { calls: [{ name: "add numbers!", arguments: "[1" }] },
    });
  });
});

describe("limits", () => {
  const looping = (at: number) => replyOf({ calls: [{ name: "add", arguments: `{"a":${at},"b":0}` }] });
  test("turns: the case's own limit comes before the settings'", async () => {
    const model = scripted((_, at) => looping(at));
    const line = await trialWith(
      model,
      caseOf({ tools: [add], expect: { limits: { turns: 3 }, completion: [{ answer: { contains: "x" } }] } }),
    );
    expect(line).toMatchObject({ status: "stopped", outcome: { limit: "turns", message: "turn limit 3" } });
    expect(model.requests).toHaveLength(3);
    expect([metric(line, "turns"), metric(line, "taskCompletion")]).toEqual([3, 0]);
  });
  test("an answer with the last allowed call is an answer", async () => {
    const model = scripted([looping(1), replyOf({ content: "done" })]);
    const line = await trialWith(model, caseOf({ tools: [add], expect: { limits: { turns: 2 } } }));
    expect(line).toMatchObject({ status: "finished", answer: "done" });
  });
  test("three replies in a row with the same calls", async () => {
    const model = scripted(() => looping(1));
    const line = await trialWith(model, withAdd);
    expect(line.outcome).toMatchObject({ status: "stopped", limit: "repeated-calls" });
    expect(model.requests).toHaveLength(3);
  });
  test("the same call again after something else is no loop", async () => {
    const model = scripted((_, at) => (at < 8 ? looping(at % 2) : replyOf({ content: "ok" })));
    expect(await trialWith(model, withAdd)).toMatchObject({ status: "finished" });
  });
  test("tokens", async () => {
    const limits = { turns: 20, tokens: 40, trialSeconds: null };
    const line = await trialWith(
      scripted((_, at) => looping(at)),
      withAdd,
      { limits },
    );
    expect(line.outcome).toMatchObject({ limit: "tokens", message: "token limit 40 (45 used)" });
  });
  test("time stops a model that never answers; an interruption breaks the trial", async () => {
    const hanging = { call: () => new Promise<never>(() => undefined) };
    const limits = { turns: 20, tokens: null, trialSeconds: 0.05 };
    const timed = await trialWith(hanging, withAdd, { limits });
    expect(timed.outcome).toMatchObject({
      status: "stopped",
      limit: "time",
      message: "time limit 0.05 seconds",
    });
    const stop = new AbortController();
    const pending = trialWith(hanging, withAdd, { signal: stop.signal });
    stop.abort();
    expect((await pending).outcome).toMatchObject({ status: "broken", failure: { kind: "interrupted" } });
    const late = await trialWith(scripted([]), withAdd, { signal: AbortSignal.abort() });
    expect(late.outcome).toMatchObject({ status: "broken", failure: { kind: "interrupted" } });
  });
  test("a fault of the harness is a broken trial that says so, with what happened until then", async () => {
    const line = await trialWith(scripted([looping(1)]), withAdd);
    expect(line.outcome).toMatchObject({
      status: "broken",
      failure: { kind: "harness", message: "no reply 1" },
    });
    expect(resultsOf(line)).toEqual(['{"sum":2}']);
    const noPrompt = await trialWith(scripted([]), withAdd, { variant: { ...variantOf(), layers: [] } });
    expect(noPrompt.outcome).toMatchObject({
      status: "broken",
      failure: { kind: "harness", message: expect.stringContaining("base.md") },
    });
  });
});

describe("approvals", () => {
  const write = (path: string) => ({ name: "write_file", arguments: JSON.stringify({ path, content: "x" }) });
  const run = (over: object, calls = [write("a.txt")]) =>
    trialWith(scripted([replyOf({ calls }), replyOf({ content: "ok" })]), caseOf(over));
  const answers = (line: TrialLine) =>
    line.events.flatMap((event) => (event.type === "approval" ? [event.answer] : []));

  test("auto runs at once and asks nobody", async () => {
    const line = await run({ approval: "auto" });
    expect([resultsOf(line), answers(line), metric(line, "approvals")]).toEqual([
      ["Created a.txt (1 line)."],
      [],
      0,
    ]);
  });
  test("never refuses, and nothing is written", async () => {
    const line = await run({
      approval: "never",
      expect: { completion: [{ file: { path: "a.txt", absent: true } }] },
    });
    expect([
      resultsOf(line),
      answers(line),
      metric(line, "approvals"),
      metric(line, "taskCompletion"),
    ]).toEqual([
      ['The approval mode "never" refuses write_file. It was not run.'],
      ["refused-by-policy"],
      0,
      1,
    ]);
  });
  test("suggest asks the case's human: yes by default, the n-th answer for the n-th question", async () => {
    const line = await run({ approval: "suggest" });
    expect([resultsOf(line), answers(line)]).toEqual([["Created a.txt (1 line)."], ["approve"]]);
    const asked = await run(
      {
        approval: "suggest",
        approvals: [
          { tool: "write_file", answer: "deny" },
          { tool: "write_file", answer: "approve" },
        ],
      },
      [write("a.txt"), write("b.txt"), write("c.txt")],
    );
    expect(answers(asked)).toEqual(["deny", "approve", "approve"]);
    expect(resultsOf(asked)).toEqual([
      "The user declined this call of write_file. It was not run.",
      "Created b.txt (1 line).",
      "Created c.txt (1 line).",
    ]);
    expect(metric(asked, "approvals")).toBe(3);
  });
  test("a case's own tool asks where it says so; reading never does", async () => {
    const pay = { name: "pay", approval: true, results: [{ return: "paid" }] };
    const line = await run({ approval: "never", tools: [pay, "list_dir"] }, [
      { name: "pay", arguments: "{}" },
      { name: "list_dir", arguments: "{}" },
    ]);
    expect(resultsOf(line)).toEqual([
      'The approval mode "never" refuses pay. It was not run.',
      "(the folder is empty)",
    ]);
  });
});

describe("skills", () => {
  const load = (...names: string[]) =>
    replyOf({
      calls: names.map((name, at) => ({
        id: `l${at}`,
        name: "load_skill",
        arguments: JSON.stringify({ name }),
      })),
    });
  const skills = ["a", "b", "c", "d"].map((name) => skillOf(name));
  const two = caseOf({ turns: [{ user: "One." }, { user: "Two." }, { user: "Three." }] });
  const users = (line: TrialLine) =>
    line.events.flatMap((event) => (event.type === "user" ? [event.text] : []));

  test("a body arrives with the next user message, once, and never in the same turn", async () => {
    const model = scripted([
      load("a"),
      replyOf({ content: "1" }),
      replyOf({ content: "2" }),
      replyOf({ content: "3" }),
    ]);
    const line = await trialWith(model, two, { variant: variantOf({ skills }) });
    expect(users(line)).toEqual(["One.", "## Loaded skill: a\n\nBody of a.\n\n---\n\nTwo.", "Three."]);
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("Body of a.");
    expect(
      line.events.flatMap((event) => (event.type === "skill" ? [`${event.what} ${event.name}`] : [])),
    ).toEqual(["loaded a", "injected a"]);
  });

  test("parallel loads keep the order of the calls; a fourth drops the oldest, a repeat refreshes", async () => {
    const model = scripted([
      load("a", "b", "c", "a", "d"),
      replyOf({ content: "1" }),
      replyOf({ content: "2" }),
      replyOf({ content: "3" }),
    ]);
    const line = await trialWith(model, two, { variant: variantOf({ skills }) });
    expect(
      line.events.flatMap((event) => (event.type === "skill" ? [`${event.what} ${event.name}`] : [])),
    ).toEqual([
      "loaded a",
      "loaded b",
      "loaded c",
      "refreshed a",
      "loaded d",
      "evicted b",
      "injected c",
      "injected a",
      "injected d",
    ]);
  });

  test("unknown and disabled names are results; paths are names like any other", async () => {
    const model = scripted([load("x", "b", "../../x"), replyOf({ content: "1" })]);
    const line = await trialWith(model, caseOf({ skills: ["a"] }), { variant: variantOf({ skills }) });
    expect(resultsOf(line)).toEqual([
      "Skill 'x' not found. /skill list shows the available skills.",
      "Skill 'b' is disabled. /skill on b enables it.",
      "Skill '../../x' not found. /skill list shows the available skills.",
    ]);
  });

  test("with delivery tool-result the body is the result; in two-layer the errors list the skills", async () => {
    const model = scripted([load("a", "x"), replyOf({ content: "1" }), replyOf(), replyOf()]);
    const variant = variantOf({ skills, delivery: "tool-result", profile: "two-layer" });
    const line = await trialWith(model, two, { variant });
    expect(resultsOf(line)).toEqual([
      '<skill name="a">\nBody of a.\n</skill>',
      "Error: Unknown skill 'x'. Available skills: a, b, c, d",
    ]);
    expect(users(line)).toEqual(["One.", "Two.", "Three."]);
  });

  test("load_skill is offered with any skill installed, not where all stand in the prompt, not without skills", async () => {
    const offered = async (parts: Parameters<typeof variantOf>[0], input: object = {}) => {
      const model = scripted([replyOf({ content: "ok" })]);
      await trialWith(model, caseOf(input), { variant: variantOf(parts) });
      return model.requests[0]?.tools.map((tool) => tool.function.name);
    };
    const off = skills.map((skill) => ({ ...skill, enabled: false }));
    expect(await offered({ skills: off }, { tools: ["read_file"] })).toEqual(["read_file", "load_skill"]);
    expect(await offered({ skills, delivery: "system-prompt" }, { tools: ["read_file"] })).toEqual([
      "read_file",
    ]);
    expect(await offered({}, { tools: [] })).toEqual([]);
    expect(await offered({})).toHaveLength(9);
    expect(await offered({ skills })).toHaveLength(10);
  });

  test("trials share nothing", async () => {
    const variant = variantOf({ skills });
    const item = caseOf({ turns: [{ user: "One." }, { user: "Two." }], world: { files: { "a.txt": "1" } } });
    const write = replyOf({ calls: [{ name: "write_file", arguments: '{"path":"a.txt","content":"2"}' }] });
    await trialWith(
      scripted([load("a"), write, replyOf({ content: "x" }), replyOf({ content: "y" })]),
      item,
      { variant },
    );
    const read = replyOf({ calls: [{ name: "read_file", arguments: '{"path":"a.txt"}' }] });
    const line = await trialWith(
      scripted([read, replyOf({ content: "x" }), replyOf({ content: "y" })]),
      item,
      { variant },
    );
    expect([resultsOf(line), users(line)]).toEqual([["1"], ["One.", "Two."]]);
  });
});

test("whatever a model replies, the loop ends with a line that can be stored", async () => {
  const names = fc.constantFrom(
    "read_file",
    "write_file",
    "execute_command",
    "load_skill",
    "search_files",
    "add",
    "",
    "__proto__",
  );
  const args = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record(
        { path: fc.string(), content: fc.string(), pattern: fc.string(), name: fc.string() },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  );
  const replies = fc.array(
    fc.record({
      content: fc.string(),
      finish: fc.option(fc.string()),
      usage: fc.constantFrom(null, { prompt: 1, cached: 0, completion: 1, reasoning: 0 }),
      calls: fc.array(fc.record({ id: fc.string(), name: names, arguments: args }), { maxLength: 4 }),
    }),
    { maxLength: 8 },
  );
  const item = caseOf({
    tools: [add, "read_file", "write_file", "search_files", "list_dir", "execute_command"],
    turns: [{ user: "One." }, { user: "Two." }],
    expect: {
      tools: { calls: [{ name: "add" }] },
      completion: [{ answer: { contains: "x" } }],
      skills: { load: ["a"] },
    },
  });
  const variant = variantOf({ skills: [skillOf("a")] });
  await fc.assert(
    fc.asyncProperty(replies, async (list) => {
      const model = scripted((_, at) => replyOf(list[at] ?? { content: "end" }));
      const line = await trialWith(model, item, { variant });
      expect(TrialLine.parse(JSON.parse(JSON.stringify(line)))).toBeTruthy();
      expect(line.status).not.toBe("broken");
      const calls = line.events.flatMap((event) => (event.type === "reply" ? event.reply.calls : []));
      expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
      if (line.status === "finished") {
        expect(
          line.events
            .filter((event) => event.type === "tool")
            .map((event) => event.type === "tool" && event.callId),
        ).toEqual(calls.map(({ id }) => id));
      }
    }),
    { numRuns: 150 },
  );
});

test("hundreds of trials that share one signal leave no listener warning and no listener", async () => {
  const warnings: string[] = [];
  const listen = (warning: Error) => warnings.push(warning.message);
  process.on("warning", listen);
  const stop = new AbortController();
  const command = replyOf({ calls: [{ name: "execute_command", arguments: '{"command":"echo x"}' }] });
  const item = caseOf({ expect: { completion: [{ command: { run: "true" } }] } });
  const limits = { turns: 20, tokens: null, trialSeconds: 60 };
  const lines = await Promise.all(
    Array.from({ length: 40 }, () =>
      trialWith(scripted([command, replyOf({ content: "ok" })]), item, { signal: stop.signal, limits }),
    ),
  );
  await new Promise((turn) => setImmediate(turn));
  process.off("warning", listen);
  expect(lines.every((line) => metric(line, "taskCompletion") === 1)).toBe(true);
  expect(warnings).toEqual([]);
});

test("commands of one trial don't get in the way of other trials' requests", async () => {
  const { model } = await stubModel(({ body }) =>
    (body.messages ?? []).some(({ role }) => role === "tool")
      ? reply("ok")
      : reply({ calls: [call("execute_command", { command: "seq 1 50 | sort -r | head -1; sleep 1" })] }),
  );
  const lines = await Promise.all(
    Array.from({ length: 48 }, (_, at) => trialWith(model, caseOf(), { trial: at + 1 })),
  );
  expect(lines.map((line) => [line.status, ...resultsOf(line)])).toEqual(
    lines.map(() => ["finished", "9\n[exit code 0]"]),
  );
});
