import type { Failure } from "../core/nouns/transcript.ts";
import type { ChatMessage, Model, ModelRequest } from "./ports.ts";

const FIELD = /reasoning_content|reasoning_details|extra_content/;
/** Said of fields that are missing. */
const WANTED = /must be|missing|required/i;

/**
 * Sends reasoning and what stood beside calls back as they came, but no more once the server has refused such a field in a
 * request: some gateways send it and refuse it. That request is asked again without, which is no retry of a failure.
 */
export function withEcho(model: Model): Model {
  let refused = false;
  return {
    call: async (request, context) => {
      if (refused) return model.call(withoutEcho(request), context);
      const result = await model.call(request, context);
      if (result.ok || !refusesEcho(result.failure, request)) return result;
      refused = true;
      return model.call(withoutEcho(request), context);
    },
  };
}

function refusesEcho({ kind, message }: Failure, { messages }: ModelRequest): boolean {
  if (kind !== "refused-request" || !FIELD.test(message) || WANTED.test(message)) return false;
  return messages.some((one) => bare(one) !== one);
}

function withoutEcho(request: ModelRequest): ModelRequest {
  return { ...request, messages: request.messages.map(bare) };
}

/** The message without what was only sent back; itself where there is nothing of it. */
function bare(message: ChatMessage): ChatMessage {
  if (message.role !== "assistant") return message;
  const { reasoning_content: reasoning, reasoning_details: details, tool_calls: calls, ...rest } = message;
  const extra = calls?.some((call) => call.extra_content !== undefined) === true;
  if (reasoning === undefined && details === undefined && !extra) return message;
  if (calls === undefined) return rest;
  return { ...rest, tool_calls: calls.map(({ extra_content: _, ...call }) => call) };
}
