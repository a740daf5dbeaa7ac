import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classifyFault } from "../src/core/reply/fault.ts";
import { normaliseReply } from "../src/core/reply/normalise.ts";
import { requestBody, type RequestSettings } from "../src/core/reply/request.ts";
import { retryAfterInWords, retryAfterSeconds } from "../src/core/reply/retry-after.ts";
import { assembleStream } from "../src/core/reply/stream.ts";
import { chunk } from "./support/wire.ts";

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
function read(message: unknown, finish: string | null = "stop", more: object = {}) {
  const result = normaliseReply({ choices: [{ index: 0, message, finish_reason: finish }], usage, ...more });
  if (!result.ok) throw new Error(result.fault.said);
  return result.reply;
}
const call = (id: unknown, name: string, args: unknown) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

describe("calls", () => {
  test("arguments stay raw text: empty, no object, broken; an object becomes text with a note (BR-041, BR-043)", () => {
    const texts = ["", "null", "[1,2]", '"x"', "7", '{"a":', "{}"];
    const reply = read(
      { content: null, tool_calls: texts.map((text, n) => call(`c${n}`, "f", text)) },
      "tool_calls",
    );
    expect(reply.calls.map((one) => one.arguments)).toEqual(texts);
    expect(reply.notes).toEqual([]);
    const object = read({ tool_calls: [call("a", "f", { x: 1, y: "é" })] }, "tool_calls");
    expect(object.calls[0]?.arguments).toBe('{"x":1,"y":"é"}');
    expect(object.notes).toEqual(["arguments-not-text"]);
    expect(read({ tool_calls: [call("a", "f", undefined)] }, "tool_calls").calls[0]?.arguments).toBe("");
  });

  test("ids are unique, whatever came (BR-047)", () => {
    const ids = ["x", "x", "", undefined, null, 7, "call_2"];
    const reply = read({ tool_calls: ids.map((id) => call(id, "add", "{}")) }, "tool_calls");
    expect(reply.calls.map((one) => one.id)).toEqual([
      "x",
      "call_2_",
      "call_3",
      "call_4",
      "call_5",
      "7",
      "call_2",
    ]);
    expect(reply.notes).toEqual(["call-id-repeated", "call-id-missing"]);
  });

  test("no calls, whatever the finish reason says (BR-049)", () => {
    for (const calls of [[], null, undefined]) {
      const reply = read({ content: "", tool_calls: calls }, "tool_calls");
      expect(reply.calls).toEqual([]);
      expect(reply.notes).toEqual(["finish-contradicts-calls"]);
    }
    expect(read({ tool_calls: [call("a", "f", "{}")] }, "stop").notes).toEqual(["finish-contradicts-calls"]);
  });

  test("a stale function_call beside tool_calls does not count; alone it is a call", () => {
    const stale = { name: "old", arguments: "{}" };
    const both = read({ tool_calls: [call("a", "new", "{}")], function_call: stale }, "tool_calls");
    expect(both.calls.map((one) => one.name)).toEqual(["new"]);
    const alone = read({ content: null, function_call: stale }, "function_call");
    expect(alone.calls).toEqual([{ id: "call_1", name: "old", arguments: "{}" }]);
    expect(alone.notes).toContain("function-call");
  });

  test.each([
    '<tool_call>{"name":"list_items","arguments":{}}</tool_call>',
    'I will look.\n```json\n{"name": "list_items", "arguments": {"a": 1}}\n```',
    '[TOOL_CALLS] [{"name":"x","arguments":{}}]',
    '<|python_tag|>{"name": "x", "parameters": {}}',
    '<function=list_items>{"a": 1}</function>',
    '{"name":"list_items","parameters":{"a":1}}',
    '[{"type":"function","function":{"name":"f","arguments":{}}}]',
  ])("a call written in the text is flagged and never taken (BR-057): %s", (content) => {
    const reply = read({ content });
    expect(reply.calls).toEqual([]);
    expect(reply.content).toBe(content);
    expect(reply.notes).toEqual(["tool-call-in-text"]);
  });

  test.each([
    '{"name": "Ann", "age": 3}',
    "Use <tool> tags",
    '```json\n{"summary":"s","tasks":[]}\n```',
    "call the function",
  ])("an answer that only looks a little like a call is none: %s", (content) => {
    expect(read({ content }).notes).toEqual([]);
  });
});

describe("content", () => {
  test("parts, null, absent, an object (BR-059)", () => {
    const parts = [
      { type: "text", text: "Total " },
      { type: "thinking", thinking: [{ text: "hm" }] },
      { type: "text", text: "42" },
    ];
    expect(read({ content: parts })).toMatchObject({
      content: "Total 42",
      reasoning: "hm",
      notes: ["content-in-parts"],
    });
    expect(read({ content: null }).content).toBe("");
    expect(read({ role: "assistant" }).content).toBe("");
    expect(read({ content: { a: 1 } })).toMatchObject({ content: "", notes: ["content-unreadable"] });
    expect(read({ content: null, refusal: "No." })).toMatchObject({ content: "No.", notes: ["refusal"] });
  });

  test("reasoning is taken out of the answer", () => {
    expect(read({ content: "a", reasoning_content: "why" })).toMatchObject({
      content: "a",
      reasoning: "why",
      notes: [],
    });
    expect(read({ content: "a", reasoning: "why" }).reasoning).toBe("why");
    const thought = { reasoning: "why", notes: ["reasoning-in-content"] };
    expect(read({ content: "<think>\nwhy\n</think>\n\na" })).toMatchObject({ content: "a", ...thought });
    expect(read({ content: "why\n</think>\n\na" })).toMatchObject({ content: "a", ...thought });
    expect(read({ content: "<think>why" })).toMatchObject({ content: "", ...thought });
    expect(read({ content: "the tag `</think>` ends it" }).content).toBe("the tag `</think>` ends it");
    expect(read({ content: "say <think> twice" }).content).toBe("say <think> twice");
  });
});

describe("usage", () => {
  const used = (given: unknown) => read({ content: "a" }, "stop", { usage: given });
  test.each([
    [
      "OpenAI",
      {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 80 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
      [100, 80, 20, 5],
    ],
    [
      "DeepSeek",
      {
        prompt_tokens: 100,
        completion_tokens: 20,
        prompt_cache_hit_tokens: 60,
        prompt_cache_miss_tokens: 40,
      },
      [100, 60, 20, 0],
    ],
    [
      "DeepSeek without a sum",
      { completion_tokens: 20, prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 },
      [100, 60, 20, 0],
    ],
    [
      "Anthropic",
      { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 90, cache_creation_input_tokens: 5 },
      [105, 90, 20, 0],
    ],
    [
      "proxy, cache within",
      { prompt_tokens: 105, completion_tokens: 20, total_tokens: 125, cache_read_input_tokens: 90 },
      [105, 90, 20, 0],
    ],
    [
      "proxy, cache on top",
      { prompt_tokens: 10, completion_tokens: 20, total_tokens: 120, cache_read_input_tokens: 90 },
      [100, 90, 20, 0],
    ],
    ["Moonshot", { prompt_tokens: 100, completion_tokens: 20, cached_tokens: 30 }, [100, 30, 20, 0]],
    [
      "reasoning on top",
      {
        prompt_tokens: 10,
        completion_tokens: 2,
        total_tokens: 20,
        completion_tokens_details: { reasoning_tokens: 8 },
      },
      [10, 0, 10, 8],
    ],
    ["total and prompt only", { prompt_tokens: 10, total_tokens: 14 }, [10, 0, 4, 0]],
  ])("%s", (_, given, [prompt, cached, completion, reasoning]) => {
    expect(used(given).usage).toEqual({ prompt, cached, completion, reasoning });
  });

  test("what is unknown is null, never 0", () => {
    for (const given of [
      undefined,
      null,
      {},
      [],
      "x",
      { prompt_tokens: 0, completion_tokens: 0 },
      { prompt_tokens: 3 },
    ]) {
      expect(used(given)).toMatchObject({ usage: null, notes: ["usage-missing"] });
    }
    const odd = { prompt_tokens: -5, completion_tokens: 1.5 };
    expect(used(odd)).toMatchObject({ usage: null, notes: ["usage-odd", "usage-missing"] });
    expect(
      used({ prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 99 } }),
    ).toMatchObject({
      usage: { prompt: 10, cached: 10 },
      notes: ["usage-odd"],
    });
  });
});

describe("errors in place of a reply", () => {
  const fault = (raw: unknown) => {
    const result = normaliseReply(raw);
    return result.ok ? null : result.fault;
  };
  test("status 200 with an error object or without choices (BR-055)", () => {
    expect(fault({ error: { code: 429, message: "upstream is busy" } })).toMatchObject({
      kind: "rate-limited",
      status: 429,
      said: "upstream is busy",
    });
    expect(fault({ error: { code: 502, message: "bad gateway" } })).toMatchObject({
      kind: "server",
      status: 502,
    });
    expect(fault({ error: "boom" })).toMatchObject({ kind: "server", said: "boom" });
    expect(fault({ object: "error", message: "too long", code: 400 })).toMatchObject({
      kind: "refused-request",
    });
    expect(fault({ choices: [] })).toMatchObject({ kind: "bad-response" });
    const inside = {
      message: { content: "" },
      error: { code: 429, message: "busy" },
      finish_reason: "error",
    };
    expect(fault({ choices: [inside] })).toMatchObject({ kind: "rate-limited", said: "busy" });
    expect(fault({ choices: [{ message: { content: "half" }, finish_reason: "error" }] })?.kind).toBe(
      "server",
    );
    expect(fault({ choices: [{ message: { content: "whole" } }], error: {} })).toBeNull();
    for (const raw of [null, [], "x", 7, {}, { choices: [null] }, { choices: [{}] }, { error: null }]) {
      expect(fault(raw)?.kind).toBe("bad-response");
    }
  });

  test.each([
    [
      429,
      {
        error: {
          message:
            "Rate limit reached for gpt-4 on requests per min. Add a payment method at /account/billing",
          code: "rate_limit_exceeded",
        },
      },
      "rate-limited",
    ],
    [
      429,
      {
        error: {
          message: "You exceeded your current quota, please check your plan and billing details.",
          code: "insufficient_quota",
        },
      },
      "quota",
    ],
    [
      429,
      {
        error: {
          message: "Quota exceeded for quota metric 'requests per minute'",
          status: "RESOURCE_EXHAUSTED",
        },
      },
      "rate-limited",
    ],
    [402, { error: { message: "Insufficient Balance" } }, "quota"],
    [400, { error: { message: "Your credit balance is too low to access the API." } }, "quota"],
    [401, { error: { message: "Incorrect API key provided" } }, "auth"],
    [403, { detail: "Forbidden" }, "auth"],
    [404, { error: { message: "model 'x' not found, try pulling it first" } }, "no-model"],
    [404, { detail: "Not Found" }, "refused-request"],
    [
      400,
      {
        error: {
          message: "This model's maximum context length is 8192 tokens.",
          code: "context_length_exceeded",
        },
      },
      "context-length",
    ],
    [
      400,
      { error: { message: "the request exceeds the available context size. try increasing it" } },
      "context-length",
    ],
    [422, { detail: [{ loc: ["body", "seed"], msg: "extra fields not permitted" }] }, "refused-request"],
    [408, {}, "server"],
    [529, { error: { message: "Overloaded" } }, "server"],
  ] as const)("%i %j is %s", (status, body, kind) => {
    expect(classifyFault({ status, body, text: "" }).kind).toBe(kind);
  });

  test("the provider's own error inside a gateway's, and Google's list around it", () => {
    const told = (status: number, body: unknown) => classifyFault({ status, body, text: "" });
    const wrapped = (raw: unknown, code = 400) => ({
      error: { message: "Provider returned error", code, metadata: { raw, provider_name: "P" } },
    });
    const inner = { error: { message: "maximum context length is 8192 tokens", param: "messages" } };
    for (const raw of [inner, JSON.stringify(inner), JSON.stringify([inner])]) {
      expect(told(400, wrapped(raw))).toMatchObject({
        kind: "context-length",
        said: "Provider returned error: maximum context length is 8192 tokens",
      });
    }
    expect(told(502, wrapped("<html><title>Bad gateway</title></html>")).said).toBe(
      "Provider returned error: an HTML page: Bad gateway",
    );
    expect(told(200, wrapped("m is temporarily rate-limited upstream", 429))).toMatchObject({
      kind: "rate-limited",
      said: "Provider returned error: m is temporarily rate-limited upstream",
    });
    expect(told(400, wrapped(JSON.stringify({ error: { message: "no", param: "seed" } }))).hint).toContain(
      "--seed",
    );
    const google = [
      {
        error: {
          code: 400,
          message: "API key not valid. Please pass a valid API key.",
          status: "INVALID_ARGUMENT",
        },
      },
    ];
    expect(told(400, google)).toMatchObject({ kind: "auth", said: google[0]?.error.message });
    expect(normaliseReply([{ error: { code: 503, message: "overloaded" } }])).toMatchObject({
      ok: false,
      fault: { kind: "server", said: "overloaded" },
    });
    expect(told(429, { error: { message: JSON.stringify(inner), code: 429 } }).said).toBe(
      inner.error.message,
    );
    for (const odd of [
      wrapped(wrapped(wrapped("deep"))),
      wrapped("{"),
      wrapped([]),
      [[]],
      { error: { metadata: 7 } },
    ])
      expect(told(400, odd).said).not.toBe("");
  });

  test("a refused parameter is answered with the setting to change (BR-053)", () => {
    const hint = (message: string, param?: string) =>
      classifyFault({ status: 400, body: { error: { message, param } }, text: "" }).hint;
    expect(hint("Unsupported parameter: max_tokens; use max_completion_tokens", "max_tokens")).toContain(
      "request: { max_completion_tokens: N }",
    );
    expect(hint("Unknown field `max_completion_tokens`")).toContain("maxTokens");
    expect(hint("'temperature' does not support 0.2 with this model.")).toContain("temperature: null");
    expect(hint("Extra inputs: stream_options")).toContain("--no-stream");
    expect(hint("'tool_choice' is not supported", "tool_choice")).toContain("request: { tool_choice: null }");
    const vllm = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set';
    expect(hint(vllm)).toContain("started with these flags");
  });
});

describe("streams", () => {
  const whole = (chunks: readonly object[], done = true) => {
    const result = assembleStream(chunks, done);
    if (result.kind !== "complete") throw new Error(result.kind);
    const read = normaliseReply(result.raw);
    if (!read.ok) throw new Error(read.fault.said);
    return read.reply;
  };
  const pieces = (...calls: readonly object[]) =>
    whole([...calls.map((one) => chunk({ tool_calls: [one] })), chunk({}, "tool_calls")]).calls;
  const piece = (
    id: string | undefined,
    index: number | undefined,
    name: string | undefined,
    args: unknown,
  ) => ({
    ...(id === undefined ? {} : { id }),
    ...(index === undefined ? {} : { index }),
    function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
  });
  const two = [
    { id: "c1", name: "add", arguments: '{"a":1,"b":2}' },
    { id: "c2", name: "time", arguments: '{"zone":"UTC"}' },
  ];

  test.each([
    [
      "as OpenAI does",
      [
        piece("c1", 0, "add", ""),
        piece(undefined, 0, undefined, '{"a":1,'),
        piece(undefined, 0, undefined, '"b":2}'),
        piece("c2", 1, "time", '{"zone":"UTC"}'),
      ],
    ],
    [
      "without index (BR-045)",
      [
        piece("c1", undefined, "add", ""),
        piece(undefined, undefined, undefined, '{"a":1,'),
        piece(undefined, undefined, undefined, '"b":2}'),
        piece("c2", undefined, "time", '{"zone":"UTC"}'),
      ],
    ],
    ["index always 0", [piece("c1", 0, "add", '{"a":1,"b":2}'), piece("c2", 0, "time", '{"zone":"UTC"}')]],
    [
      "index always 0, in pieces",
      [
        piece("c1", 0, "add", ""),
        piece(undefined, 0, undefined, '{"a":1,"b":2}'),
        piece("c2", 0, "time", ""),
        piece(undefined, 0, undefined, '{"zone":"UTC"}'),
      ],
    ],
    [
      "id and name repeated",
      [
        piece("c1", 0, "add", '{"a":1,'),
        piece("c1", 0, "add", '"b":2}'),
        piece("c1", 0, "add", ""),
        piece("c2", 1, "time", '{"zone":'),
        piece("c2", 1, "time", '"UTC"}'),
      ],
    ],
    [
      "an id invented for each piece",
      [
        piece("c1", 0, "add", ""),
        piece("c9", 0, undefined, '{"a":1,"b":2}'),
        piece("c2", 1, "time", ""),
        piece("c8", 1, undefined, '{"zone":"UTC"}'),
      ],
    ],
    [
      "interleaved",
      [
        piece("c1", 0, "add", ""),
        piece("c2", 1, "time", ""),
        piece(undefined, 0, undefined, '{"a":1,'),
        piece(undefined, 1, undefined, '{"zone":"UTC"}'),
        piece(undefined, 0, undefined, '"b":2}'),
      ],
    ],
    [
      "arguments as objects",
      [piece("c1", 0, "add", { a: 1, b: 2 }), piece("c2", 0, "time", { zone: "UTC" })],
    ],
    [
      "the name in pieces",
      [
        piece("c1", 0, "a", undefined),
        piece(undefined, 0, "dd", undefined),
        piece(undefined, 0, undefined, '{"a":1,"b":2}'),
        piece("c2", 1, "time", '{"zone":"UTC"}'),
      ],
    ],
    [
      "the whole arguments once more at the end (vLLM's xlam parser)",
      [
        piece("c1", 0, "add", ""),
        piece(undefined, 0, undefined, '{"a":1,'),
        piece(undefined, 0, undefined, '"b":2}'),
        piece(undefined, 0, undefined, '{"a":1,"b":2}'),
        piece("c2", 1, "time", "{"),
        piece(undefined, 1, undefined, '{"zone":"UTC"}'),
      ],
    ],
    [
      "all so far again in each piece (Baidu Qianfan)",
      [
        piece("c1", 0, "add", '{"a":'),
        piece("c1", 0, "add", '{"a":1,"b"'),
        piece("c1", 0, "add", '{"a":1,"b":2}'),
        piece("c2", 0, "time", '{"zone"'),
        piece("c2", 0, "time", '{"zone":"UTC"}'),
      ],
    ],
    [
      "an empty object before the arguments",
      [
        piece("c1", 0, "add", "{}"),
        piece(undefined, 0, undefined, '{"a":1,'),
        piece(undefined, 0, undefined, '"b":2}'),
        piece("c2", 1, "time", "{}"),
        piece("c2", 1, undefined, '{"zone":"UTC"}'),
      ],
    ],
  ])("two calls, %s", (_, given) => {
    expect(pieces(...given)).toEqual(two);
  });

  test("without ids and numbers, and with one id for both", () => {
    const bare = [
      piece(undefined, undefined, "add", '{"a":1}'),
      piece(undefined, undefined, "add", '{"a":2}'),
    ];
    expect(pieces(...bare).map((one) => one.arguments)).toEqual(['{"a":1}', '{"a":2}']);
    const same = [piece("x", 0, "add", '{"a":1}'), piece("x", 1, "add", '{"a":2}'), piece("x", 1, "add", "")];
    expect(pieces(...same).map((one) => [one.id, one.arguments])).toEqual([
      ["x", '{"a":1}'],
      ["call_2", '{"a":2}'],
    ]);
    const numberless = [piece("x", undefined, "add", '{"a":1}'), piece("x", undefined, "add", '{"a":2}')];
    expect(pieces(...numberless)).toHaveLength(2);
  });

  test("one id or none for calls that differ only in what can't belong together", () => {
    const told = (...given: readonly object[]) => pieces(...given).map((one) => [one.name, one.arguments]);
    const nameless = [
      piece("x", undefined, undefined, '{"a":1}'),
      piece("x", undefined, undefined, '{"a":2}'),
    ];
    expect(told(...nameless)).toEqual([
      ["", '{"a":1}'],
      ["", '{"a":2}'],
    ]);
    const oneId = [piece("x", 0, "now", ""), piece("x", 0, "date", '{"zone":"UTC"}')];
    expect(told(...oneId)).toEqual([
      ["now", ""],
      ["date", '{"zone":"UTC"}'],
    ]);
    for (const none of ["", undefined]) {
      const bare = [piece(undefined, undefined, "now", none), piece(undefined, undefined, "date", none)];
      expect(told(...bare)).toEqual([
        ["now", ""],
        ["date", ""],
      ]);
    }
    const numbers = [
      { id: 1, ...piece(undefined, undefined, "now", "") },
      { id: 2, ...piece(undefined, undefined, "now", "") },
    ];
    expect(pieces(...numbers).map((one) => [one.id, one.name])).toEqual([
      ["1", "now"],
      ["2", "now"],
    ]);
    const interleaved = [
      piece("x", 0, "add", ""),
      piece("x", 1, "time", ""),
      piece("x", 0, undefined, '{"a":1}'),
      piece("x", 1, undefined, '{"zone":"UTC"}'),
    ];
    expect(told(...interleaved)).toEqual([
      ["add", '{"a":1}'],
      ["time", '{"zone":"UTC"}'],
    ]);
  });

  test("an object inside an object, cut where the pieces look like a text sent again", () => {
    const nested = [
      piece("c1", 0, "add", '{"a":'),
      piece("c1", 0, "add", '{"a":1}'),
      piece("c1", 0, "add", "}"),
    ];
    expect(pieces(...nested).map((one) => one.arguments)).toEqual(['{"a":{"a":1}}']);
  });

  test("usage: the last one counts, alone in a chunk or beside the text", () => {
    const used = (n: number) => ({ prompt_tokens: 10, completion_tokens: n, total_tokens: 10 + n });
    const chunks = [
      chunk({ role: "assistant", content: "a" }, null, { usage: used(1) }),
      chunk({ content: "b" }, "stop", { usage: used(2) }),
      { choices: [], usage: used(3) },
    ];
    expect(whole(chunks)).toMatchObject({
      content: "ab",
      usage: { prompt: 10, completion: 3 },
      finish: "stop",
    });
    expect(whole([chunk({ content: "a" }, "stop", { usage: null })]).usage).toBeNull();
  });

  test("what says the end, and what is cut off", () => {
    const text = chunk({ content: "a" });
    expect(assembleStream([text], false)).toMatchObject({ kind: "cut-off", events: 1, empty: false });
    expect(assembleStream([], true)).toMatchObject({ kind: "cut-off", empty: true });
    expect(assembleStream([{ choices: [] }], true)).toMatchObject({ kind: "cut-off", empty: true });
    expect(assembleStream([text], true).kind).toBe("complete");
    expect(assembleStream([text, chunk({}, "stop")], false).kind).toBe("complete");
    expect(assembleStream([text, { choices: [], usage }], false).kind).toBe("complete");
    expect(assembleStream([text, { error: { message: "overloaded" } }], true)).toMatchObject({
      kind: "error",
    });
  });

  test("reasoning, refusal, the older function_call, further choices, a whole message at the end", () => {
    expect(
      whole([chunk({ reasoning_content: "w" }), chunk({ reasoning: "hy" }), chunk({ content: "a" }, "stop")]),
    ).toMatchObject({ content: "a", reasoning: "why" });
    expect(
      whole([
        chunk({ function_call: { name: "f", arguments: '{"a"' } }),
        chunk({ function_call: { arguments: ":1}" } }, "function_call"),
      ]).calls,
    ).toEqual([{ id: "call_1", name: "f", arguments: '{"a":1}' }]);
    const other = { choices: [{ index: 1, delta: { content: "other" } }] };
    expect(whole([chunk({ content: "a" }), other, chunk({}, "stop")]).content).toBe("a");
    const message = { choices: [{ index: 0, message: { content: "ab" }, finish_reason: "stop" }] };
    expect(whole([chunk({ content: "a" }), message]).content).toBe("ab");
  });
});

describe("whatever the input", () => {
  const odd = fc.anything({
    withBigInt: true,
    withDate: true,
    withNullPrototype: true,
    withSparseArray: true,
  });
  test("a reply is read or refused, never thrown at", () => {
    const message = fc.record(
      {
        content: odd,
        tool_calls: fc.oneof(odd, fc.array(fc.record({ id: odd, function: odd, index: odd }))),
        function_call: odd,
        refusal: odd,
        reasoning: odd,
      },
      { requiredKeys: [] },
    );
    const raw = fc.record(
      {
        choices: fc.array(fc.record({ index: odd, message, finish_reason: odd })),
        usage: odd,
        error: odd,
        model: odd,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(odd, raw), (value) => {
        const result = normaliseReply(value);
        if (!result.ok) return;
        const ids = result.reply.calls.map((one) => one.id);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });

  test("chunks are put together or refused, never thrown at", () => {
    const delta = fc.record(
      {
        content: odd,
        tool_calls: fc.array(fc.record({ id: odd, index: odd, function: odd })),
        function_call: odd,
      },
      { requiredKeys: [] },
    );
    const one = fc.oneof(
      odd,
      fc.record({
        choices: fc.array(fc.record({ index: odd, delta, message: odd, finish_reason: odd })),
        usage: odd,
      }),
    );
    fc.assert(fc.property(fc.array(one), fc.boolean(), (chunks, done) => void assembleStream(chunks, done)));
  });

  type Made = { name: string; text: string; cuts: readonly number[] };
  const cutText = ({ text, cuts }: Made): readonly string[] => {
    const ends = [...cuts, text.length].map((end) => Math.min(end, text.length)).sort((a, b) => a - b);
    return ends.map((end, n) => text.slice(ends[n - 1] ?? 0, end));
  };
  const named = (name: string | undefined, text: string | undefined) => ({
    function: { ...(name === undefined ? {} : { name }), ...(text === undefined ? {} : { arguments: text }) },
  });
  /** A call's pieces: the first of `opening`, the others of `going`; `open` is a piece without arguments before them. */
  const inPieces = (
    made: Made,
    opening: object,
    going: object,
    first: string | undefined,
  ): readonly object[] => [
    { ...opening, ...named(made.name, first) },
    ...cutText(made).map((part) => ({ ...going, ...named(undefined, part) })),
  ];
  const SERVERS: Readonly<Record<string, (calls: readonly Made[]) => readonly object[]>> = {
    "OpenAI, DeepSeek, llama.cpp: id and name first, then the number": (calls) =>
      calls.flatMap((made, index) => inPieces(made, { index, id: `c${index}` }, { index }, "")),
    "vLLM: the name in a piece without arguments": (calls) =>
      calls.flatMap((made, index) => inPieces(made, { index, id: `c${index}` }, { index }, undefined)),
    "DashScope: an empty id and name in each piece": (calls) =>
      calls.flatMap((made, index) => [
        { index, id: `c${index}`, ...named(made.name, "") },
        ...cutText(made).map((part) => ({ index, id: "", ...named("", part) })),
      ]),
    "SGLang, GLM: id and name in each piece": (calls) =>
      calls.flatMap((made, index) =>
        cutText(made).map((part) => ({ index, id: `c${index}`, ...named(made.name, part) })),
      ),
    "an id in each piece, no number": (calls) =>
      calls.flatMap((made, n) => inPieces(made, { id: `c${n}` }, { id: `c${n}` }, "")),
    "an id in the first piece, no number": (calls) =>
      calls.flatMap((made, n) => inPieces(made, { id: `c${n}` }, {}, "")),
    "Ollama: whole calls, always number 0": (calls) =>
      calls.map(({ name, text }, n) => ({ index: 0, id: `c${n}`, ...named(name, text) })),
    "LiteLLM: pieces, always number 0": (calls) =>
      calls.flatMap((made, n) => inPieces(made, { index: 0, id: `c${n}` }, { index: 0 }, "")),
    "Mistral: whole calls, numbered": (calls) =>
      calls.map(({ name, text }, index) => ({ index, id: `c${index}`, ...named(name, text) })),
    "Gemini: whole calls, an empty id, no number": (calls) =>
      calls.map(({ name, text }) => ({ id: "", ...named(name, text) })),
    "whole calls, an empty id, always number 0": (calls) =>
      calls.map(({ name, text }) => ({ index: 0, id: "", ...named(name, text) })),
    "whole calls, one id for all": (calls) =>
      calls.map(({ name, text }) => ({ id: "x", ...named(name, text) })),
    "one id for all, numbered": (calls) =>
      calls.flatMap((made, index) => inPieces(made, { index, id: "x" }, { index, id: "x" }, "")),
    "another id in each piece": (calls) =>
      calls.flatMap((made, index) => [
        { index, id: `c${index}`, ...named(made.name, "") },
        ...cutText(made).map((part, n) => ({ index, id: `c${index}-${n}`, ...named(undefined, part) })),
      ]),
    interleaved: (calls) => [
      ...calls.map(({ name }, index) => ({ index, id: `c${index}`, ...named(name, "") })),
      ...[0, 1, 2, 3, 4, 5, 6].flatMap((turn) =>
        calls.flatMap((made, index) =>
          cutText(made)
            .slice(turn, turn + 1)
            .map((part) => ({ index, ...named(undefined, part) })),
        ),
      ),
    ],
    "vLLM's xlam: the whole text once more": (calls) =>
      calls.flatMap((made, index) => [
        ...inPieces(made, { index, id: `c${index}` }, { index }, ""),
        { index, ...named(undefined, made.text) },
      ]),
    "Qianfan: all so far in each piece": (calls) =>
      calls.flatMap((made, index) => [
        { index, id: `c${index}`, ...named(made.name, "") },
        ...cutText(made).map((_, n, parts) => ({
          index,
          ...named(undefined, parts.slice(0, n + 1).join("")),
        })),
      ]),
    "the name in two pieces": (calls) =>
      calls.flatMap((made, index) => [
        { index, id: `c${index}`, ...named(made.name.slice(0, 2), undefined) },
        ...inPieces({ ...made, name: made.name.slice(2) }, { index }, { index }, undefined),
      ]),
  };

  // Two calls of one tool without arguments are one where nothing but the name tells them apart.
  const tellsEmptyApart = (server: string) => !/empty id|one id for all/.test(server);

  test.each(Object.entries(SERVERS))("calls in pieces come out whole: %s", (server, stream) => {
    const made = fc.record({
      name: fc.constantFrom("add", "add_all", "time", "now", "write_file"),
      text: fc.oneof(
        {
          weight: 6,
          arbitrary: fc.dictionary(fc.string(), fc.jsonValue()).map((one) => JSON.stringify(one)),
        },
        fc.constantFrom(...(tellsEmptyApart(server) ? ["", "{}"] : ["{}"])),
      ),
      cuts: fc.array(fc.nat(40), { maxLength: 6 }),
    });
    fc.assert(
      fc.property(fc.array(made, { minLength: 1, maxLength: 4 }), fc.boolean(), (calls, together) => {
        const sent = stream(calls);
        const chunks = together
          ? [chunk({ tool_calls: sent })]
          : sent.map((one) => chunk({ tool_calls: [one] }));
        const result = assembleStream(chunks, true);
        const read = normaliseReply(result.kind === "complete" ? result.raw : null);
        expect(read.ok && read.reply.calls.map((one) => [one.name, one.arguments])).toEqual(
          calls.map(({ name, text }) => [name, text]),
        );
      }),
      { numRuns: 200 },
    );
  });

  test("__proto__ keys touch nothing", () => {
    const raw: unknown = JSON.parse(
      '{"__proto__":{"choices":[]},"choices":[{"message":{"content":"a","__proto__":{"tool_calls":[{"function":{"name":"evil"}}]}}}],"usage":{"__proto__":{"prompt_tokens":5}}}',
    );
    const result = normaliseReply(raw);
    expect(result.ok && result.reply.calls).toEqual([]);
    expect(Object.hasOwn(Object.prototype, "choices")).toBe(false);
  });
});

test("hostile texts are read in linear time", () => {
  // Quadratic reading would run into the time limit of the test.
  const long = 200_000;
  const texts = [
    `\`\`\`${"\n".repeat(long)}`,
    "```json\n".repeat(long / 8),
    "<think>".repeat(long / 7),
    "<think></think>".repeat(long / 15),
    `${" ".repeat(long)}<`,
    "{".repeat(long),
  ];
  for (const content of texts) read({ content });
  const ids = Array.from({ length: 20_000 }, (_, n) =>
    chunk({ tool_calls: [{ id: `c${n}`, function: { name: "f" } }] }),
  );
  expect(assembleStream(ids, true).kind).toBe("complete");
  const braces = Array.from({ length: long }, (_, n) =>
    chunk({
      tool_calls: [
        { index: 0, function: n === 0 ? { name: "f", arguments: '{"a":"' } : { arguments: "{}" } },
      ],
    }),
  );
  expect(assembleStream(braces, true).kind).toBe("complete");
});

describe("request body", () => {
  const settings: RequestSettings = { temperature: 0.5, maxTokens: 100, seed: 7, stream: true, extra: {} };
  const request = { model: "m", messages: [{ role: "user", content: "hi" }], tools: [] };
  const tool = { type: "function", function: { name: "f" } };

  test("fields in a fixed order; the seed moves with the trial", () => {
    expect(JSON.stringify(requestBody({ ...request, tools: [tool] }, settings, 3))).toBe(
      '{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f"}}],"temperature":0.5,"max_tokens":100,"seed":9,"stream":true,"stream_options":{"include_usage":true},"tool_choice":"auto"}',
    );
    const none = { temperature: null, maxTokens: null, seed: null, stream: false, extra: {} };
    expect(requestBody(request, none)).toEqual({ model: "m", messages: request.messages });
  });

  test("extra fields win, null takes a field out, the loop's own fields stay", () => {
    const extra = {
      top_p: 0.9,
      temperature: null,
      stream_options: null,
      max_completion_tokens: 50,
      model: "other",
      messages: [],
      tool_choice: "required",
    };
    const body = requestBody(request, { ...settings, extra });
    expect(body).toEqual({
      model: "m",
      messages: request.messages,
      seed: 7,
      stream: true,
      top_p: 0.9,
      max_completion_tokens: 50,
    });
    expect(requestBody({ ...request, tools: [tool] }, { ...settings, extra })).toHaveProperty(
      "tool_choice",
      "required",
    );
  });
});

test("Retry-After in all its forms (BR-051)", () => {
  const now = Date.UTC(2026, 0, 1);
  const wait = (headers: Record<string, string>) => retryAfterSeconds((name) => headers[name] ?? null, now);
  expect(wait({ "retry-after": "20" })).toBe(20);
  expect(wait({ "retry-after": "0.5" })).toBe(0.5);
  expect(wait({ "retry-after-ms": "250", "retry-after": "9" })).toBe(0.25);
  expect(wait({ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" })).toBe(30);
  for (const junk of [
    "Wed, 21 Oct 2099 07:28:00 GMT",
    "Wed, 31 Dec 2025 00:00:00 GMT",
    "soon",
    "",
    "-3",
    "0",
    "NaN",
    "1e9",
    "0x10",
    "Infinity",
  ]) {
    expect(wait({ "retry-after": junk }), junk).toBeNull();
  }
  expect(wait({})).toBeNull();
});

test("a time to wait in the words of an error", () => {
  const waits = {
    "Rate limit reached for m on tokens per min (TPM): Limit 3. Please try again in 20s. Visit x": 20,
    "Please try again in 1m2.5s.": 62.5,
    "Please try again in 350ms.": 0.35,
    "Please try again in 6m0s": 360,
    "You exceeded your current quota. Please retry in 34.074824224s.": 34.074824224,
    "Please retry after 26 seconds.": 26,
    "Try again in 2 minutes": 120,
  };
  for (const [said, seconds] of Object.entries(waits))
    expect(retryAfterInWords(said), said).toBeCloseTo(seconds);
  for (const said of ["Please try again later.", "try again in a while", "retry in 0s", "in 20s", ""])
    expect(retryAfterInWords(said), said).toBeNull();
});
