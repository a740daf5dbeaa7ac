import type { SchemaCheck } from "../../core/match/schema.ts";
import type { Event } from "../../core/nouns/transcript.ts";
import type { ToolSpec } from "../ports.ts";
import type { World } from "../world/world.ts";

/** Arguments that have passed the tool's schema. */
export type ToolArgs = Readonly<Record<string, unknown>>;

/** What a call gives back to the model. `error`: the text reports a fault of the call. */
export interface ToolResult {
  readonly text: string;
  readonly error: boolean;
  /** What else happened, told in the transcript before the result. */
  readonly events?: readonly Event[];
}

/** Loads a skill for the conversation that asks. */
export type LoadSkill = (name: string) => ToolResult;

/** What a tool may touch. */
export interface ToolContext {
  readonly world: World;
  readonly signal: AbortSignal;
  readonly loadSkill: LoadSkill;
}

/** A tool as it is offered, checked and run. It has no state of its own, so one serves all trials. */
export interface Tool {
  readonly spec: ToolSpec;
  /** Runs only after approval. */
  readonly approval: boolean;
  /** What is wrong with arguments; empty: they fit. */
  readonly check: SchemaCheck;
  run(args: ToolArgs, context: ToolContext): ToolResult | Promise<ToolResult>;
}

/** A result that went well. */
export function ok(text: string): ToolResult {
  return { text, error: false };
}

/** A result that tells what went wrong and, where it can be said, what to do. */
export function failed(text: string): ToolResult {
  return { text: `Error: ${text}`, error: true };
}

/** A text argument, or the default where it was not given. */
export function textArg(args: ToolArgs, key: string, otherwise = ""): string {
  const value = Object.hasOwn(args, key) ? args[key] : undefined;
  return typeof value === "string" ? value : otherwise;
}

/** A number argument, or the default where it was not given. */
export function numberArg(args: ToolArgs, key: string, otherwise: number): number {
  const value = Object.hasOwn(args, key) ? args[key] : undefined;
  return typeof value === "number" ? value : otherwise;
}

/** Whether a switch is on. */
export function flagArg(args: ToolArgs, key: string): boolean {
  return Object.hasOwn(args, key) && args[key] === true;
}
