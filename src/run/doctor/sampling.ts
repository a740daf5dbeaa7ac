import { parseArguments } from "../../core/match/arguments.ts";
import type { Reply } from "../../core/nouns/transcript.ts";
import type { RequestSettings } from "../../core/reply/request.ts";
import { count } from "../../core/text/count.ts";
import { cut } from "../../core/text/cut.ts";
import type { ChatMessage } from "../ports.ts";
import { ask, type Check, check, failedCheck, LIGHT, limited, type Visit, WISH } from "./checks.ts";

const COUNT: readonly ChatMessage[] = [{ role: "user", content: "Count from one to fifty in words." }];
const INVENT: readonly ChatMessage[] = [{ role: "user", content: "Name a random animal and its colour." }];
const LIMIT = 8;
const NO_STREAM = "use --no-stream (`stream: false` in evalkit.yaml)";

/** Whether a reply ends at `max_tokens`. */
export async function maxTokensCheck(visit: Visit): Promise<Check> {
  const result = await ask(visit, limited(visit.settings, LIMIT), { messages: COUNT });
  if (!result.ok) return failedCheck("max_tokens", "warning", result.failure);
  const { reply } = result;
  const tokens = reply.usage === null ? null : reply.usage.completion - reply.usage.reasoning;
  const long = tokens === null ? reply.content.length > LIMIT * 12 : tokens > LIMIT + 2;
  const amount = tokens === null ? `${reply.content.length} characters` : `${tokens} tokens`;
  return long
    ? check(
        "warning",
        "max_tokens",
        `not honoured: ${amount} came where ${LIMIT} tokens were the limit`,
        "keep --timeout short",
      )
    : check("ok", "max_tokens", `honoured (${amount})`);
}

/** Whether the same seed gives the same text. */
export async function seedCheck(visit: Visit): Promise<Check> {
  const temperature = visit.settings.extra.temperature === null ? null : 1;
  const settings = { ...limited(visit.settings, 24), seed: 7, temperature };
  const first = await ask(visit, settings, { messages: INVENT });
  if (!first.ok) return failedCheck("seed", "warning", first.failure);
  const second = await ask(visit, settings, { messages: INVENT });
  if (!second.ok) return failedCheck("seed", "warning", second.failure);
  return first.reply.content === second.reply.content
    ? check("ok", "seed", "the same seed gave the same text")
    : check(
        "warning",
        "seed",
        "not honoured: the same seed gave another text",
        "record, then replay: recordings give the same run again",
      );
}

/**
 * Whether replies can be streamed, without and with tools. A fault only where the project streams. `called`: the model
 * called the tool when it was asked the same unstreamed.
 */
export async function streamChecks(
  visit: Visit,
  settings: RequestSettings,
  called: boolean,
): Promise<readonly Check[]> {
  const level = visit.settings.stream ? "fault" : "warning";
  const set = visit.settings.stream ? NO_STREAM : "streaming is off already: leave it so";
  const streamed = { ...settings, stream: true };
  const plain = await ask(visit, streamed, { messages: COUNT });
  const withTools = await ask(visit, streamed, { messages: WISH, tools: [LIGHT] });
  return [
    plain.ok ? plainStream(plain.reply, set) : failedCheck("streaming", level, plain.failure, set),
    withTools.ok
      ? streamedTools(withTools.reply, { level, set, called })
      : failedCheck("streaming with tools", level, withTools.failure, set),
  ];
}

/** Some servers read tool calls only where they don't stream, or put streamed pieces together wrongly. */
function streamedTools(
  { calls, notes }: Reply,
  { level, set, called }: { level: Check["level"]; set: string; called: boolean },
): Check {
  const name = "streaming with tools";
  if (notes.includes("tool-call-in-text"))
    return check(level, name, "the call came as text, the server did not read it", set);
  const broken = calls.find((call) => !parseArguments(call.arguments).ok);
  if (broken !== undefined)
    return check(
      "warning",
      name,
      `a call came with arguments that are no JSON: ${cut(broken.arguments, 60)}`,
      set,
    );
  if (calls.length === 0 && called)
    return check("warning", name, "no call came, though it did unstreamed: by chance, or they are lost", set);
  return check("ok", name, `works (${count(calls.length, "call")})`);
}

function plainStream(reply: Reply, advice: string): Check {
  return reply.usage === null
    ? check("warning", "streaming", "works without usage: tokens and cost will be unknown", advice)
    : check("ok", "streaming", "works");
}
