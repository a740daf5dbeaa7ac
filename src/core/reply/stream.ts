import { joinParts } from "./content.ts";
import { isErrorBody } from "./fault.ts";
import { addReasoningDetail } from "./reasoning-details.ts";
import { settledArguments } from "./stream-arguments.ts";
import { addCallPiece, type CallPieces } from "./stream-calls.ts";
import { field, isObject, type JsonObject, list, textField } from "../text/json.ts";

/** A stream put together, or why it is no reply. `error` is the error object that a server sent in mid-stream. */
export type Assembled =
  | { readonly kind: "complete"; readonly raw: Readonly<Record<string, unknown>> }
  | { readonly kind: "error"; readonly body: unknown }
  | { readonly kind: "cut-off"; readonly events: number; readonly empty: boolean };

interface Parts {
  readonly head: Record<string, unknown>;
  content: string;
  reasoning: string;
  /** The field it came in, the more telling one of two. */
  reasoningField: "reasoning_content" | "reasoning";
  readonly details: JsonObject[];
  refusal: string;
  readonly calls: CallPieces;
  older: { name: string; arguments: string } | null;
  finish: string | null;
  usage: unknown;
  /** A chunk of usage alone, which servers send last. */
  closed: boolean;
  /** Number of the choice that is read: the first seen. */
  choice: unknown;
}

/**
 * Puts the chunks of a streamed reply together to the JSON that the server would have sent unstreamed. A stream counts as
 * whole when something says its end: `[DONE]`, a finish reason, or the usage that comes last; otherwise it was cut off.
 * Usage may come in every chunk: the last one counts. Of several choices the first is read.
 */
export function assembleStream(chunks: readonly unknown[], done: boolean): Assembled {
  const error = chunks.find(isErrorBody);
  if (error !== undefined) return { kind: "error", body: error };
  const parts = emptyParts();
  for (const chunk of chunks) addChunk(parts, chunk);
  const spoke = parts.choice !== undefined;
  if (!spoke || !(done || parts.finish !== null || parts.closed)) {
    return { kind: "cut-off", events: chunks.length, empty: !spoke };
  }
  return { kind: "complete", raw: completion(parts) };
}

function emptyParts(): Parts {
  return {
    head: {},
    content: "",
    reasoning: "",
    reasoningField: "reasoning",
    details: [],
    refusal: "",
    calls: { calls: [], slots: new Map(), ids: new Map() },
    older: null,
    finish: null,
    usage: undefined,
    closed: false,
    choice: undefined,
  };
}

function addChunk(parts: Parts, chunk: unknown): void {
  for (const name of ["id", "model", "system_fingerprint"]) {
    const value = field(chunk, name);
    if (parts.head[name] === undefined && value !== undefined && value !== null) parts.head[name] = value;
  }
  const choices = list(field(chunk, "choices"));
  const usage = [field(chunk, "usage"), field(choices[0], "usage")].find(isObject);
  if (usage !== undefined) {
    parts.usage = usage;
    parts.closed = choices.length === 0;
  }
  for (const choice of choices) addChoice(parts, choice);
}

function addChoice(parts: Parts, choice: unknown): void {
  if (!isObject(choice)) return;
  const number = field(choice, "index") ?? 0;
  parts.choice ??= number;
  if (number !== parts.choice) return;
  const finish = field(choice, "finish_reason");
  if (typeof finish === "string" && finish !== "") parts.finish = finish;
  const whole = field(choice, "message");
  if (isObject(whole) && field(choice, "delta") === undefined) takeWhole(parts, whole);
  else addDelta(parts, field(choice, "delta"));
}

/** Some servers end a stream with the whole message: it takes the place of the pieces. */
function takeWhole(parts: Parts, message: unknown): void {
  const said = joinParts(field(message, "content"));
  if (said !== "") parts.content = "";
  const calls = list(field(message, "tool_calls"));
  if (calls.length > 0) {
    parts.calls.calls.length = 0;
    parts.calls.slots.clear();
    parts.calls.ids.clear();
  }
  addDelta(parts, message);
}

function addDelta(parts: Parts, delta: unknown): void {
  parts.content += joinParts(field(delta, "content"));
  const thought = textField(delta, "reasoning_content");
  if (thought !== "") parts.reasoningField = "reasoning_content";
  parts.reasoning += thought || textField(delta, "reasoning");
  for (const piece of list(field(delta, "reasoning_details"))) addReasoningDetail(parts.details, piece);
  parts.refusal += textField(delta, "refusal");
  const calls = field(delta, "tool_calls");
  for (const piece of isObject(calls) ? [calls] : list(calls)) addCallPiece(parts.calls, piece);
  const older = field(delta, "function_call");
  if (isObject(older)) {
    parts.older ??= { name: "", arguments: "" };
    parts.older.name ||= textField(older, "name");
    parts.older.arguments += textField(older, "arguments");
  }
}

function completion(parts: Parts): Readonly<Record<string, unknown>> {
  const calls = parts.calls.calls.map(({ id, name, arguments: pieces, extra }) => {
    const text = settledArguments(pieces);
    return {
      ...(id === undefined ? {} : { id }),
      type: "function",
      function: { name, ...(text === undefined ? {} : { arguments: text }) },
      ...(extra === undefined ? {} : { extra_content: extra }),
    };
  });
  const message = {
    role: "assistant",
    content: parts.content,
    ...(parts.reasoning === "" ? {} : { [parts.reasoningField]: parts.reasoning }),
    ...(parts.details.length === 0 ? {} : { reasoning_details: parts.details }),
    ...(parts.refusal === "" ? {} : { refusal: parts.refusal }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(parts.older === null ? {} : { function_call: parts.older }),
  };
  return {
    ...parts.head,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: parts.finish }],
    ...(parts.usage === undefined ? {} : { usage: parts.usage }),
  };
}
