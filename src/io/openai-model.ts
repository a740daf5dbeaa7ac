import type OpenAI from "openai";
import type { Env } from "../core/config/pick.ts";
import type { Failure } from "../core/nouns/transcript.ts";
import { fail } from "../core/nouns/problem.ts";
import { classifyFault, type Fault } from "../core/reply/fault.ts";
import { forcedCallMissing } from "../core/reply/forced.ts";
import { normaliseReply } from "../core/reply/normalise.ts";
import { type RequestSettings, requestBody } from "../core/reply/request.ts";
import { retryAfterInWords, retryAfterSeconds } from "../core/reply/retry-after.ts";
import type { CallContext, Model, ModelRequest, ModelResult } from "../run/ports.ts";
import { bodyBytes } from "./body-bytes.ts";
import { deadline } from "./deadline.ts";
import {
  connectionFailure,
  faultFailure,
  interruptedFailure,
  type Route,
  timeoutFailure,
} from "./failure-words.ts";
import type { ServerFetch } from "./http-fetch.ts";
import { BodyTooLarge, boundedText } from "./http-body.ts";
import { readReply } from "./http-reply.ts";
import { proxyFor } from "./proxy.ts";
import { serverFetch } from "./server-fetch.ts";
import { parseJson } from "../core/text/json.ts";

/** How a server is reached. */
export interface OpenAiOptions {
  /** Base URL, usually ending in `/v1`; null is OpenAI's own. */
  readonly baseUrl: string | null;
  /** Null where the server needs none. */
  readonly apiKey: string | null;
  /** Sent with every call, never stored. */
  readonly headers: Readonly<Record<string, string>>;
  /** Time limit of one call, the reply's body included. */
  readonly timeoutSeconds: number;
  readonly settings: RequestSettings;
  /** Takes secrets out of a server's words before they are shortened and kept. */
  readonly mask: (text: string) => string;
  /** Where `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are looked for; without it the server is asked directly. */
  readonly env?: Env;
  /** Largest reply in bytes; default 32 MiB. */
  readonly maxReplyBytes?: number;
}

/** OpenAI's own server, where no base URL is set. */
export const DEFAULT_BASE_URL = "https://api.openai.com/v1";
const MAX_REPLY_BYTES = 32 * 1024 * 1024;
const JSON_TYPE = { "content-type": "application/json" };
const MAX_ERROR_BYTES = 256 * 1024;

/**
 * A live model behind any server that speaks Chat Completions. One call is one attempt: retries and limits are put
 * around it. The `openai` package is loaded here only, and its own retries and parsing are not used: what a server did
 * wrong must be told as what it was. Throws `InputError` for a base URL that is none, and for such a proxy.
 */
export async function openAiModel(options: OpenAiOptions): Promise<Model> {
  const baseUrl = options.baseUrl ?? DEFAULT_BASE_URL;
  const route = routeTo(options);
  const ask = await serverFetch(route.proxy);
  const { default: Client } = await import("openai");
  const url = new URL(baseUrl);
  const client = new Client({
    baseURL: `${url.origin}${url.pathname}`.replace(/\/+$/, ""),
    // Azure's older addresses end in `?api-version=…`, which belongs behind the path of the call.
    defaultQuery: Object.fromEntries(url.searchParams),
    apiKey: "none",
    adminAPIKey: null,
    defaultHeaders: requestHeaders(options),
    maxRetries: 0,
    // The package's limit ends with the headers; ours, which covers the body too, must be the first to fire.
    timeout: Math.min(2 ** 31 - 1, options.timeoutSeconds * 1000 + 60_000),
    logLevel: "off",
    fetch: (address, init) => fetchOrRefuse(ask, address, init),
  });
  return { call: (request, context) => callOnce(client, options, route, request, context) };
}

/**
 * The headers that say who asks; names in lower case, so that a configured one takes the place of ours. The key goes as a
 * bearer token, a placeholder where there is none, since some servers ask for any. Null sends none: a key in a header of
 * its own, as Azure takes it, and a bearer that is none would be a second answer to the same question.
 */
export function requestHeaders({
  apiKey,
  headers,
}: Pick<OpenAiOptions, "apiKey" | "headers">): Record<string, string | null> {
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const key = apiKey?.trim() || null;
  const elsewhere = Object.keys(own).some((name) => /^(x-)?api-key$/.test(name));
  return { authorization: key === null && elsewhere ? null : `Bearer ${key ?? "none"}`, ...own };
}

/** The way to a server. Throws `InputError` where its address or its proxy's is none. */
export function routeTo({ baseUrl, env = {}, mask }: Pick<OpenAiOptions, "baseUrl" | "env" | "mask">): Route {
  const url = baseUrl ?? DEFAULT_BASE_URL;
  const host = serverHost(url);
  return { host, proxy: proxyFor(new URL(url), env), mask };
}

/** Host and port of a base URL, for messages and run.json. Throws `InputError` where it is no URL or holds a password. */
export function serverHost(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return fail(
      "base-url",
      { key: "baseUrl" },
      "the base URL is no http or https address",
      "such as http://127.0.0.1:8080/v1",
    );
  }
  if (url.username !== "" || url.password !== "") {
    return fail(
      "base-url",
      { key: "baseUrl" },
      "the base URL holds a user name or password",
      "put the key into OPENAI_API_KEY",
    );
  }
  return url.host;
}

/** Thrown through the package, which would read an error's body whole and keep only its `error` member. */
class Refused extends Error {
  readonly answer: { readonly status: number; readonly headers: Headers; readonly text: string };
  constructor(answer: Refused["answer"]) {
    super("refused");
    this.answer = answer;
  }
}

/** Thrown through the package, which would take whatever reads like a time-out for one of its own and lose the reason. */
class Unreached extends Error {
  readonly reason: unknown;
  constructor(reason: unknown) {
    super("unreached");
    this.reason = reason;
  }
}

/** A redirect is not followed: prompts and headers with keys go to the server that was named and to no other. */
async function fetchOrRefuse(
  ask: ServerFetch,
  address: Parameters<typeof fetch>[0],
  init?: RequestInit,
): Promise<Response> {
  const url = address instanceof Request ? address.url : address;
  const response = await ask(url, { ...init, redirect: "manual" }).catch((error: unknown) => {
    throw new Unreached(error);
  });
  if (response.ok) return response;
  const text = await boundedText(response, MAX_ERROR_BYTES).catch(() => "");
  throw new Refused({ status: response.status, headers: response.headers, text });
}

async function callOnce(
  client: OpenAI,
  options: OpenAiOptions,
  route: Route,
  request: ModelRequest,
  context: CallContext,
): Promise<ModelResult> {
  if (context.signal.aborted) return { ok: false, failure: interruptedFailure() };
  const body = requestBody(request, options.settings, context.key.trial);
  const limit = deadline(context.signal, options.timeoutSeconds * 1000);
  const from = performance.now();
  let response: Response | null = null;
  try {
    response = await client
      .post("/chat/completions", { body: bodyBytes(body), headers: JSON_TYPE, signal: limit.signal })
      .asResponse();
    const read = await readReply(
      response,
      options.maxReplyBytes ?? MAX_REPLY_BYTES,
      () => limit.signal.aborted,
    );
    if (limit.signal.aborted && !read.ok) throw new Error("aborted");
    // Whole milliseconds, as recordings keep them: a replayed trial is told exactly as it was.
    const ms = Math.round(performance.now() - from);
    return read.ok
      ? fromRaw(body, read.raw, ms, response.headers, route)
      : fromFault(read.fault, response.headers, route);
  } catch (error) {
    if (limit.expired()) return failed(timeoutFailure(route, options.timeoutSeconds, response !== null));
    if (context.signal.aborted) return failed(interruptedFailure());
    return fromError(error, response !== null, route);
  } finally {
    limit.release();
  }
}

function failed(failure: Failure): ModelResult {
  return { ok: false, failure };
}

function fromRaw(body: unknown, raw: unknown, ms: number, headers: Headers, route: Route): ModelResult {
  const read = normaliseReply(raw);
  if (!read.ok) return fromFault(read.fault, headers, route);
  const ignored = forcedCallMissing(body, read.reply);
  if (ignored !== null) return fromFault(ignored, headers, route);
  return { ok: true, reply: read.reply, raw, ms, attempts: 1, replayed: false };
}

function fromFault(fault: Fault, headers: Headers, route: Route): ModelResult {
  const failure = faultFailure(fault, route);
  const told = retryAfterSeconds((name) => headers.get(name), Date.now());
  const wait = told ?? (fault.kind === "rate-limited" ? retryAfterInWords(fault.said) : null);
  return { ok: false, failure, ...(wait === null ? {} : { retryAfterSeconds: wait }) };
}

function fromError(error: unknown, answered: boolean, route: Route): ModelResult {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Refused) {
    const { status, headers, text } = cause.answer;
    if (status < 400) return fromFault(redirected(status, headers), headers, route);
    return fromFault(classifyFault({ status, body: parseJson(text), text }), headers, route);
  }
  if (error instanceof BodyTooLarge) {
    const said = `a reply of ${error.message}`;
    return fromFault({ kind: "bad-response", status: 200, said, hint: "" }, new Headers(), route);
  }
  return failed(connectionFailure(cause instanceof Unreached ? cause.reason : error, route, answered));
}

function redirected(status: number, headers: Headers): Fault {
  const target = headers.get("location") ?? "";
  const url = URL.canParse(target) ? new URL(target) : null;
  // What stands behind the path may be a key.
  const said = `a redirect to ${url === null ? "another address" : `${url.origin}${url.pathname}`}`;
  const hint = "redirects are not followed: set the base URL to the server itself";
  return { kind: "refused-request", status, said, hint };
}
