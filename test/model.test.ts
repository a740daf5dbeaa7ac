import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { InputError } from "../src/core/nouns/problem.ts";
import type { RequestSettings } from "../src/core/reply/request.ts";
import { systemClock } from "../src/io/clock.ts";
import { createMask } from "../src/io/mask.ts";
import { type OpenAiOptions, openAiModel } from "../src/io/openai-model.ts";
import { withLimiter } from "../src/run/limiter.ts";
import { withRetries } from "../src/run/retry.ts";
import type { CallContext, Clock, Model, ModelRequest, ModelResult } from "../src/run/ports.ts";
import { fault, reply, sse, startStub, type StubAnswer } from "./support/stub-server.ts";
import { chunk, rawReply } from "./support/wire.ts";

const settings: RequestSettings = { temperature: 0, maxTokens: 50, seed: null, stream: false, extra: {} };
const streaming = { ...settings, stream: true };
const request: ModelRequest = { model: "stub-model", messages: [{ role: "user", content: "hi" }], tools: [] };
const context = (signal = new AbortController().signal): CallContext => ({
  key: { case: "a", arm: "baseline", trial: 1 },
  salt: "",
  occurrence: 0,
  signal,
});
const mask = createMask({});
function connect(baseUrl: string, more: Partial<OpenAiOptions> = {}): Promise<Model> {
  return openAiModel({ baseUrl, apiKey: null, headers: {}, timeoutSeconds: 10, settings, mask, ...more });
}
async function ask(answer: StubAnswer, more: Partial<OpenAiOptions> = {}): Promise<ModelResult> {
  const stub = await startStub([answer]);
  return (await connect(stub.url, more)).call(request, context());
}
async function failureOf(answer: StubAnswer, more: Partial<OpenAiOptions> = {}) {
  const result = await ask(answer, more);
  if (result.ok) throw new Error(`a reply: ${result.reply.content}`);
  return { ...result.failure, retryAfterSeconds: result.retryAfterSeconds };
}
async function replyOf(answer: StubAnswer, more: Partial<OpenAiOptions> = {}) {
  const result = await ask(answer, more);
  if (!result.ok) throw new Error(result.failure.message);
  return result.reply;
}

describe("replies", () => {
  test.each([settings, streaming])("calls, content and usage, stream: $stream", async (given) => {
    const calls = [
      { id: "c1", name: "add", arguments: { a: 1 } },
      { id: "c2", name: "time" },
    ];
    const read = await replyOf(reply({ content: "hm", calls }), { settings: given });
    expect(read).toEqual({
      content: "hm",
      reasoning: "",
      calls: [
        { id: "c1", name: "add", arguments: '{"a":1}' },
        { id: "c2", name: "time", arguments: "{}" },
      ],
      finish: "tool_calls",
      usage: { prompt: 11, cached: 0, completion: 7, reasoning: 0 },
      model: "stub-model",
      notes: [],
    });
  });

  test("what is sent: body, key, headers; a placeholder key where there is none", async () => {
    const stub = await startStub(() => reply("x"));
    await (await connect(stub.url)).call(request, context());
    const extra = {
      apiKey: "test-key-1 \n",
      headers: { "X-Team": "evals" },
      settings: { ...streaming, seed: 5 },
    };
    await (await connect(`${stub.url}/`, extra)).call({ ...request, model: "m2" }, context());
    expect(
      stub.requests.map(({ path, headers, body }) => [path, headers.authorization, headers["x-team"], body]),
    ).toEqual([
      [
        "/v1/chat/completions",
        "Bearer none",
        undefined,
        { model: "stub-model", messages: request.messages, temperature: 0, max_tokens: 50 },
      ],
      [
        "/v1/chat/completions",
        "Bearer test-key-1",
        "evals",
        {
          model: "m2",
          messages: request.messages,
          temperature: 0,
          max_tokens: 50,
          seed: 5,
          stream: true,
          stream_options: { include_usage: true },
        },
      ],
    ]);
  });

  test("a server that streams unasked, or answers a stream with plain JSON", async () => {
    const streamed = sse([chunk({ content: "a" }), chunk({}, "stop")]);
    expect((await replyOf(streamed)).content).toBe("a");
    expect((await replyOf({ ...streamed, headers: { "content-type": "text/plain" } })).content).toBe("a");
    expect((await replyOf(rawReply({ content: "b" }), { settings: streaming })).content).toBe("b");
  });

  test("streams: keep-alive comments, any line end, BOM, text across pieces, no blank line at the end", async () => {
    const data = [chunk({ role: "assistant" }), chunk({ content: "é😀" }), chunk({}, "stop")].map((one) =>
      JSON.stringify(one),
    );
    for (const end of ["\n", "\r\n", "\r"]) {
      const body = `\uFEFF: OPENROUTER PROCESSING${end}${end}${data.map((one) => `event: message${end}data:${one}${end}${end}:${end}`).join("")}data: [DONE]`;
      const answer = { headers: { "content-type": "text/event-stream; charset=utf-8" }, body };
      expect((await replyOf(answer, { settings: streaming })).content).toBe("é😀");
    }
  });

  test("one event of some megabytes", async () => {
    const content = "é漢😀".repeat(500_000);
    const read = await replyOf(sse([chunk({ content }, "stop")]), { settings: streaming });
    expect(read.content === content).toBe(true);
  });

  test("a server that keeps the connection open after [DONE] does not hold the call", async () => {
    const answer = sse([chunk({ content: "a" }, "stop")]);
    const whole = { ...answer, stallAfter: 100_000 };
    expect((await replyOf(whole, { settings: streaming, timeoutSeconds: 5 })).content).toBe("a");
  });

  test("Azure's query goes behind the path of the call", async () => {
    const stub = await startStub(() => reply("x"));
    await (await connect(`${stub.url}/openai/deployments/d?api-version=2024-10-21`)).call(request, context());
    expect(stub.requests[0]?.path).toBe("/v1/openai/deployments/d/chat/completions?api-version=2024-10-21");
  });

  test("connections are used again", async () => {
    const stub = await startStub(() => reply("x"));
    const model = await connect(stub.url, { settings: streaming });
    for (let n = 0; n < 10; n += 1) expect((await model.call(request, context())).ok).toBe(true);
    // `fetch` itself opens a second one where calls follow each other at once.
    expect(stub.connections()).toBeLessThanOrEqual(2);
  });
});

describe("faults are told as what they are", () => {
  test.each<[string, StubAnswer, string, RegExp]>([
    [
      "HTML page, status 502",
      { status: 502, body: "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>" },
      "server",
      /answered 502: an HTML page: 502 Bad Gateway/,
    ],
    [
      "HTML page, status 200",
      { body: "<!doctype html><title>Welcome</title>" },
      "bad-response",
      /no JSON but an HTML page: Welcome.*\/v1/,
    ],
    ["empty body", { body: "" }, "bad-response", /an empty body/],
    ["JSON cut off", { body: '{"choices":[{"message":' }, "cut-off", /breaks off after 23 characters/],
    [
      "connection cut in the body",
      { ...reply("x".repeat(100)), cutAfter: 40 },
      "cut-off",
      /broke the connection off/,
    ],
    ["no choices (BR-055)", { body: { id: "x", choices: [] } }, "bad-response", /empty list of `choices`/],
    [
      "error in a 200 (BR-055)",
      { body: { error: { code: 429, message: "upstream is busy" } } },
      "rate-limited",
      /answered 429: upstream is busy/,
    ],
    [
      "refused parameter (BR-053)",
      fault(400, "Unsupported parameter: max_tokens; use max_completion_tokens", { param: "max_tokens" }),
      "refused-request",
      /answered 400: Unsupported.*request: \{ max_completion_tokens: N \}/,
    ],
    [
      "no such path",
      { status: 404, body: "404 page not found" },
      "refused-request",
      /404 page not found \(is the base URL right/,
    ],
    ["no such model", fault(404, 'model "x" not found, try pulling it first'), "no-model", /--model/],
    ["no key", fault(401, "missing key"), "auth", /OPENAI_API_KEY/],
    [
      "quota",
      fault(429, "You exceeded your current quota", { code: "insufficient_quota" }),
      "quota",
      /waiting does not help/,
    ],
    ["not JSON, status 429", { status: 429, body: "Too many" }, "rate-limited", /answered 429: Too many/],
    ["no body, status 503", { status: 503, body: "" }, "server", /answered 503 without a message/],
  ])("%s", async (_, answer, kind, words) => {
    const failure = await failureOf(answer);
    expect(failure.kind).toBe(kind);
    expect(failure.message).toMatch(words);
    expect(failure.message).toMatch(/^127\.0\.0\.1:\d+ /);
  });

  test.each<[string, StubAnswer, string, RegExp]>([
    [
      "empty with status 200",
      { headers: { "content-type": "text/event-stream" }, body: "" },
      "cut-off",
      /ended without a reply.*--no-stream/,
    ],
    ["[DONE] alone", sse([]), "cut-off", /ended without a reply/],
    ["cut between events", sse([chunk({ content: "a" })], false), "cut-off", /broke off after 1 events/],
    [
      "connection cut",
      { ...sse([chunk({ content: "a" }), chunk({ content: "b" }, "stop")]), cutAfter: 150 },
      "cut-off",
      /./,
    ],
    [
      "error event",
      sse([chunk({ content: "a" }), { error: { message: "overloaded", code: 503 } }]),
      "server",
      /answered 503: overloaded/,
    ],
    [
      "event: error",
      {
        headers: { "content-type": "text/event-stream" },
        body: 'event: error\ndata: {"message":"boom"}\n\n',
      },
      "server",
      /boom/,
    ],
    [
      "an error as plain JSON in its place",
      {
        headers: { "content-type": "text/event-stream" },
        body: '{"error":{"message":"no streams here","code":400}}',
      },
      "refused-request",
      /answered 400: no streams here/,
    ],
    [
      "an error beside choices",
      sse([{ ...chunk({ content: "" }, "error"), error: { message: "upstream died", code: 502 } }]),
      "server",
      /answered 502: upstream died/,
    ],
    [
      "an event that is no JSON",
      { headers: { "content-type": "text/event-stream" }, body: "data: oops\n\ndata: oops\n\n" },
      "bad-response",
      /event 1 is no JSON: oops/,
    ],
  ])("stream: %s", async (_, answer, kind, words) => {
    const failure = await failureOf(answer, { settings: streaming });
    expect(failure.message).toMatch(words);
    expect(failure.kind).toBe(kind);
  });

  test("a stream that breaks after its end was told has lost nothing", async () => {
    const whole = sse([chunk({ content: "a" }, "stop")], false);
    expect((await replyOf({ ...whole, cutAfter: 100_000 }, { settings: streaming })).content).toBe("a");
  });

  test("the time limit covers waiting, a silent body and a silent stream", async () => {
    const short = { timeoutSeconds: 0.15 };
    // Long enough for a busy machine to have sent the head of the reply, which is the part that must have come.
    const long = { timeoutSeconds: 4 };
    const stalled = { ...sse([chunk({ content: "a" })], false), stallAfter: 200 };
    const [silent, body, stream, refusal] = await Promise.all([
      failureOf({ hang: true }, short),
      failureOf({ ...reply("x"), stallAfter: 10 }, long),
      failureOf(stalled, { ...short, settings: streaming }),
      failureOf({ ...fault(500, "x"), stallAfter: 5 }, short),
    ]);
    expect(silent.message).toMatch(/did not answer within 0.15 s/);
    expect(body.message).toMatch(/did not finish its reply within 4 s/);
    expect([stream.kind, refusal.kind]).toEqual(["timeout", "timeout"]);
  });

  test("the signal ends a call at once", async () => {
    const stub = await startStub(() => ({ hang: true }));
    const stop = new AbortController();
    const pending = (await connect(stub.url)).call(request, context(stop.signal));
    setTimeout(() => stop.abort(), 20);
    expect(await pending).toMatchObject({ ok: false, failure: { kind: "interrupted" } });
    expect(await (await connect(stub.url)).call(request, context(stop.signal))).toMatchObject({
      failure: { kind: "interrupted" },
    });
  });

  test("a good status without a reply is told with its own number", async () => {
    expect(await failureOf({ status: 202, body: "" })).toMatchObject({
      kind: "bad-response",
      status: 202,
      message: expect.stringMatching(/ answered 202: an empty body$/),
    });
  });

  test("nobody listens; the name is unknown; the other side is silent", async () => {
    const server = createServer((socket) => socket.destroy());
    const port = await new Promise<number>((ready) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        ready(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
    const refused = async (url: string) => {
      const result = await (await connect(url)).call(request, context());
      return result.ok ? "a reply" : `${result.failure.kind}: ${result.failure.message}`;
    };
    expect(await refused(`http://127.0.0.1:${port}/v1`)).toMatch(
      /^network: 127.* closed the connection without an answer/,
    );
    await new Promise((closed) => server.close(closed));
    expect(await refused(`http://127.0.0.1:${port}/v1`)).toMatch(
      /^network: 127.* refuses connections: is the server running/,
    );
    expect(await refused("http://no-such-host.invalid/v1")).toMatch(/^network: no-such-host.invalid /);
    // The package takes an error that reads like a time-out for one, and tells no more than that.
    const unknown = /^network: timeout\.invalid (is not known to|could not be looked up)/;
    expect(await refused("http://timeout.invalid/v1")).toMatch(unknown);
  });

  test("a reply beyond all bounds is not read to its end", async () => {
    const big = reply("x".repeat(50_000));
    expect((await failureOf(big, { maxReplyBytes: 20_000 })).message).toMatch(/more than 20000 bytes/);
    expect((await failureOf(big, { maxReplyBytes: 20_000, settings: streaming })).message).toMatch(
      /more than 20000 bytes/,
    );
  });

  test("a base URL that is none", async () => {
    for (const url of ["localhost:8080", "ftp://x/v1", "http://user:secret@x/v1", ""]) {
      await expect(connect(url)).rejects.toThrow(InputError);
    }
  });

  test("a key that the server quotes is masked before the message is cut (BR-075)", async () => {
    const key = "test-key-0123456789abcdef";
    const masked = createMask({ EVALKIT_API_KEY: key }, {});
    for (const before of ["", "x".repeat(285), "x".repeat(299)]) {
      const { message } = await failureOf(fault(401, `${before} ${key}`), { mask: masked });
      expect(message).not.toMatch(/test-k/);
    }
  });

  test("Retry-After is handed on", async () => {
    expect((await failureOf(fault(429, "slow down", {}, { "retry-after": "0.5" }))).retryAfterSeconds).toBe(
      0.5,
    );
    expect(
      (await failureOf(fault(429, "slow down", {}, { "retry-after": "soon" }))).retryAfterSeconds,
    ).toBeUndefined();
    expect((await failureOf(fault(429, "Please try again in 1.5s."))).retryAfterSeconds).toBe(1.5);
    expect((await failureOf(fault(500, "Please try again in 1.5s."))).retryAfterSeconds).toBeUndefined();
    const inside = { body: { error: { code: 429, message: "busy" } }, headers: { "retry-after-ms": "1500" } };
    expect((await failureOf(inside)).retryAfterSeconds).toBe(1.5);
  });
});

/** A clock whose sleeps end at once and are written down. */
function fastClock(): Clock & { readonly slept: number[] } {
  const slept: number[] = [];
  let now = 0;
  return {
    slept,
    now: () => now,
    iso: () => "2026-01-01T00:00:00.000Z",
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
  };
}

describe("retries", () => {
  const retried = async (answers: readonly StubAnswer[], retries = 4) => {
    const stub = await startStub(answers);
    const clock = fastClock();
    const told: string[] = [];
    const onWait = (reason: string) => void told.push(reason);
    const model = withRetries(await connect(stub.url), { retries, clock, random: () => 0.5, onWait });
    return { result: await model.call(request, context()), slept: clock.slept, told };
  };

  test("Retry-After as a date far off, junk and half a second (BR-051)", async () => {
    const { result, slept, told } = await retried([
      fault(429, "slow down", {}, { "retry-after": "Wed, 21 Oct 2099 07:28:00 GMT" }),
      fault(429, "slow down", {}, { "retry-after": "soon" }),
      fault(429, "slow down", {}, { "retry-after": "0.5" }),
      fault(429, "slow down", {}, { "retry-after": "7200" }),
      reply("done"),
    ]);
    expect(slept).toEqual([250, 500, 500, 60_000]);
    expect(result).toMatchObject({ ok: true, attempts: 5 });
    expect(told).toHaveLength(4);
  });

  test("what can pass is tried again, each kind as often as set; the rest is not", async () => {
    const busy = { body: { error: { code: 429 } } };
    const mixed = [
      busy,
      { body: { choices: [] } },
      { status: 500 },
      { ...reply("x"), cutAfter: 5 },
      { status: 503 },
    ];
    const passed = await retried([...mixed, reply("done")], 2);
    expect(passed.result).toMatchObject({ ok: true, attempts: 6 });
    expect(passed.slept).toEqual([250, 250, 250, 250, 500]);
    const stays = await retried([
      { status: 500 },
      { status: 502 },
      { status: 503 },
      { status: 504 },
      { status: 500 },
    ]);
    expect(stays.result).toMatchObject({ ok: false, failure: { kind: "server", status: 500, attempts: 5 } });
    expect(stays.slept).toEqual([250, 500, 1000, 2000]);
    const lasting = [
      fault(401, "x"),
      fault(400, "x"),
      fault(404, "x"),
      fault(429, "x", { code: "insufficient_quota" }),
    ];
    for (const answer of lasting) {
      expect((await retried([answer, reply("x")])).result).toMatchObject({
        ok: false,
        failure: { attempts: 1 },
      });
    }
    expect((await retried([fault(500, "x"), reply("x")], 0)).result.ok).toBe(false);
  });

  test("no wait is zero, none is beyond the cap", async () => {
    for (const [random, wait] of [
      [0, 50],
      [0.999999, 60_000],
    ] as const) {
      const clock = fastClock();
      const broken: Model = {
        call: async () => ({
          ok: false,
          failure: { kind: "network", message: "x", status: null, attempts: 1 },
        }),
      };
      await withRetries(broken, { retries: 20, clock, random: () => random }).call(request, context());
      expect(Math.round(clock.slept.at(-1) ?? 0)).toBeCloseTo(wait, -1);
      expect(Math.min(...clock.slept)).toBeGreaterThanOrEqual(50);
    }
  });

  test("the signal ends a wait at once", async () => {
    const stub = await startStub([fault(429, "later", {}, { "retry-after": "50" })]);
    const stop = new AbortController();
    const model = withRetries(await connect(stub.url), {
      retries: 4,
      clock: systemClock,
      random: Math.random,
      onWait: () => setTimeout(() => stop.abort(), 10),
    });
    expect(await model.call(request, context(stop.signal))).toMatchObject({
      ok: false,
      failure: { kind: "rate-limited", attempts: 1 },
    });
    expect(stub.requests).toHaveLength(1);
  });

  test("under 10 % each of 429, 500, cut bodies and hangs every call succeeds in the end", async () => {
    const faults: readonly StubAnswer[] = [
      fault(429, "busy", {}, { "retry-after": "0.01" }),
      fault(500, "x"),
      { ...reply("x"), cutAfter: 20 },
      { hang: true },
    ];
    for (const given of [settings, streaming]) {
      const stub = await startStub((_, n) => faults[n % 10] ?? reply("fine"));
      const model = withRetries(
        withLimiter(await connect(stub.url, { timeoutSeconds: 2, settings: given }), {
          concurrency: 32,
          clock: systemClock,
        }),
        { retries: 8, clock: systemClock, random: Math.random, baseSeconds: 0.02 },
      );
      const results = await Promise.all(Array.from({ length: 100 }, () => model.call(request, context())));
      expect(results.filter((result) => !result.ok)).toEqual([]);
    }
  });
});

describe("limiter", () => {
  const turnedAway = (seconds?: number): ModelResult => ({
    ok: false,
    failure: { kind: "rate-limited", message: "x", status: 429, attempts: 1 },
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  });
  const fine = {
    ok: true,
    reply: { content: "" },
    raw: {},
    ms: 0,
    attempts: 1,
    replayed: false,
  } as unknown as ModelResult;

  test("half as many after a crowd is turned away, one more after as many successes, never 0, never beyond", async () => {
    const clock = fastClock();
    const widths: number[] = [];
    let answer: ModelResult = turnedAway();
    const inner: Model = {
      call: async () => {
        const given = answer;
        await clock.sleep(1);
        return given;
      },
    };
    const model = withLimiter(inner, { concurrency: 8, clock, onChange: (width) => void widths.push(width) });
    const crowd = (size: number) =>
      Promise.all(Array.from({ length: size }, () => model.call(request, context())));
    await crowd(8);
    expect(widths).toEqual([4]);
    await crowd(4);
    await crowd(2);
    await crowd(1);
    expect(widths).toEqual([4, 2, 1]);
    answer = fine;
    await crowd(100);
    expect(widths.slice(3)).toEqual([2, 3, 4, 5, 6, 7, 8]);
  });

  test("while the server asks to wait, nobody calls; whoever is stopped leaves the queue at once", async () => {
    const clock = fastClock();
    const times: number[] = [];
    const answers = [turnedAway(30), fine, fine];
    const inner: Model = {
      call: async () => {
        times.push(clock.now());
        return answers.shift() ?? fine;
      },
    };
    const model = withLimiter(inner, { concurrency: 1, clock });
    await Promise.all([1, 2, 3].map(() => model.call(request, context())));
    expect(times).toEqual([0, 30_000, 30_000]);

    const stop = new AbortController();
    const never: Model = { call: () => new Promise(() => {}) };
    const stuck = withLimiter(never, { concurrency: 1, clock });
    void stuck.call(request, context());
    const queued = stuck.call(request, context(stop.signal));
    stop.abort();
    expect(await queued).toMatchObject({ ok: false, failure: { kind: "interrupted" } });
  });
});
