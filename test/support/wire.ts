import type { StubAnswer } from "./stub-server.ts";

const head = { id: "stub-1", object: "chat.completion", created: 0, model: "stub-model" };
const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

/** A reply with status 200 around a message as a server wrote it. */
export function rawReply(message: unknown, finish: string | null = "stop", more: object = {}): StubAnswer {
  return { body: { ...head, choices: [{ index: 0, message, finish_reason: finish }], usage, ...more } };
}

/** One piece of a stream. */
export function chunk(delta: unknown, finish: string | null = null, more: object = {}): object {
  return {
    id: "stub-1",
    object: "chat.completion.chunk",
    model: "stub-model",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  };
}
