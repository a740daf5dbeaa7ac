import { parseArguments } from "../core/match/arguments.ts";
import type { Reply, ToolCall } from "../core/nouns/transcript.ts";
import type { AssistantMessage } from "./ports.ts";

/**
 * A reply as it is sent back. Names and arguments that servers refuse in a history (an odd name, arguments that are no
 * JSON object) are made harmless there; the transcript keeps what the model wrote. Reasoning and what stood beside a call
 * go back in the fields they came in: DeepSeek, Kimi, Gemini and OpenRouter refuse the result of a call without them.
 */
export function assistantMessage(
  reply: Pick<Reply, "content" | "reasoning" | "reasoningField" | "reasoningDetails" | "calls">,
): AssistantMessage {
  const { content, reasoning, reasoningField, reasoningDetails } = reply;
  return {
    role: "assistant",
    content,
    ...(reasoningField === undefined ? {} : { [reasoningField]: reasoning }),
    ...(reasoningDetails === undefined ? {} : { reasoning_details: reasoningDetails }),
    ...(reply.calls.length === 0 ? {} : { tool_calls: reply.calls.map(sentCall) }),
  };
}

function sentCall({ id, name, arguments: text, extra }: ToolCall) {
  return {
    id,
    type: "function" as const,
    function: { name: safeName(name), arguments: safeArguments(text) },
    ...(extra === undefined ? {} : { extra_content: extra }),
  };
}

function safeName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unknown_tool";
}

function safeArguments(raw: string): string {
  return raw.trim() !== "" && parseArguments(raw).ok ? raw : "{}";
}
