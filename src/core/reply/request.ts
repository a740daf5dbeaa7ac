/** Body fields sent with every call; null is not sent. */
export interface RequestSettings {
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  /** The base seed: trial n sends seed + n − 1, in both arms alike, so that repeats differ and arms are paired. */
  readonly seed: number | null;
  readonly stream: boolean;
  /** `request` of the config: extra fields. They win over the fields above; null takes a field out of the body. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The part of a model request that goes into the body. */
export interface RequestParts {
  readonly model: string;
  readonly messages: readonly object[];
  readonly tools: readonly object[];
}

/** Fields of the body that the loop alone decides; `request` of the config cannot set them. */
export const RESERVED_FIELDS: readonly string[] = ["model", "messages", "tools"];
/** Servers refuse these in a request without tools (a judge's, a planner's). */
const ONLY_WITH_TOOLS: readonly string[] = ["tool_choice", "parallel_tool_calls"];

/**
 * The settings part of the body: all but model, messages and tools. `max_completion_tokens` among the extra fields takes
 * the place of `max_tokens`; `tool_choice` is `auto` wherever there are tools. Keys are in a fixed order, extra fields sorted.
 */
export function settingsBody(
  settings: RequestSettings,
  trial: number,
  hasTools: boolean,
): Record<string, unknown> {
  const { extra } = settings;
  const stream = extra.stream ?? settings.stream;
  const fields: Record<string, unknown> = {
    temperature: settings.temperature,
    max_tokens: extra.max_completion_tokens == null ? settings.maxTokens : null,
    seed: settings.seed === null ? null : settings.seed + trial - 1,
    stream: stream === true ? true : null,
    stream_options: stream === true ? { include_usage: true } : null,
    // The API's own default, said aloud: llama-cpp-python drops the tools in silence without it.
    tool_choice: "auto",
  };
  for (const name of Object.keys(extra).sort()) {
    if (!RESERVED_FIELDS.includes(name) && name !== "__proto__") fields[name] = extra[name];
  }
  const kept = Object.entries(fields).filter(
    ([name, value]) => value !== null && value !== undefined && (hasTools || !ONLY_WITH_TOOLS.includes(name)),
  );
  return Object.fromEntries(kept);
}

/** The whole JSON body of a call. `trial` (from 1) only moves the seed. */
export function requestBody(
  request: RequestParts,
  settings: RequestSettings,
  trial = 1,
): Record<string, unknown> {
  const hasTools = request.tools.length > 0;
  return {
    model: request.model,
    messages: request.messages,
    ...(hasTools ? { tools: request.tools } : {}),
    ...settingsBody(settings, trial, hasTools),
  };
}
