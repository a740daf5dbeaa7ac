import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { type ChatBody, reply, type Stub, type StubCompletion, startStub } from "./stub-server.ts";

/** One reply of a script: words, one call as `tool: arguments`, or several calls at once. */
const Call = z
  .record(z.string(), z.record(z.string(), z.unknown()))
  .refine((c) => Object.keys(c).length === 1);
const Step = z.union([z.string(), Call, z.array(Call).min(1)]);
type Step = z.infer<typeof Step>;

/**
 * What is said in one conversation. `rule` is the sentence of prompt, skill or site note that the good way rests on;
 * `role` is the mode's heading (default: agent), `on` a text of the first user message (default: the case's own).
 */
const Conversation = z.strictObject({
  role: z.string().default("agent"),
  on: z.string().optional(),
  rule: z.string().optional(),
  good: z.array(Step).min(1),
  naive: z.array(Step).min(1).optional(),
});
const Script = z.union([
  Conversation.extend({ case: z.string() }).transform(({ case: id, ...rest }) => ({
    case: id,
    conversations: [rest],
  })),
  z.strictObject({ case: z.string(), conversations: z.array(Conversation).min(1) }),
]);
export type Script = z.infer<typeof Script>;
type Conversation = z.infer<typeof Conversation>;

/** `good` and `naive` play one side; `obedient` is good exactly where the rule stands in what it was sent. */
export type Temper = "good" | "naive" | "obedient";

/** The scripts of a folder of YAML files, by case. */
export function readScripts(folder: string): Script[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .flatMap((name) => z.array(Script).parse(parse(readFileSync(join(folder, name), "utf8"))));
}

/** The first user message of each case: that is how a request is told to belong to it. */
export type Openings = ReadonlyMap<string, string>;

/**
 * A simulated model over real HTTP. It keeps nothing between requests: the conversation sent tells which script it is
 * and how far it has come, so that any number of trials may run at once.
 */
export function startObedient(temper: Temper, scripts: readonly Script[], openings: Openings): Promise<Stub> {
  return startStub(({ body }) => reply(next(temper, body, scripts, openings)));
}

function next(
  temper: Temper,
  body: ChatBody,
  scripts: readonly Script[],
  openings: Openings,
): StubCompletion {
  const messages = body.messages ?? [];
  const system = messages.find(({ role }) => role === "system")?.content ?? "";
  const first = messages.find(({ role }) => role === "user")?.content ?? "";
  const role = /^## Mode: (.+)$/m.exec(system)?.[1] ?? "agent";
  const found = pick(role, first, scripts, openings);
  if (found === undefined) return { content: `no script for ${role}: ${first}` };
  const seen =
    found.rule === undefined || messages.some(({ content }) => content?.includes(found.rule ?? ""));
  const well = temper === "good" || (temper === "obedient" && seen);
  const steps = well ? found.good : (found.naive ?? found.good);
  const at = messages.filter((message) => message.role === "assistant").length;
  return completion(steps[at] ?? "(nothing more to say)");
}

/** The longest text that occurs wins: a task's message may quote the user's wish as well. */
function pick(
  role: string,
  first: string,
  scripts: readonly Script[],
  openings: Openings,
): Conversation | undefined {
  const fits = scripts.flatMap((script) =>
    script.conversations
      .map((conversation) => ({ conversation, on: conversation.on ?? openings.get(script.case) ?? "" }))
      .filter(({ conversation, on }) => on !== "" && conversation.role === role && first.includes(on.trim())),
  );
  return fits.sort((a, b) => b.on.length - a.on.length)[0]?.conversation;
}

function completion(step: Step): StubCompletion {
  if (typeof step === "string") return { content: step };
  const calls = Array.isArray(step) ? step : [step];
  return {
    content: "",
    calls: calls.flatMap((call) => Object.entries(call).map(([name, args]) => ({ name, arguments: args }))),
  };
}
