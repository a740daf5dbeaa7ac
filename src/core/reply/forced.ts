import type { Reply } from "../nouns/transcript.ts";
import { field, isObject } from "../text/json.ts";
import type { Fault } from "./fault.ts";

/**
 * A request that forces a call (`tool_choice` in `request`) and a reply without one: the server ignores the choice, which
 * is a fault of the set-up and not of the prompt. A reply cut at its token limit may not have got to the call.
 */
export function forcedCallMissing(body: unknown, reply: Reply): Fault | null {
  const choice = field(body, "tool_choice");
  const forced = choice === "required" || (isObject(choice) && field(choice, "type") === "function");
  if (!forced || reply.calls.length > 0 || reply.finish === "length") return null;
  return {
    kind: "refused-request",
    status: 200,
    said: "tool_choice forces a tool call and the reply holds none: the server ignores it",
    hint: "take `tool_choice` out of `request` in evalkit.yaml; evalkit doctor tells what the server does with tools",
  };
}
