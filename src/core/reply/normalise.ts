import type { Reply } from "../nouns/transcript.ts";
import { readCalls } from "./calls.ts";
import { readContent } from "./content.ts";
import { classifyFault, type Fault, isErrorBody } from "./fault.ts";
import { readReasoningDetails } from "./reasoning-details.ts";
import { hasCallInText } from "./text-calls.ts";
import { readUsage } from "./usage.ts";
import { field, isObject, jsonText, list } from "../text/json.ts";

/** A reply evened out, or what the server said instead of one. */
export type NormalisedReply =
  | { readonly ok: true; readonly reply: Reply }
  | { readonly ok: false; readonly fault: Fault };

/**
 * Reads the JSON of a Chat Completions reply (status 200), whatever the server made of it. Never throws. An error
 * object in place of a reply is that error, not an empty answer.
 */
export function normaliseReply(raw: unknown): NormalisedReply {
  if (isErrorBody(raw)) return refused(raw);
  const choice = firstChoice(raw);
  const broken = field(choice, "error");
  if (isObject(broken)) return refused({ error: broken });
  if (field(choice, "finish_reason") === "error") return refused({ error: "finish_reason is `error`" });
  const message = field(choice, "message") ?? field(choice, "delta");
  if (!isObject(message)) return { ok: false, fault: withoutMessage(raw, choice) };
  const spoken = readContent(message);
  const { calls, notes: callNotes } = readCalls(message);
  const { usage, notes: usageNotes } = readUsage(raw);
  const details = readReasoningDetails(message);
  const finish = textOrNull(field(choice, "finish_reason"));
  const notes = [
    ...spoken.notes,
    ...callNotes,
    ...finishNotes(finish, calls.length),
    ...(calls.length === 0 && hasCallInText(spoken.content) ? ["tool-call-in-text"] : []),
    ...usageNotes,
  ];
  const reply: Reply = {
    content: spoken.content,
    reasoning: spoken.reasoning,
    ...(spoken.reasoningField === undefined ? {} : { reasoningField: spoken.reasoningField }),
    ...(details === undefined ? {} : { reasoningDetails: [...details] }),
    calls: [...calls],
    finish,
    usage,
    model: textOrNull(field(raw, "model")),
    notes,
  };
  return { ok: true, reply };
}

function refused(body: unknown): NormalisedReply {
  return { ok: false, fault: classifyFault({ status: 200, body, text: "" }) };
}

function firstChoice(raw: unknown): unknown {
  const choices = list(field(raw, "choices"));
  return choices.find((choice) => field(choice, "index") === 0) ?? choices[0];
}

/** `finish_reason` is told apart from the calls, never believed against them. */
function finishNotes(finish: string | null, calls: number): readonly string[] {
  const says = finish === "tool_calls" || finish === "function_call";
  if (says !== calls > 0 && finish !== null && finish !== "length") return ["finish-contradicts-calls"];
  if (finish === "length") return ["cut-at-max-tokens"];
  return [];
}

function withoutMessage(raw: unknown, choice: unknown): Fault {
  const shown = jsonText(raw)?.slice(0, 20_000) ?? "unreadable";
  const what = !isObject(raw)
    ? "is no JSON object"
    : !Array.isArray(field(raw, "choices"))
      ? "has no `choices`"
      : choice === undefined
        ? "has an empty list of `choices`"
        : "has a choice without a `message`";
  return {
    kind: "bad-response",
    status: 200,
    said: `the reply ${what}: ${shown}`,
    hint: "is the base URL that of a Chat Completions server (it usually ends in /v1)?",
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
