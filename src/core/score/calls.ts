import { parseArguments } from "../match/arguments.ts";
import type { ActualCall } from "../match/calls.ts";
import type { Event } from "../nouns/transcript.ts";

/** All tool calls of a trial in the order in which the model wrote them, those that were refused or failed included. */
export function callsOf(events: readonly Event[]): readonly ActualCall[] {
  return events.flatMap((event) =>
    event.type === "reply"
      ? event.reply.calls.map((call) => ({
          name: call.name,
          arguments: parseArguments(call.arguments),
          raw: call.arguments,
        }))
      : [],
  );
}

/** Whether a reply held a call in its text that the server did not read as one: the server, not the prompt, is at fault. */
export function toolsNotHonoured(events: readonly Event[]): boolean {
  return events.some((event) => event.type === "reply" && event.reply.notes.includes("tool-call-in-text"));
}

/** Ends evidence of a trial in which the server did not honour tools. */
export const NOT_HONOURED =
  "note: a reply holds a tool call in its text; the server did not honour tools (evalkit doctor tells more)";
