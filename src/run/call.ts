import { parseArguments } from "../core/match/arguments.ts";
import type { Event, ToolCall } from "../core/nouns/transcript.ts";
import { type ApprovalDesk, refusalText } from "./approval.ts";
import type { ToolBox } from "./setting.ts";
import { failed, type Tool, type ToolArgs, type ToolContext, type ToolResult } from "./tools/tool.ts";
import { cut } from "../core/text/cut.ts";
import { messageOf } from "../core/text/thrown.ts";

/** What runs the calls of one conversation. */
export interface CallDesk {
  readonly conversation: number;
  readonly box: ToolBox;
  readonly approvals: ApprovalDesk;
  readonly context: ToolContext;
}

/** A call that was carried out: what the model reads, and all that goes into the transcript. */
export interface DoneCall {
  readonly text: string;
  readonly events: readonly Event[];
}

/**
 * Carries out one call. Never throws: an unknown tool, arguments that are no object or don't fit, a refusal and a fault
 * inside the tool are all results that the model reads, and the trial goes on.
 */
export async function carryOut(call: ToolCall, desk: CallDesk): Promise<DoneCall> {
  const before: Event[] = [];
  const { text, error, events = [] } = await resultOf(call, desk, before);
  const { conversation } = desk;
  const told: Event = { type: "tool", conversation, callId: call.id, name: call.name, result: text, error };
  return { text, events: [...before, ...events, told] };
}

async function resultOf(call: ToolCall, desk: CallDesk, events: Event[]): Promise<ToolResult> {
  const tool = desk.box.tools.get(call.name);
  if (tool === undefined) return unknownTool(call.name, desk.box.names);
  const args = parseArguments(call.arguments);
  if (!args.ok) return failed(`the arguments of ${call.name} must be a JSON object, but they ${args.why}`);
  const faults = tool.check(args.value);
  if (faults.length > 0) return unfit(call.name, faults, tool);
  const refusal = approve(call, tool, desk, events);
  return refusal ?? (await runTool(tool, args.value, desk.context));
}

function unknownTool(name: string, names: readonly string[]): ToolResult {
  const known = names.length === 0 ? "there are no tools" : `the tools are ${names.join(", ")}`;
  return failed(`there is no tool ${JSON.stringify(cut(name, 100))}; ${known}`);
}

function unfit(name: string, faults: readonly string[], tool: Tool): ToolResult {
  const { properties } = tool.spec.function.parameters;
  const keys = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const takes = keys.length === 0 ? "" : ` ${name} takes: ${keys.join(", ")}.`;
  return failed(
    `the arguments of ${name} don't fit its parameters: ${cut(faults.join("; "), 1000)}.${takes}`,
  );
}

function approve(call: ToolCall, tool: Tool, desk: CallDesk, events: Event[]): ToolResult | null {
  const answer = tool.approval ? desk.approvals.decide(call.name) : null;
  if (answer === null) return null;
  events.push({
    type: "approval",
    conversation: desk.conversation,
    callId: call.id,
    tool: call.name,
    answer,
  });
  return answer === "approve" ? null : { text: refusalText(call.name, answer), error: true };
}

async function runTool(tool: Tool, args: ToolArgs, context: ToolContext): Promise<ToolResult> {
  try {
    return await tool.run(args, context);
  } catch (error) {
    return failed(`the tool failed: ${messageOf(error)}`);
  }
}
