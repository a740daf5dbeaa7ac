import type { FAILURE_KINDS } from "../nouns/transcript.ts";
import { errorBodies, errorCodes, errorText } from "./error-body.ts";
import { refusalHint } from "./hints.ts";
import { field, isObject, list, textField } from "../text/json.ts";

export type FailureKind = (typeof FAILURE_KINDS)[number];

/** What a server said instead of a reply. */
export interface Fault {
  readonly kind: FailureKind;
  /** Its HTTP status, or the one named in the body of a 200; null where there is none. */
  readonly status: number | null;
  /** The server's own words, unmasked; long ones are cut far beyond what is ever shown. */
  readonly said: string;
  /** What to do about it; empty where that cannot be said. */
  readonly hint: string;
}

/** An answer that is no reply. `body` is its JSON, `undefined` where it is none; then `text` is what came. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
}

/**
 * Whether the JSON is an error and no reply: an `error` member, or vLLM's `object: "error"`. Beside choices an error must
 * say something (OpenRouter sends both); some servers always have an empty one.
 */
export function isErrorBody(body: unknown): boolean {
  if (Array.isArray(body)) return body.length > 0 && isErrorBody(body[0]);
  if (!isObject(body)) return false;
  if (field(body, "object") === "error") return true;
  const error = field(body, "error");
  if (list(field(body, "choices")).length > 0) return textField(error, "message") !== "";
  return error !== undefined && error !== null && error !== false && error !== "";
}

/** Tells what kind of failure an error answer is; infrastructure faults are never the model's. */
export function classifyFault({ status: given, body, text }: ErrorAnswer): Fault {
  const bodies = errorBodies(body);
  const said = errorText(bodies, body, text);
  const codes = bodies.flatMap(errorCodes);
  const status = given >= 400 ? given : (codes.find((code) => /^[45]\d\d$/.test(code)) ?? null);
  const number = status === null ? null : Number(status);
  const kind = kindOf(number, codes, said);
  return { kind, status: number ?? given, said, hint: hintOf(kind, number, bodies, said) };
}

const QUOTA_CODE =
  /insufficient_(quota|balance|funds|credit)|billing|quota_exceeded|credit_limit|payment_required|arrearage/i;
const QUOTA_TEXT =
  /exceeded your current quota|insufficient (quota|balance|credits?|funds)|(out of|no more|not enough|add|buy|purchase) (more )?credits?|credit balance|payment required|billing (hard )?limit|余额不足|欠费/i;
const RATE_TEXT =
  /rate.?limit|too many requests|per[ -](minute|second|hour|day)|try again in|retry in|throttl|\b[rt]p[md]\b/i;
const RATE_CODE = /rate_?limit|too_many_requests|resource_?exhausted|throttl/i;
const CONTEXT =
  /context[ _-]?(length|window|size)|maximum (prompt|input|sequence) length|(prompt|input) (is )?too long|too many (input |prompt )?tokens|reduce the length of the (messages|prompt)/i;
/** Google answers 400 to a wrong key. */
const NO_KEY =
  /api_key_invalid|api key (is )?(not valid|invalid|expired)|(invalid|incorrect|missing) api key/i;
const NO_MODEL =
  /model_not_found|no such model|unknown model|invalid model\b|model\b[^.]{0,120}\b(not found|does not exist|doesn't exist|is not available|not supported|not loaded)|try pulling/i;

function kindOf(status: number | null, codes: readonly string[], said: string): FailureKind {
  const code = codes.join(" ");
  if (QUOTA_CODE.test(code) || status === 402) return "quota";
  const limits = status === 429 || RATE_CODE.test(code) || (status === null && RATE_TEXT.test(said));
  if (QUOTA_TEXT.test(said) && !RATE_TEXT.test(said) && (limits || status === 403 || status === 400)) {
    return "quota";
  }
  if (limits) return "rate-limited";
  if (status === 401 || status === 403 || /invalid_api_key|authentication/i.test(code)) return "auth";
  if (status === 400 && NO_KEY.test(`${code} ${said}`)) return "auth";
  if (CONTEXT.test(`${code} ${said}`)) return "context-length";
  if ((status === 404 || status === 400 || status === null) && NO_MODEL.test(`${code} ${said}`)) {
    return "no-model";
  }
  if (status === 408 || status === 409 || status === 425) return "server";
  if (status !== null && status >= 400 && status < 500) return "refused-request";
  if (status !== null && status >= 500) return "server";
  return /invalid_request/i.test(code) ? "refused-request" : "server";
}

function hintOf(kind: FailureKind, status: number | null, bodies: readonly unknown[], said: string): string {
  switch (kind) {
    case "quota":
      return "the account is out of quota or credit; waiting does not help";
    case "auth":
      return "set OPENAI_API_KEY to a key that this server accepts";
    case "no-model":
      return "name a model that this server has: --model (evalkit doctor lists them)";
    case "context-length":
      return "the conversation is longer than the model can take: lower --max-tokens, shorten the case, or choose a model with a longer context";
    case "refused-request":
      if (status === 404 || status === 405) return "is the base URL right? It usually ends in /v1";
      return refusalHint(bodies.map(paramOf).find((name) => name !== "") ?? "", said);
    default:
      return "";
  }
}

function paramOf(body: unknown): string {
  return textField(field(body, "error"), "param") || textField(body, "param");
}
