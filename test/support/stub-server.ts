import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll } from "vitest";

/** A request as the stub saw it. `body` is the parsed JSON, or null. */
export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: ChatBody;
}

/** The part of a Chat Completions body that tests look at. */
export interface ChatBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly {
    readonly role: string;
    readonly content: string;
    readonly tool_call_id?: string;
    readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly [key: string]: unknown;
}

/** A well-formed completion; the stub sends it as JSON, or as an event stream where the request asks for one. */
export interface StubCompletion {
  readonly content?: string | null;
  readonly calls?: readonly { id?: string; name: string; arguments?: string | object }[];
  readonly finish?: string;
  readonly usage?: object | null;
}

/** What the stub sends. The default status is 200; the entries of a bug's responses.json fit as they are. */
export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly completion?: StubCompletion;
  /** Waits before the first byte. */
  readonly delayMs?: number;
  /** Takes the request and never answers. */
  readonly hang?: true;
  /** Sends so many bytes of the body, then cuts the connection (0: headers only). */
  readonly cutAfter?: number;
  /** Sends so many bytes of the body, then goes silent with the connection open. */
  readonly stallAfter?: number;
}

export type StubHandler = (request: StubRequest, number: number) => StubAnswer | Promise<StubAnswer>;

export interface Stub {
  /** Base URL, ending in `/v1`. */
  readonly url: string;
  /** Chat requests in the order they came. */
  readonly requests: readonly StubRequest[];
  /** How many connections were opened. */
  connections(): number;
  close(): Promise<void>;
}

const open: Stub[] = [];
afterAll(() => Promise.all(open.splice(0).map((stub) => stub.close())));

/** A completion as an answer: `reply("hello")`, `reply({ calls: [{ name: "add", arguments: { a: 1 } }] })`. */
export function reply(completion: string | StubCompletion): StubAnswer {
  return { completion: typeof completion === "string" ? { content: completion } : completion };
}

/** An event stream of the given chunks, each JSON, then `[DONE]`. */
export function sse(chunks: readonly unknown[], done = true): StubAnswer {
  const lines = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return {
    headers: { "content-type": "text/event-stream" },
    body: lines.join("") + (done ? "data: [DONE]\n\n" : ""),
  };
}

/** An error as OpenAI's API words it. */
export function fault(status: number, message: string, more: object = {}, headers = {}): StubAnswer {
  return { status, headers, body: { error: { message, ...more } } };
}

/**
 * Starts a real HTTP server on loopback. A list is given in order, and a request beyond its end gets a 400 that says
 * so; a handler sees each request and its number, from 0. `GET …/models` lists `stub-model` by itself. It is closed
 * when the test file is done.
 */
export async function startStub(script: StubHandler | readonly StubAnswer[]): Promise<Stub> {
  const requests: StubRequest[] = [];
  const handler: StubHandler =
    typeof script === "function"
      ? script
      : (_, n) => script[n] ?? fault(400, `stub: the list of ${script.length} replies is used up`);
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming);
    if (request.method === "GET") return send(response, { body: MODELS });
    requests.push(request);
    const answer = await handler(request, requests.length - 1);
    await send(
      response,
      answer.completion === undefined ? answer : render(answer, answer.completion, request),
    );
  });
  server.keepAliveTimeout = 60_000;
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const stub: Stub = {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  open.push(stub);
  return stub;
}

const MODELS = { object: "list", data: [{ id: "stub-model", object: "model" }] };
const HEAD = { id: "stub-1", created: 0, model: "stub-model" };
const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

async function readRequest(incoming: IncomingMessage): Promise<StubRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part);
  const text = Buffer.concat(parts).toString("utf8");
  const { method = "", url: path = "", headers } = incoming;
  return { method, path, headers, text, body: text === "" ? {} : JSON.parse(text) };
}

async function send(response: ServerResponse, answer: StubAnswer): Promise<void> {
  if (answer.delayMs !== undefined) await delay(answer.delayMs);
  if (answer.hang || response.destroyed) return;
  const raw = typeof answer.body === "string";
  const bytes = Buffer.from(raw ? String(answer.body) : JSON.stringify(answer.body ?? {}));
  const partial = answer.cutAfter ?? answer.stallAfter;
  response.writeHead(answer.status ?? 200, {
    "content-type": raw ? "text/plain" : "application/json",
    ...(partial === undefined ? { "content-length": bytes.length } : {}),
    ...answer.headers,
  });
  if (partial === undefined) return void response.end(bytes);
  response.flushHeaders();
  await new Promise((written) => response.write(bytes.subarray(0, partial), written));
  if (answer.cutAfter !== undefined) response.destroy();
}

function render(answer: StubAnswer, completion: StubCompletion, request: StubRequest): StubAnswer {
  const calls = (completion.calls ?? []).map((call, index) => ({
    id: call.id ?? `call-${index + 1}`,
    type: "function",
    function: {
      name: call.name,
      arguments:
        typeof call.arguments === "object" ? JSON.stringify(call.arguments) : (call.arguments ?? "{}"),
    },
  }));
  const finish = completion.finish ?? (calls.length > 0 ? "tool_calls" : "stop");
  const usage = completion.usage === null ? {} : { usage: completion.usage ?? USAGE };
  const tools = calls.length > 0 ? { tool_calls: calls } : {};
  if (request.body.stream !== true) {
    const message = { role: "assistant", content: completion.content ?? null, ...tools };
    const choices = [{ index: 0, message, finish_reason: finish }];
    return { ...answer, body: { ...HEAD, object: "chat.completion", choices, ...usage } };
  }
  const chunk = (delta: object, end: string | null = null) => ({
    ...HEAD,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: end }],
  });
  const pieces = calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] }));
  const chunks = [
    chunk({ role: "assistant", content: completion.content ?? "" }),
    ...pieces,
    chunk({}, finish),
    { ...HEAD, object: "chat.completion.chunk", choices: [], ...usage },
  ];
  const streamed = sse(chunks);
  return { ...answer, ...streamed, headers: { ...streamed.headers, ...answer.headers } };
}
