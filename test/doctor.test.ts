import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { define } from "../src/cli/commands/doctor.ts";
import { tempDir, writeFiles } from "./support/project.ts";
import {
  fault,
  reply,
  startStub,
  type StubAnswer,
  type StubHandler,
  type StubRequest,
} from "./support/stub-server.ts";
import { rawReply } from "./support/wire.ts";

async function doctor(handler: StubHandler, args: readonly string[] = [], config = "") {
  const stub = await startStub(handler);
  const cwd = tempDir();
  if (config !== "") writeFiles(cwd, { "evalkit.yaml": config });
  const lines: string[] = [];
  let exit = -1;
  const command = new Command("doctor").exitOverride();
  define(command, {
    cwd,
    env: {},
    out: (text) => void lines.push(text),
    err: () => {},
    annotate: () => {},
    exit: (code) => {
      exit = code;
    },
    colour: { stdout: false, stderr: false },
    width: 80,
  });
  await command.parseAsync(["--base-url", stub.url, ...args], { from: "user" });
  return { text: lines.join("\n"), exit, requests: stub.requests };
}

const hasTools = ({ body }: StubRequest) => (body.tools ?? []).length > 0;
const call = reply({ calls: [{ name: "set_light", arguments: { room: "kitchen", state: "on" } }] });

/** A server without fault. */
const good = (asked: StubRequest): StubAnswer => {
  if (hasTools(asked))
    return asked.body.messages?.some(({ role }) => role === "tool") ? reply("It is on.") : call;
  return reply("ready");
};

describe("doctor", () => {
  test("a good server: every line ok, exit 0", async () => {
    const { text, exit } = await doctor(good, ["--model", "stub-model"]);
    expect(text).not.toMatch(/warning {2}|fault {4}/);
    expect(text).toContain("Usable with these settings: 0 fault(s), 0 warning(s).");
    expect(exit).toBe(0);
  });

  test.each<
    [string, (asked: StubRequest, n: number) => StubAnswer | null, readonly string[], RegExp, number]
  >([
    [
      "tools dropped in silence",
      (asked) => (hasTools(asked) ? reply("I cannot do that.") : null),
      [],
      /fault {4}tools +dropped in silence: .* 11 tokens with tools and 11 without\n +→ set .*--jinja/,
      4,
    ],
    [
      "a call as text",
      (asked) =>
        hasTools(asked) ? reply('<tool_call>{"name":"set_light","arguments":{}}</tool_call>') : null,
      [],
      /fault {4}tools +the call came as text/,
      4,
    ],
    [
      "streams with tools end empty",
      (asked) =>
        hasTools(asked) && asked.body.stream
          ? { headers: { "content-type": "text/event-stream" }, body: "" }
          : null,
      [],
      /fault {4}streaming with tools .*ended without a reply[^\n]*\n +→ set +use --no-stream/,
      4,
    ],
    [
      "the same without streaming",
      (asked) =>
        hasTools(asked) && asked.body.stream
          ? { headers: { "content-type": "text/event-stream" }, body: "" }
          : null,
      ["--no-stream"],
      /warning {2}streaming with tools/,
      0,
    ],
    [
      "a streamed call comes as text",
      (asked) =>
        hasTools(asked) && asked.body.stream
          ? reply('<tool_call>{"name":"set_light","arguments":{}}</tool_call>')
          : null,
      [],
      /fault {4}streaming with tools +the call came as text[^→]*→ set +use --no-stream/,
      4,
    ],
    [
      "streamed calls are lost",
      (asked) => (hasTools(asked) && asked.body.stream ? reply("It is on.") : null),
      [],
      /warning {2}streaming with tools +no call came, though it did unstreamed/,
      0,
    ],
    [
      "no usage",
      (asked) => (hasTools(asked) ? null : reply({ content: "x", usage: null })),
      [],
      /warning {2}usage +missing/,
      0,
    ],
    [
      "seed not honoured",
      (asked, n) => (asked.body.seed === undefined ? null : reply(`animal ${n}`)),
      [],
      /warning {2}seed +not honoured/,
      0,
    ],
    [
      "max_tokens not honoured",
      (asked) =>
        asked.body.max_tokens === 8
          ? reply({ content: "x", usage: { prompt_tokens: 5, completion_tokens: 300 } })
          : null,
      [],
      /warning {2}max_tokens +not honoured: 300 tokens/,
      0,
    ],
    [
      "max_tokens refused",
      (asked) =>
        asked.body.max_tokens === undefined
          ? null
          : fault(400, "use max_completion_tokens", { param: "max_tokens" }),
      [],
      /warning {2}max_tokens .*max_completion_tokens: N/,
      0,
    ],
    [
      "no second turn",
      (asked) => (asked.body.messages?.some(({ role }) => role === "tool") ? fault(500, "bad role") : null),
      [],
      /fault {4}tool result .*bad role/,
      4,
    ],
    [
      "null beside calls refused",
      ({ body }) =>
        body.messages?.some(({ content }) => content === null)
          ? fault(422, "messages.2.content: none is not an allowed value")
          : null,
      [],
      /warning {2}null content +content null beside calls is refused: .*none is not an\s[^→]*→ set +nothing for evalkit, which sends the empty text/,
      0,
    ],
    ["no key", () => fault(401, "who are you"), [], /fault {4}answer .*who are you.*OPENAI_API_KEY/, 4],
  ])("%s", async (_, answer, args, words, code) => {
    const { text, exit } = await doctor((asked, n) => answer(asked, n) ?? good(asked), args);
    expect(text).toMatch(words);
    expect(exit).toBe(code);
  });

  test("a server that wants its reasoning back gets it in the turn after a call", async () => {
    const thinking = { reasoning_content: "The kitchen." };
    const light = {
      id: "c1",
      type: "function",
      function: { name: "set_light", arguments: '{"room":"kitchen"}' },
    };
    const { text, exit } = await doctor((asked) => {
      const past = (asked.body.messages ?? []).filter(({ role }) => role === "assistant");
      if (past.some((one) => !("reasoning_content" in one)))
        return fault(400, "The `reasoning_content` in the thinking mode must be passed back to the API.");
      if (past.length === 0 && hasTools(asked))
        return rawReply({ content: "", ...thinking, tool_calls: [light] });
      return rawReply({ content: "ready", ...thinking });
    });
    expect(text).toMatch(/ok {7}tool result/);
    expect(text).toMatch(/ok {7}null content/);
    expect(exit).toBe(0);
  });

  test("with the project's settings; as JSON", async () => {
    const config = "model: mine\ntemperature: 0.3\nrequest: { top_p: 0.5 }\n";
    const { text, exit, requests } = await doctor(good, ["--json"], config);
    expect(requests[0]?.body).toMatchObject({ model: "mine", temperature: 0.3, top_p: 0.5 });
    const found: unknown = JSON.parse(text);
    expect(found).toMatchObject({ schema: "evalkit.doctor/1", model: "mine", usable: true });
    expect(text).toContain("mine is not listed; listed: stub-model");
    expect(exit).toBe(0);
  });

  test("Azure: its query behind each path, the key in its own header alone; a configured header takes ours' place", async () => {
    const seen = new Set<string>();
    const server = createServer((asked, answer) => {
      const { "api-key": key, authorization = "no bearer" } = asked.headers;
      seen.add(`${asked.method} ${asked.url} ${key ?? "no api-key"} ${authorization}`);
      asked.resume();
      answer.setHeader("content-type", "application/json");
      answer.end('{"choices":[{"index":0,"message":{"content":"ready"},"finish_reason":"stop"}]}');
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/openai/deployments/d?api-version=2024-10-21`;
    await doctor(good, ["--base-url", url], "model: d\nheaders: { Api-Key: azure-key-12345 }\n");
    const path = "/openai/deployments/d";
    expect([...seen]).toEqual([
      `GET ${path}/models?api-version=2024-10-21 azure-key-12345 no bearer`,
      `POST ${path}/chat/completions?api-version=2024-10-21 azure-key-12345 no bearer`,
    ]);
    seen.clear();
    await doctor(
      good,
      ["--base-url", `http://127.0.0.1:${port}/v1`],
      "model: d\nheaders: { Authorization: Basic eHg6eXk= }\n",
    );
    expect([...seen]).toEqual([
      "GET /v1/models no api-key Basic eHg6eXk=",
      "POST /v1/chat/completions no api-key Basic eHg6eXk=",
    ]);
    server.close();
    server.closeAllConnections();
  });

  test("nobody there", async () => {
    const { text, exit } = await doctor(good, ["--base-url", "http://127.0.0.1:9/v1"]);
    expect(text).toMatch(/fault {4}models +127.0.0.1:9 /);
    expect(exit).toBe(4);
  });
});
