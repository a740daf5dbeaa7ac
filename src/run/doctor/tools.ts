import type { Reply } from "../../core/nouns/transcript.ts";
import { requestBody, type RequestSettings } from "../../core/reply/request.ts";
import { assistantMessage } from "../assistant-message.ts";
import type { ChatMessage } from "../ports.ts";
import { ask, type Check, check, failedCheck, LIGHT, type Visit, WISH } from "./checks.ts";
import { cut } from "../../core/text/cut.ts";

/** A call as a model would write it, where it wrote none. Mistral takes ids of nine letters and digits alone. */
const CALLED: Parameters<typeof assistantMessage>[0] = {
  content: "",
  reasoning: "",
  calls: [{ id: "call00001", name: "set_light", arguments: '{"room":"kitchen","state":"on"}' }],
};
const SERVER_FLAG =
  "start the server so that it reads tool calls: llama-server --jinja; vLLM --enable-auto-tool-choice --tool-call-parser NAME; Ollama: a model that lists tools";

/**
 * Whether tools reach the model and calls come back as calls; whether a forced choice is honoured. `turn` is the
 * conversation after such a call, the model's own where it made one (`called`).
 */
export async function toolChecks(
  visit: Visit,
  settings: RequestSettings,
): Promise<{
  readonly checks: readonly Check[];
  readonly turn: readonly ChatMessage[];
  readonly called: boolean;
}> {
  const result = await ask(visit, settings, { messages: WISH, tools: [LIGHT] });
  const none = { turn: turnAfter(CALLED), called: false };
  if (!result.ok) return { ...none, checks: [failedCheck("tools", "fault", result.failure, SERVER_FLAG)] };
  const { reply } = result;
  const answered = await toolsCheck(visit, settings, reply);
  if (answered.level === "fault") return { ...none, checks: [answered] };
  const forced = await forcedCheck(visit, settings);
  const called = reply.calls.length > 0;
  return { turn: turnAfter(called ? reply : CALLED), called, checks: [answered, forced] };
}

function turnAfter(reply: typeof CALLED): readonly ChatMessage[] {
  const results = reply.calls.map(({ id }) => ({
    role: "tool" as const,
    tool_call_id: id,
    content: "The light in the kitchen is on.",
  }));
  return [...WISH, assistantMessage(reply), ...results];
}

async function toolsCheck(visit: Visit, settings: RequestSettings, reply: Reply): Promise<Check> {
  if (reply.calls.length > 0) {
    const names = reply.calls.map((call) => call.name).join(", ");
    return check("ok", "tools", `the model called ${names}${evened(reply)}`);
  }
  if (reply.notes.includes("tool-call-in-text")) {
    return check("fault", "tools", "the call came as text, the server did not read it", SERVER_FLAG);
  }
  const bare = await ask(visit, settings, { messages: WISH });
  const [without, withTools] = [bare.ok ? bare.reply.usage?.prompt : undefined, reply.usage?.prompt];
  if (without === undefined || withTools === undefined) {
    return check(
      "warning",
      "tools",
      "the model did not call the tool; whether tools reach it cannot be told",
    );
  }
  if (withTools <= without + 5) {
    const counted = `the prompt has ${withTools} tokens with tools and ${without} without`;
    return check("fault", "tools", `dropped in silence: ${counted}`, SERVER_FLAG);
  }
  return check("warning", "tools", "they reach the model, which did not call one: it may be too weak");
}

/** evalkit never forces a choice itself; a server that ignores it tells how well it knows tools. */
async function forcedCheck(visit: Visit, settings: RequestSettings): Promise<Check> {
  const extra = { ...settings.extra, tool_choice: { type: "function", function: { name: "set_light" } } };
  const messages: readonly ChatMessage[] = [{ role: "user", content: "The kitchen is dark." }];
  const result = await ask(visit, { ...settings, extra }, { messages, tools: [LIGHT] });
  // A reply without the forced call is a failure of its own, with status 200.
  if (!result.ok && result.failure.kind === "refused-request" && result.failure.status === 200)
    return check(
      "warning",
      "forced tool",
      "tool_choice is ignored",
      "do not rely on tool_choice in `request`",
    );
  if (!result.ok)
    return failedCheck("forced tool", "warning", result.failure, "do not set tool_choice in `request`");
  const called = result.reply.calls.some((call) => call.name === "set_light");
  return called
    ? check("ok", "forced tool", "tool_choice is honoured")
    : check(
        "warning",
        "forced tool",
        "tool_choice calls another tool",
        "do not rely on tool_choice in `request`",
      );
}

/** The whole loop: a call, its result, and the reply to that. */
export async function secondTurnCheck(
  visit: Visit,
  settings: RequestSettings,
  turn: readonly ChatMessage[],
): Promise<Check> {
  const result = await ask(visit, settings, { messages: turn, tools: [LIGHT] });
  return result.ok
    ? check("ok", "tool result", `the turn after a tool result is answered${evened(result.reply)}`)
    : failedCheck("tool result", "fault", result.failure);
}

/** Some servers refuse null, some the empty text; evalkit sends the empty text. */
export async function nullContentCheck(
  visit: Visit,
  settings: RequestSettings,
  turn: readonly ChatMessage[],
): Promise<Check> {
  const asked = { model: visit.model, messages: turn, tools: [LIGHT] };
  const result = await visit.patient.raw({
    ...requestBody(asked, { ...settings, stream: false }, 1),
    messages: turn.map((one) => (one.role === "assistant" ? { ...one, content: null } : one)),
  });
  return result.ok
    ? check("ok", "null content", "content null beside calls is taken (evalkit sends the empty text)")
    : check(
        "warning",
        "null content",
        `content null beside calls is refused: ${cut(result.said, 200)}`,
        "nothing for evalkit, which sends the empty text; other clients of this server must do so too",
      );
}

function evened(reply: Reply): string {
  const notes = reply.notes.filter((note) => !note.startsWith("usage"));
  return notes.length === 0 ? "" : ` (evened out: ${notes.join(", ")})`;
}
