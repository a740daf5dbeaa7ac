import type { Failure } from "../../core/nouns/transcript.ts";
import type { RequestSettings } from "../../core/reply/request.ts";
import { withManners } from "../manners.ts";
import type { ChatMessage, Model, ModelResult, ToolSpec } from "../ports.ts";

/** What one look at a server found. `set` says what to set because of it; empty where nothing is to be done. */
export interface Check {
  readonly name: string;
  readonly level: "ok" | "warning" | "fault";
  readonly found: string;
  readonly set: string;
}

/** The server under examination, behind the smallest interface that serves. */
export interface Patient {
  /** Ids of the models it lists. */
  models(): Promise<{ ok: true; ids: readonly string[] } | { ok: false; failure: Failure }>;
  /** A model that sends these settings; one attempt a call. */
  chat(settings: RequestSettings): Promise<Model>;
  /** Sends a body as it is; the server's words where it refuses. */
  raw(body: Readonly<Record<string, unknown>>): Promise<{ ok: true } | { ok: false; said: string }>;
}

/** What the looks share. */
export interface Visit {
  readonly patient: Patient;
  readonly model: string;
  /** The settings of the project; `stream` says whether streaming must work. */
  readonly settings: RequestSettings;
  readonly signal: AbortSignal;
}

/** A question put to the server. */
export type Ask = { readonly messages: readonly ChatMessage[]; readonly tools?: readonly ToolSpec[] };

/** A tool whose arguments are enumerated: small models run on for long in free texts. */
export const LIGHT: ToolSpec = {
  type: "function",
  function: {
    name: "set_light",
    description: "Switches the light of a room on or off.",
    parameters: {
      type: "object",
      properties: {
        room: { type: "string", enum: ["kitchen", "hall"] },
        state: { type: "string", enum: ["on", "off"] },
      },
      required: ["room", "state"],
    },
  },
};
/** Asks for the tool. */
export const WISH: readonly ChatMessage[] = [
  { role: "system", content: "You control the lights with the tool set_light." },
  { role: "user", content: "Switch the light in the kitchen on." },
];

/** One finding. */
export function check(level: Check["level"], name: string, found: string, set = ""): Check {
  return { name, level, found, set };
}

/** One call with these settings. */
export async function ask(visit: Visit, settings: RequestSettings, what: Ask): Promise<ModelResult> {
  const model = withManners(await visit.patient.chat(settings));
  const request = { model: visit.model, messages: what.messages, tools: what.tools ?? [] };
  const key = { case: "doctor", arm: "baseline", trial: 1 } as const;
  return model.call(request, { key, salt: "", occurrence: 0, signal: visit.signal });
}

/** The project's settings, unstreamed, with a limit of tokens in the field that the project uses for it. */
export function limited(settings: RequestSettings, tokens: number): RequestSettings {
  const { extra } = settings;
  const whole = { ...settings, stream: false };
  return extra.max_completion_tokens == null
    ? { ...whole, maxTokens: tokens }
    : { ...whole, extra: { ...extra, max_completion_tokens: tokens } };
}

/** The check that a failed call gives. */
export function failedCheck(name: string, level: Check["level"], failure: Failure, set = ""): Check {
  return check(level, name, `${failure.message} [${failure.kind}]`, set);
}
