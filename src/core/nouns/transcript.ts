import * as z from "zod";

/** Tokens of one model call, evened out: `cached` is a part of `prompt`, `reasoning` a part of `completion`. */
export const Usage = z.object({
  prompt: z.int(),
  cached: z.int(),
  completion: z.int(),
  reasoning: z.int(),
});
export type Usage = z.infer<typeof Usage>;

/** A tool call as the model wrote it. `arguments` is the raw text, never parsed twice, never coerced. */
export const ToolCall = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  /** The server's `extra_content`, sent back with the call: Gemini's signature of its thoughts. */
  extra: z.record(z.string(), z.unknown()).optional(),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** One reply of a model, evened out from whatever the server sent. */
export const Reply = z.object({
  content: z.string(),
  reasoning: z.string(),
  /** The field that all of `reasoning` came in, where it is sent back in it. */
  reasoningField: z.literal("reasoning_content").optional(),
  /** `reasoning_details`, sent back as they came: signed blocks that OpenRouter's providers check. */
  reasoningDetails: z.array(z.record(z.string(), z.unknown())).optional(),
  calls: z.array(ToolCall),
  /** The server's `finish_reason`, or null. It is never believed against the calls themselves. */
  finish: z.string().nullable(),
  usage: Usage.nullable(),
  model: z.string().nullable(),
  /** Kebab-case codes of what had to be evened out, such as `call-id-missing`, `tool-call-in-text`. */
  notes: z.array(z.string()),
});
export type Reply = z.infer<typeof Reply>;

/** What went wrong between the harness and a model; never the model's fault, never a score. */
export const FAILURE_KINDS = [
  "rate-limited",
  "quota",
  "server",
  "network",
  "tls",
  "timeout",
  "cut-off",
  "bad-response",
  "refused-request",
  "auth",
  "no-model",
  "context-length",
  "replay-miss",
  "budget",
  "interrupted",
  "harness",
] as const;
export const Failure = z.object({
  kind: z.enum(FAILURE_KINDS),
  message: z.string(),
  /** HTTP status where there was one. */
  status: z.int().nullable(),
  /** Model calls made for this request, retries included. */
  attempts: z.int(),
});
export type Failure = z.infer<typeof Failure>;

/** Which limit ended a trial before the agent did. */
export const STOP_KINDS = ["turns", "repeated-calls", "tokens", "time"] as const;

/** How a trial ended. */
export const Outcome = z.discriminatedUnion("status", [
  z.object({ status: z.literal("finished") }),
  z.object({ status: z.literal("stopped"), limit: z.enum(STOP_KINDS), message: z.string() }),
  z.object({ status: z.literal("broken"), failure: Failure }),
]);
export type Outcome = z.infer<typeof Outcome>;

/**
 * What happened in a trial, in order. `conversation` numbers the conversations of a trial from 0: `agent` has one,
 * `plan` one for the planner and one for the tasks, `team` one for each role and step.
 */
export const Event = z.discriminatedUnion("type", [
  /** A conversation starts. The system prompt is kept once for the run, under `promptDigest` in run.json's `texts`. */
  z.object({
    type: z.literal("conversation"),
    conversation: z.int(),
    role: z.string(),
    promptDigest: z.string(),
    tools: z.array(z.string()),
  }),
  /** A user message as it was sent, injected skill bodies included; `injected` names those skills. */
  z.object({
    type: z.literal("user"),
    conversation: z.int(),
    text: z.string(),
    injected: z.array(z.string()),
  }),
  /** A model reply; `turn` counts the model calls of the trial from 1. */
  z.object({
    type: z.literal("reply"),
    conversation: z.int(),
    turn: z.int(),
    reply: Reply,
    ms: z.number(),
    attempts: z.int(),
    replayed: z.boolean(),
  }),
  /** A tool result as the model gets it. `error`: the result reports a fault of the call. */
  z.object({
    type: z.literal("tool"),
    conversation: z.int(),
    callId: z.string(),
    name: z.string(),
    result: z.string(),
    error: z.boolean(),
  }),
  /** The case's simulated human was asked. */
  z.object({
    type: z.literal("approval"),
    conversation: z.int(),
    callId: z.string(),
    tool: z.string(),
    answer: z.enum(["approve", "deny", "refused-by-policy"]),
  }),
  /** What happened to the skill buffer. */
  z.object({
    type: z.literal("skill"),
    conversation: z.int(),
    what: z.enum(["loaded", "refreshed", "evicted", "injected", "unknown", "disabled"]),
    name: z.string(),
  }),
  /** The planner's tasks or the team's steps, as parsed; or why they could not be. */
  z.object({
    type: z.literal("plan"),
    conversation: z.int(),
    tasks: z.array(z.string()),
    error: z.string().nullable(),
  }),
  /** A reviewer's decision on a step. */
  z.object({
    type: z.literal("review"),
    conversation: z.int(),
    step: z.string(),
    approved: z.boolean(),
    summary: z.string(),
  }),
]);
export type Event = z.infer<typeof Event>;

/** A whole trial: the events, how it ended, the last answer (empty if there was none) and the world's files after it. */
export const Transcript = z.object({
  events: z.array(Event),
  outcome: Outcome,
  answer: z.string(),
});
export type Transcript = z.infer<typeof Transcript>;
