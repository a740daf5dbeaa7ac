import type { Failure } from "../core/nouns/transcript.ts";
import { classifyFault } from "../core/reply/fault.ts";
import type { RequestSettings } from "../core/reply/request.ts";
import { connectionFailure, faultFailure, timeoutFailure } from "./failure-words.ts";
import { boundedText } from "./http-body.ts";
import { httpFetch } from "./http-fetch.ts";
import { DEFAULT_BASE_URL, openAiModel, type OpenAiOptions, serverHost } from "./openai-model.ts";
import { field, list, parseJson, textField } from "../core/text/json.ts";

type Listed = { ok: true; ids: readonly string[] } | { ok: false; failure: Failure };
type Raw = { ok: true } | { ok: false; said: string };
const MAX_BYTES = 4 * 1024 * 1024;

/** A server as the doctor examines it: its list of models, models with given settings, and bodies sent as they are. */
export function openPatient(options: Omit<OpenAiOptions, "settings">) {
  const reach = async (path: string, body?: Readonly<Record<string, unknown>>): Promise<Response> => {
    const url = new URL(options.baseUrl ?? DEFAULT_BASE_URL);
    url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
    return httpFetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${options.apiKey?.trim() || "none"}`,
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(options.timeoutSeconds * 1000),
    });
  };
  return {
    models: () => listModels(reach, options),
    chat: (settings: RequestSettings) => openAiModel({ ...options, settings }),
    raw: (body: Readonly<Record<string, unknown>>) => sendRaw(reach, options, body),
  };
}

type Reach = (path: string, body?: Readonly<Record<string, unknown>>) => Promise<Response>;

async function listModels(reach: Reach, options: Omit<OpenAiOptions, "settings">): Promise<Listed> {
  const host = serverHost(options.baseUrl ?? DEFAULT_BASE_URL);
  try {
    const response = await reach("/models");
    const text = await boundedText(response, MAX_BYTES);
    const body = parseJson(text);
    if (!response.ok) {
      const fault = classifyFault({ status: response.status, body, text });
      return { ok: false, failure: faultFailure(fault, host, options.mask) };
    }
    const entries = [...list(field(body, "data")), ...list(field(body, "models"))];
    const ids = entries.map((entry) => textField(entry, "id") || textField(entry, "name"));
    return { ok: true, ids: [...new Set(ids.filter((id) => id !== ""))] };
  } catch (error) {
    return { ok: false, failure: troubleOf(error, host, options) };
  }
}

async function sendRaw(
  reach: Reach,
  options: Omit<OpenAiOptions, "settings">,
  body: Readonly<Record<string, unknown>>,
): Promise<Raw> {
  const host = serverHost(options.baseUrl ?? DEFAULT_BASE_URL);
  try {
    const response = await reach("/chat/completions", body);
    const text = await boundedText(response, MAX_BYTES);
    if (response.ok) return { ok: true };
    const fault = classifyFault({ status: response.status, body: parseJson(text), text });
    return { ok: false, said: faultFailure(fault, host, options.mask).message };
  } catch (error) {
    return { ok: false, said: troubleOf(error, host, options).message };
  }
}

function troubleOf(error: unknown, host: string, options: Omit<OpenAiOptions, "settings">): Failure {
  const late = error instanceof Error && error.name === "TimeoutError";
  return late
    ? timeoutFailure(host, options.timeoutSeconds, false)
    : connectionFailure(error, host, false, options.mask);
}
