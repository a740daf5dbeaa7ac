import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, repository } from "./support/project.ts";
import {
  fault,
  reply,
  type StubAnswer,
  type StubHandler,
  type StubRequest,
  sse,
  startStub,
} from "./support/stub-server.ts";
import { chunk, rawReply } from "./support/wire.ts";

const PROJECT = {
  "prompts/base.md": "You help.\n\n## Language\n\nEnglish.\n",
  "cases/a.yaml": `turns: [{ user: Make it bright. }, { user: And now? }]
tools:
  - name: light
    description: Switches the light.
    parameters: { type: object, properties: { state: { type: string } } }
    results: [{ return: done }]
expect:
  tools: { calls: [{ name: light }] }
  completion: [{ answer: { contains: bright } }]
`,
  "evalkit.yaml": "model: m\nretries: 0\ntrials: 1\n",
};
const SIGNED = { google: { thought_signature: "c2lnbmF0dXJl" } };
const CALL = { id: "c1", type: "function", function: { name: "light", arguments: '{"state":"on"}' } };

/** The assistant messages of a request. */
const past = ({ body }: StubRequest): readonly Record<string, unknown>[] =>
  (body.messages ?? []).filter(({ role }) => role === "assistant");
/** Calls first, then answers; `thinking` is what its messages hold besides. */
const thinker =
  (thinking: object, signed: object, whole: (message: object) => StubAnswer): StubHandler =>
  (request) =>
    request.body.messages?.at(-1)?.role === "user" && past(request).length === 0
      ? whole({ role: "assistant", content: "", ...thinking, tool_calls: [{ ...CALL, ...signed }] })
      : whole({ role: "assistant", content: "It is bright.", ...thinking });
const asJson = (message: object) => rawReply(message);
const streamed = (message: object) => sse([chunk(message), chunk({}, "stop")]);

async function run(handler: StubHandler, ...more: readonly string[]) {
  const stub = await startStub(handler);
  const cwd = repository(PROJECT);
  const args = ["run", "--baseline", "main", "--candidate", "main", "--aa", "--run-id", "r1", ...more];
  const env = { OPENAI_BASE_URL: stub.url, OPENAI_API_KEY: "stub-key-0123456789" };
  const ran = await cli(args, { cwd, env });
  const trials = readFileSync(join(cwd, "reports/r1/trials.jsonl"), "utf8");
  return { ...ran, cwd, trials, requests: stub.requests };
}
const statuses = (trials: string) =>
  [...trials.matchAll(/"status":"(finished|broken|stopped)","outcome"/g)].map(([, one]) => one);

test.each([
  ["as JSON", asJson],
  ["streamed", streamed],
])("DeepSeek and Kimi want reasoning_content back in each reply of the model, %s", async (_, whole) => {
  const think = thinker({ reasoning_content: "I must switch it." }, {}, whole);
  const strict: StubHandler = (request, n) =>
    past(request).every((one) => one.reasoning_content === "I must switch it.")
      ? think(request, n)
      : fault(400, "The `reasoning_content` in the thinking mode must be passed back to the API.");
  const { trials, cwd, requests } = await run(strict);
  expect(statuses(trials)).toEqual(["finished", "finished"]);
  expect(requests).toHaveLength(6);
  const again = await cli(
    ["run", "--baseline", "main", "--candidate", "main", "--aa", "--replay", "strict"],
    { cwd },
  );
  expect(again.stderr).not.toContain("broken");
});

test.each([
  ["as JSON", asJson],
  ["streamed", streamed],
])("Gemini wants the signature of a call back with it, %s", async (_, whole) => {
  const sign = thinker({}, { extra_content: SIGNED }, whole);
  const strict: StubHandler = (request, n) => {
    const calls = past(request).flatMap(({ tool_calls: sent }) => (Array.isArray(sent) ? sent : []));
    const signed = calls.every((one) => JSON.stringify(one.extra_content) === JSON.stringify(SIGNED));
    return signed
      ? sign(request, n)
      : fault(400, "Function call is missing a thought_signature in functionCall parts.");
  };
  expect(statuses((await run(strict)).trials)).toEqual(["finished", "finished"]);
});

test("OpenRouter wants its signed blocks back whole, though they were streamed in pieces", async () => {
  const block = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
  const sealed = {
    type: "reasoning.encrypted",
    data: "c2VhbGVk",
    id: "c1",
    format: "google-gemini-v1",
    index: 1,
  };
  const details = [
    { ...block, text: "Let" },
    { ...block, text: " me see." },
    { ...block, signature: "c2lnbmVk" },
    sealed,
  ];
  const whole = [{ ...block, text: "Let me see.", signature: "c2lnbmVk" }, sealed];
  const inPieces = (message: object) =>
    sse([...details.map((one) => chunk({ reasoning_details: [one] })), chunk(message), chunk({}, "stop")]);
  const think = thinker({}, {}, inPieces);
  const strict: StubHandler = (request, n) => {
    expect(past(request).map((one) => one.reasoning_details)).toEqual(past(request).map(() => whole));
    return think(request, n);
  };
  expect(statuses((await run(strict)).trials)).toEqual(["finished", "finished"]);
  const once = await run(thinker({ reasoning_details: whole }, {}, asJson));
  expect(past(once.requests.at(-1) as StubRequest).map((one) => one.reasoning_details)).toEqual([
    whole,
    whole,
  ]);
});

test.each([
  "body.messages.2.assistant.reasoning_content: Extra inputs are not permitted",
  "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
  "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
])(
  "a gateway that sends such fields but refuses them is asked without, and so from then on: %s",
  async (words) => {
    const think = thinker({ reasoning_content: "Hm." }, { extra_content: SIGNED }, asJson);
    const refusing: StubHandler = (request, n) =>
      /reasoning_content|extra_content/.test(request.text) ? fault(422, words) : think(request, n);
    const { trials, requests, code } = await run(refusing, "--concurrency", "1");
    expect(statuses(trials)).toEqual(["finished", "finished"]);
    expect(requests).toHaveLength(7);
    expect(code).not.toBe(4);
  },
);

test("reasoning in other fields is not sent back: those servers refuse or ignore it", async () => {
  const { requests, trials } = await run(thinker({ reasoning: "Hm." }, {}, streamed));
  expect(statuses(trials)).toEqual(["finished", "finished"]);
  expect(requests.some(({ text }) => text.includes("Hm."))).toBe(false);
  expect((await run(() => reply("bright"))).requests.every(({ text }) => !text.includes("reasoning"))).toBe(
    true,
  );
});

test.each<[string, (request: StubRequest) => boolean, string]>([
  [
    "Gemini wants the name of the tool beside its result",
    ({ body }) => (body.messages ?? []).some((one) => one.role === "tool" && !("name" in one)),
    "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.",
  ],
  [
    "a bridge refuses an empty text beside calls",
    (request) =>
      past(request).some(({ content, tool_calls: calls }) => content === "" && calls !== undefined),
    "messages: text content blocks must be non-empty",
  ],
])("%s: asked again that way once, and so from then on", async (_, refuses, words) => {
  const think = thinker({}, {}, asJson);
  const picky: StubHandler = (request, n) => (refuses(request) ? fault(400, words) : think(request, n));
  const { trials, requests } = await run(picky, "--concurrency", "1");
  expect(statuses(trials)).toEqual(["finished", "finished"]);
  expect(requests).toHaveLength(7);
  expect(requests.at(-1)?.body.messages?.find(({ role }) => role === "tool")?.content).toBe("done");
});

test("a refusal that no other way mends is told as it was, after one more request at the most", async () => {
  const think = thinker({}, {}, asJson);
  const stubborn: StubHandler = (request, n) =>
    past(request).length > 0 ? fault(400, "text content blocks must be non-empty") : think(request, n);
  const { trials, requests, stderr } = await run(stubborn);
  expect(statuses(trials)).toEqual(["broken", "broken"]);
  expect(requests).toHaveLength(6);
  expect(stderr).toContain("text content blocks must be non-empty");
});
