import type { Failure } from "../core/nouns/transcript.ts";
import { classifyFault } from "../core/reply/fault.ts";
import type { RequestSettings } from "../core/reply/request.ts";
import { connectionFailure, faultFailure, type Route, timeoutFailure } from "./failure-words.ts";
import { boundedText } from "./http-body.ts";
import {
  DEFAULT_BASE_URL,
  openAiModel,
  type OpenAiOptions,
  requestHeaders,
  routeTo,
} from "./openai-model.ts";
import { serverFetch } from "./server-fetch.ts";
import { field, list, parseJson, textField } from "../core/text/json.ts";

type Listed = { ok: true; ids: readonly string[] } | { ok: false; failure: Failure };
type Raw = { ok: true } | { ok: false; said: string };
const MAX_BYTES = 4 * 1024 * 1024;

/** A server as the doctor examines it: its list of models, models with given settings, and bodies sent as they are. */
export function openPatient(options: Omit<OpenAiOptions, "settings">) {
  const route = routeTo(options);
  const reach = async (path: string, body?: Readonly<Record<string, unknown>>): Promise<Response> => {
    const url = new URL(options.baseUrl ?? DEFAULT_BASE_URL);
    url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
    const ask = await serverFetch(route.proxy);
    return ask(url, {
      redirect: "manual",
      method: body === undefined ? "GET" : "POST",
      headers: sentHeaders(options),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(options.timeoutSeconds * 1000),
    });
  };
  return {
    models: () => listModels(reach, route, options),
    chat: (settings: RequestSettings) => openAiModel({ ...options, settings }),
    raw: (body: Readonly<Record<string, unknown>>) => sendRaw(reach, route, options, body),
  };
}

function sentHeaders(options: Pick<OpenAiOptions, "apiKey" | "headers">): Record<string, string> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  for (const [name, value] of Object.entries(requestHeaders(options))) {
    if (value !== null) headers[name] = value;
  }
  return headers;
}

type Timed = Pick<OpenAiOptions, "timeoutSeconds">;
type Reach = (path: string, body?: Readonly<Record<string, unknown>>) => Promise<Response>;

async function listModels(reach: Reach, route: Route, options: Timed): Promise<Listed> {
  try {
    const response = await reach("/models");
    const text = await boundedText(response, MAX_BYTES);
    const body = parseJson(text);
    if (!response.ok) {
      const fault = classifyFault({ status: response.status, body, text });
      return { ok: false, failure: faultFailure(fault, route) };
    }
    const entries = [...list(field(body, "data")), ...list(field(body, "models"))];
    const ids = entries.map((entry) => textField(entry, "id") || textField(entry, "name"));
    return { ok: true, ids: [...new Set(ids.filter((id) => id !== ""))] };
  } catch (error) {
    return { ok: false, failure: troubleOf(error, route, options) };
  }
}

async function sendRaw(
  reach: Reach,
  route: Route,
  options: Timed,
  body: Readonly<Record<string, unknown>>,
): Promise<Raw> {
  try {
    const response = await reach("/chat/completions", body);
    const text = await boundedText(response, MAX_BYTES);
    if (response.ok) return { ok: true };
    const fault = classifyFault({ status: response.status, body: parseJson(text), text });
    return { ok: false, said: faultFailure(fault, route).message };
  } catch (error) {
    return { ok: false, said: troubleOf(error, route, options).message };
  }
}

function troubleOf(error: unknown, route: Route, options: Timed): Failure {
  const late = error instanceof Error && error.name === "TimeoutError";
  return late ? timeoutFailure(route, options.timeoutSeconds, false) : connectionFailure(error, route, false);
}
