import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RequestSettings } from "../src/core/reply/request.ts";
import { createMask } from "../src/io/mask.ts";
import { openAiModel } from "../src/io/openai-model.ts";
import { recordingName } from "../src/io/recording-file.ts";
import { type RecordingOptions, withRecordings } from "../src/io/recordings.ts";
import type { CallContext, Model, ModelRequest } from "../src/run/ports.ts";
import { tempDir } from "./support/project.ts";
import { reply, startStub } from "./support/stub-server.ts";

const settings: RequestSettings = { temperature: 0, maxTokens: null, seed: null, stream: false, extra: {} };
const request = (text = "hi", system = "You help."): ModelRequest => ({
  model: "stub-model",
  messages: [
    { role: "system", content: system },
    { role: "user", content: text },
  ],
  tools: [],
});
const at = (trial: number, more: Partial<CallContext> = {}, caseId = "a"): CallContext => ({
  key: { case: caseId, arm: "baseline", trial },
  salt: "",
  occurrence: 0,
  signal: new AbortController().signal,
  ...more,
});
const answering = () => startStub((_, n) => reply(`answer ${n}`));
const mask = (text: string) => text;

async function live(url: string, given: RequestSettings = settings): Promise<Model> {
  return openAiModel({ baseUrl: url, apiKey: null, headers: {}, timeoutSeconds: 10, settings: given, mask });
}
function recorded(inner: Model | null, dir: string, more: Partial<RecordingOptions> = {}) {
  return withRecordings(inner, { dir, mode: "auto", settings, mask, ...more });
}
async function say(model: Model, asked: ModelRequest, context: CallContext): Promise<string> {
  const result = await model.call(asked, context);
  return result.ok
    ? `${result.reply.content}${result.replayed ? " (replayed)" : ""}`
    : `${result.failure.kind}: ${result.failure.message}`;
}

describe("replies are served again", () => {
  test("a repeat, another arm of an A/A run or a repeated request never gets another's reply (BR-065)", async () => {
    const stub = await answering();
    const dir = tempDir();
    const contexts = [
      at(1),
      at(2),
      at(3),
      at(1, { salt: "candidate" }),
      at(1, { occurrence: 1 }),
      at(1, {}, "b"),
    ];
    const first = await recorded(await live(stub.url), dir);
    const answers: string[] = [];
    for (const context of contexts) answers.push(await say(first, request(), context));
    expect(answers).toEqual([0, 1, 2, 3, 4, 5].map((n) => `answer ${n}`));
    expect(first.stats()).toMatchObject({ replayed: 0, recorded: 6, misses: 0 });

    const second = await recorded(null, dir, { mode: "strict" });
    const again: string[] = [];
    for (const context of contexts.toReversed()) again.unshift(await say(second, request(), context));
    expect(again).toEqual(answers.map((answer) => `${answer} (replayed)`));
    expect(stub.requests).toHaveLength(6);
  });

  test("a replayed result equals the live one but for its mark", async () => {
    const stub = await startStub([reply({ content: "x", calls: [{ name: "f", arguments: '{"a": 1 }' }] })]);
    const dir = tempDir();
    const first = await (await recorded(await live(stub.url), dir)).call(request(), at(1));
    const second = await (await recorded(null, dir)).call(request(), at(1));
    expect(second).toEqual({ ...first, replayed: true });
  });

  test("arms that send the same request at the same time share one reply, recording or not", async () => {
    for (const mode of ["auto", "record"] as const) {
      const stub = await startStub((_, n) => ({ ...reply(`answer ${n}`), delayMs: 20 }));
      const model = await recorded(await live(stub.url), tempDir(), { mode });
      const both = await Promise.all([say(model, request(), at(1)), say(model, request(), at(1))]);
      expect(both).toEqual(["answer 0", "answer 0 (replayed)"]);
      expect(await say(model, request(), at(1))).toBe("answer 0 (replayed)");
    }
  });

  test("record asks the server again and the last recording counts; off records nothing", async () => {
    const stub = await answering();
    const dir = tempDir();
    await say(await recorded(await live(stub.url), dir), request(), at(1));
    expect(await say(await recorded(await live(stub.url), dir, { mode: "record" }), request(), at(1))).toBe(
      "answer 1",
    );
    expect(await say(await recorded(null, dir), request(), at(1))).toBe("answer 1 (replayed)");
    const other = tempDir();
    const off = await recorded(await live(stub.url), other, { mode: "off" });
    expect(await say(off, request(), at(1))).toBe("answer 2");
    expect(readdirSync(other)).toEqual([]);
  });

  test("failures are never recorded", async () => {
    const stub = await startStub([{ status: 500, body: {} }, reply("fine")]);
    const dir = tempDir();
    const model = await recorded(await live(stub.url), dir);
    expect(await say(model, request(), at(1))).toContain("server:");
    expect(readdirSync(dir)).toEqual([]);
    expect(await say(model, request(), at(1))).toBe("fine");
  });

  test("little memory: files let go are read again", async () => {
    const stub = await answering();
    const dir = tempDir();
    const model = await recorded(await live(stub.url), dir, { maxCacheBytes: 1 });
    for (const name of ["a", "b", "a", "b"]) await say(model, request(), at(1, {}, name));
    expect(model.stats()).toMatchObject({ recorded: 2, replayed: 2 });
  });
});

describe("what differs from the nearest recording is said", () => {
  const missing = async (asked: ModelRequest, context: CallContext, given: RequestSettings = settings) => {
    const stub = await answering();
    const dir = tempDir();
    const first = await recorded(await live(stub.url), dir);
    for (const trial of [1, 2, 3]) await say(first, request(), at(trial));
    const strict = await recorded(null, dir, { mode: "strict", settings: given });
    const said = await say(strict, asked, context);
    expect(said).toContain("replay-miss: no recording for case ");
    expect(strict.stats().misses).toBe(1);
    return said;
  };
  test.each([
    ["the case", request(), at(1, {}, "b"), "the case has no recordings"],
    ["the trial", request(), at(4), "trial 4 is not recorded for this request (recorded: 1-3)"],
    ["the arm", request(), at(2, { salt: "candidate" }), "the other arm of an A/A run only"],
    [
      "a repetition",
      request(),
      at(2, { occurrence: 1 }),
      "sends the same request for the 2. time (recorded: 1)",
    ],
    ["the prompt", request("hi", "You help!"), at(2), "(trial 2) in the system prompt;"],
    ["a message", request("hello"), at(2), "(trial 2) in message 2 (user);"],
    ["the model", { ...request(), model: "other" }, at(2), "model: stub-model → other"],
  ])("%s", async (_, asked, context, words) => {
    expect(await missing(asked, context)).toContain(words);
  });
  test("settings and tools", async () => {
    const tool = { type: "function", function: { name: "f", description: "", parameters: {} } } as const;
    const asked = {
      ...request(),
      tools: [tool],
      messages: [...request().messages, { role: "user", content: "?" } as const],
    };
    const given = { ...settings, temperature: 0.5, extra: { top_p: 0.9 } };
    expect(await missing(asked, at(1), given)).toContain(
      "in temperature: 0 → 0.5; top_p: not set → 0.9; the tools offered; 3 messages instead of 2; record it with",
    );
  });
  test("without a server, auto says that too", async () => {
    expect(await say(await recorded(null, tempDir()), request(), at(1))).toContain("no server to ask");
  });
});

describe("files", () => {
  test("a torn last line and other rubbish are left out, told, and not glued to", async () => {
    const stub = await answering();
    const dir = tempDir();
    await say(await recorded(await live(stub.url), dir), request(), at(1));
    const path = join(dir, "a.jsonl");
    const whole = readFileSync(path, "utf8");
    writeFileSync(path, `<<<<<<< main\r\n${whole.trimEnd()}\r\n\n${whole.slice(0, 60)}`);
    const model = await recorded(await live(stub.url), dir);
    expect(await say(model, request(), at(1))).toBe("answer 0 (replayed)");
    expect(await say(model, request(), at(2))).toBe("answer 1");
    expect(model.stats().notes).toEqual([`${path}: 2 line(s) are no recordings and were left out`]);
    const again = await recorded(null, dir);
    expect(await say(again, request(), at(1))).toBe("answer 0 (replayed)");
    expect(await say(again, request(), at(2))).toBe("answer 1 (replayed)");
  });

  test("a torn line whose key is whole is a miss, not a crash", async () => {
    const stub = await answering();
    const dir = tempDir();
    await say(await recorded(await live(stub.url), dir), request(), at(1));
    const path = join(dir, "a.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").slice(0, -30));
    const model = await recorded(await live(stub.url), dir);
    expect(await say(model, request(), at(1))).toBe("answer 1");
    expect(await say(await recorded(null, dir), request(), at(1))).toBe("answer 1 (replayed)");
  });

  test("two writers at once: every line is whole", async () => {
    const stub = await startStub((_, n) => reply("x".repeat(20_000) + n));
    const dir = tempDir();
    const models = [await recorded(await live(stub.url), dir), await recorded(await live(stub.url), dir)];
    await Promise.all(
      models.flatMap((model, n) =>
        Array.from({ length: 20 }, (_, trial) => say(model, request(`from ${n}`), at(trial + 1))),
      ),
    );
    const lines = readFileSync(join(dir, "a.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(40);
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty("raw");
  });

  test("secrets are masked before a line is written", async () => {
    const secret = 'test-key-0123"456789abcdef';
    const stub = await startStub([reply(`The key is ${secret}, in JSON ${JSON.stringify({ secret })}.`)]);
    const dir = tempDir();
    const model = await recorded(await live(stub.url), dir, {
      mask: createMask({ EVALKIT_API_KEY: secret }),
    });
    expect(await say(model, request(), at(1))).toContain(secret);
    const text = readFileSync(join(dir, "a.jsonl"), "utf8");
    expect(text).not.toContain("0123");
    expect(await say(await recorded(null, dir), request(), at(1))).toContain("The key is [masked]");
  });

  test("a file that cannot be read is a failure of the harness", async () => {
    const dir = tempDir();
    writeFileSync(join(dir, "file"), "");
    expect(await say(await recorded(null, join(dir, "file")), request(), at(1))).toMatch(
      /^harness: .*ENOTDIR/,
    );
  });

  test("file names are safe, and no two ids share one by accident", () => {
    expect(recordingName("web-static-page")).toBe("web-static-page.jsonl");
    expect(recordingName("web/static page")).toMatch(/^web-static-page-[0-9a-f]{10}\.jsonl$/);
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1, unit: "grapheme" }), { minLength: 2, maxLength: 5 }),
        (ids) => {
          const names = ids.map((id) => recordingName(id).toLowerCase());
          expect(new Set(names).size).toBe(ids.length);
          for (const name of names) expect(name).toMatch(/^[a-z0-9_][a-z0-9._-]{0,110}\.jsonl$/);
        },
      ),
    );
    for (const id of ["../../x", "CON", "a.", ".git", "A", "é", ""])
      expect(recordingName(id)).toMatch(/-[0-9a-f]{10}\.jsonl$/);
  });

  test("whatever a file holds, it opens and nothing is lost that can be read", async () => {
    const stub = await answering();
    const dir = tempDir();
    await say(await recorded(await live(stub.url), dir), request(), at(1));
    const good = readFileSync(join(dir, "a.jsonl"));
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.uint8Array({ maxLength: 200 }),
        async (before, after) => {
          const path = join(dir, "a.jsonl");
          writeFileSync(path, Buffer.concat([Buffer.from(before), Buffer.from("\n"), good]));
          appendFileSync(path, Buffer.from(after));
          expect(await say(await recorded(null, dir), request(), at(1))).toBe("answer 0 (replayed)");
        },
      ),
      { numRuns: 50 },
    );
    expect(existsSync(dir)).toBe(true);
  });
});
