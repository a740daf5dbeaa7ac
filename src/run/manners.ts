import type { Failure } from "../core/nouns/transcript.ts";
import type { AssistantMessage, ChatMessage, Model, ModelRequest } from "./ports.ts";

/** Another way to write the same history, for servers that refuse ours. */
interface Manner {
  /** Whether the server's words ask for it. */
  readonly asked: (said: string) => boolean;
  /** The message written that way; itself where nothing of it changes. */
  readonly write: (message: ChatMessage, all: readonly ChatMessage[]) => ChatMessage;
}

const ECHOED = /reasoning_content|reasoning_details|extra_content/;
const MISSING = /must be (passed|sent|included|provided|present|returned)|missing|required/i;
const NAME = /function_response\.name|\bname['"`]? (field|cannot be empty|must not be empty|is required)/i;
const EMPTY = /\b(content|text)\b[^.]{0,80}\b(non-?empty|empty)\b/i;

const MANNERS: readonly Manner[] = [
  // Some gateways send reasoning and refuse it.
  { asked: (said) => ECHOED.test(said) && !MISSING.test(said), write: withoutEcho },
  // Gemini wants the name of the tool beside its result.
  { asked: (said) => NAME.test(said), write: withName },
  // Bridges to Anthropic refuse an empty text beside calls; other servers refuse null.
  { asked: (said) => EMPTY.test(said), write: withNullContent },
];

/**
 * Writes the history as the server wants it: a request that is refused in words that ask for another way is asked again
 * that way, and so are all that follow once it was answered. This is no retry of a failure, and recordings don't see it.
 */
export function withManners(model: Model): Model {
  let kept: readonly Manner[] = [];
  return {
    call: async (request, context) => {
      let manners = kept;
      for (;;) {
        const result = await model.call(written(request, manners), context);
        if (result.ok) {
          if (manners.length > kept.length) kept = manners;
          return result;
        }
        const next = wanted(result.failure, request, manners);
        if (next === undefined || context.signal.aborted) return result;
        manners = [...manners, next];
      }
    },
  };
}

function wanted(
  { kind, message }: Failure,
  { messages }: ModelRequest,
  had: readonly Manner[],
): Manner | undefined {
  if (kind !== "refused-request") return undefined;
  return MANNERS.find(
    (manner) =>
      !had.includes(manner) &&
      manner.asked(message) &&
      messages.some((one) => manner.write(one, messages) !== one),
  );
}

function written(request: ModelRequest, manners: readonly Manner[]): ModelRequest {
  if (manners.length === 0) return request;
  const { messages } = request;
  const write = (message: ChatMessage) =>
    manners.reduce((one, manner) => manner.write(one, messages), message);
  return { ...request, messages: messages.map(write) };
}

function withoutEcho(message: ChatMessage): ChatMessage {
  if (message.role !== "assistant") return message;
  const { reasoning_content: reasoning, reasoning_details: details, tool_calls: calls, ...rest } = message;
  const extra = calls?.some((call) => call.extra_content !== undefined) === true;
  if (reasoning === undefined && details === undefined && !extra) return message;
  if (calls === undefined) return rest;
  return { ...rest, tool_calls: calls.map(({ extra_content: _, ...call }) => call) };
}

function withName(message: ChatMessage, all: readonly ChatMessage[]): ChatMessage {
  if (message.role !== "tool") return message;
  const call = all.flatMap(callsOf).find(({ id }) => id === message.tool_call_id);
  return call === undefined ? message : { ...message, name: call.function.name };
}

function withNullContent(message: ChatMessage): ChatMessage {
  const calls = callsOf(message);
  if (message.role !== "assistant" || message.content !== "" || calls.length === 0) return message;
  return { ...message, content: null };
}

function callsOf(message: ChatMessage): NonNullable<AssistantMessage["tool_calls"]> {
  return message.role === "assistant" ? (message.tool_calls ?? []) : [];
}
