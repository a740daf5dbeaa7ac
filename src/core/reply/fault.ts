import type { FAILURE_KINDS } from "../nouns/transcript.ts";
import { refusalHint } from "./hints.ts";
import { field, isObject, jsonText, list, textField } from "../text/json.ts";

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
  if (!isObject(body)) return false;
  if (field(body, "object") === "error") return true;
  const error = field(body, "error");
  if (list(field(body, "choices")).length > 0) return textField(error, "message") !== "";
  return error !== undefined && error !== null && error !== false && error !== "";
}

/** Tells what kind of failure an error answer is; infrastructure faults are never the model's. */
export function classifyFault(answer: ErrorAnswer): Fault {
  const said = errorText(answer);
  const codes = errorCodes(answer.body);
  const status =
    answer.status >= 400 ? answer.status : (codes.find((code) => /^[45]\d\d$/.test(code)) ?? null);
  const number = status === null ? null : Number(status);
  const kind = kindOf(number, codes, said);
  return { kind, status: number ?? answer.status, said, hint: hintOf(kind, number, answer.body, said) };
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
  if (CONTEXT.test(`${code} ${said}`)) return "context-length";
  if ((status === 404 || status === 400 || status === null) && NO_MODEL.test(`${code} ${said}`)) {
    return "no-model";
  }
  if (status === 408 || status === 409 || status === 425) return "server";
  if (status !== null && status >= 400 && status < 500) return "refused-request";
  if (status !== null && status >= 500) return "server";
  return /invalid_request/i.test(code) ? "refused-request" : "server";
}

function hintOf(kind: FailureKind, status: number | null, body: unknown, said: string): string {
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
      if (status === 404) return "is the base URL right? It usually ends in /v1";
      return refusalHint(textField(field(body, "error"), "param") || textField(body, "param"), said);
    default:
      return "";
  }
}

function errorCodes(body: unknown): readonly string[] {
  const error = field(body, "error");
  const values = [
    field(error, "code"),
    field(error, "type"),
    field(error, "status"),
    field(body, "code"),
    field(body, "type"),
    field(body, "status"),
  ];
  return values.flatMap((value) =>
    typeof value === "string" || typeof value === "number" ? [String(value)] : [],
  );
}

function errorText({ body, text }: ErrorAnswer): string {
  const error = field(body, "error");
  const told = [
    textField(error, "message"),
    typeof error === "string" ? error : "",
    textField(body, "message"),
    detailText(field(body, "detail")),
    textField(body, "error_msg"),
    textField(body, "msg"),
  ].find((words) => words !== "");
  if (told !== undefined) return oneLine(told);
  if (body !== undefined) return jsonText(body)?.slice(0, 20_000) ?? "unreadable JSON";
  return text.trim() === "" ? "" : oneLine(pageText(text));
}

/** FastAPI's `detail`: a text, or a list of what is wrong and where. */
function detailText(detail: unknown): string {
  if (typeof detail === "string") return detail;
  const lines = list(detail).map((one) => {
    const where = list(field(one, "loc")).map(String).join(".");
    return `${where === "" ? "" : `${where}: `}${textField(one, "msg")}`;
  });
  return lines.join("; ");
}

/** The words of an HTML page: its title, else its text; other texts as they are. */
export function pageText(text: string): string {
  const start = text.slice(0, 20_000);
  if (!/<(!doctype|html|head|body|h1|title)\b/i.test(start)) return start;
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(start)?.[1]?.trim();
  const words = start.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, " ").replace(/<[^>]*>/g, " ");
  return `an HTML page: ${oneLine(title ? title : words)}`;
}

function oneLine(text: string): string {
  return text.slice(0, 20_000).replace(/\s+/g, " ").trim();
}
