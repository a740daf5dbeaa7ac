import type { Event, ToolCall } from "../nouns/transcript.ts";
import { isObject, parseJson } from "../text/json.ts";

/** What a tool gave back, as the transcript keeps it. */
export type ToolEvent = Extract<Event, { type: "tool" }>;

/** A call with its arguments, whether leave was asked for it, and what came back, as a person reads it. */
export function callStep(
  number: number,
  call: ToolCall,
  result: ToolEvent | undefined,
  approval: string | null,
): string {
  const head = `${number}. ${call.name}`;
  const asked =
    approval === null ? [] : [`   asked for approval: ${approval === "approve" ? "given" : "refused"}`];
  return [head, ...argumentLines(call.arguments), ...asked, `   → ${resultText(call, result)}`].join("\n");
}

function argumentLines(raw: string): string[] {
  const parsed = parseJson(raw);
  if (!isObject(parsed)) return raw.trim() === "" ? [] : [`   ${indent(raw, 3)}`];
  return Object.entries(parsed).map(([key, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text.includes("\n") ? `   ${key}:\n      ${indent(text, 6)}` : `   ${key}: ${text}`;
  });
}

/** The result as the agent got it; of `load_skill` only whether it worked, since its text is the arm's own. */
function resultText(call: ToolCall, result: ToolEvent | undefined): string {
  if (result === undefined) return "(no result)";
  const missing =
    result.error || /^(Error: Unknown skill|Skill '.*' (not found|is disabled))/.test(result.result);
  if (call.name === "load_skill") return missing ? "(no such skill)" : "(skill loaded)";
  const text = indent(result.result.trimEnd(), 5);
  return result.error ? `failed: ${text}` : text === "" ? "(empty)" : text;
}

/** Following lines moved to the right, under the first. */
export function indent(text: string, by: number): string {
  return text.replaceAll(/\r?\n/g, `\n${" ".repeat(by)}`);
}
