import type { RequestHead } from "../core/reply/miss.ts";
import { type RequestSettings, settingsBody } from "../core/reply/request.ts";
import type { CallContext, ChatMessage, ModelRequest } from "../run/ports.ts";
import { sha256 } from "./digest.ts";
import { KEY_LENGTH } from "./recording-file.ts";

/** What a reply is recorded under, and the head by which a miss is explained. */
export interface RequestKey {
  readonly key: string;
  readonly head: RequestHead;
}

const PROMPTS_KEPT = 256;

/**
 * Makes the keys of a run's requests. A key covers the whole request body, open headers, the case, the trial number, the salt of an
 * A/A run and how often the trial sent that request before; the arm is no part of it.
 */
export class RequestKeys {
  readonly #settings: RequestSettings;
  readonly #digests = new WeakMap<object, string>();
  readonly #prompts = new Map<string, string>();
  readonly #headers: Readonly<Record<string, string>>;

  /** `headers`: those that are sent and hold no secret. Only their digest is kept. */
  constructor(settings: RequestSettings, headers: Readonly<Record<string, string>> = {}) {
    this.#settings = settings;
    this.#headers =
      Object.keys(headers).length === 0 ? {} : { "headers of the config": this.#digestOf(headers) };
  }

  of(request: ModelRequest, context: CallContext): RequestKey {
    const tools = request.tools.length === 0 ? "" : this.#digestOf(request.tools);
    const messages = request.messages.map((message) => `${message.role}:${this.#messageDigest(message)}`);
    const settings = { ...settingsBody(this.#settings, context.key.trial, tools !== ""), ...this.#headers };
    const { case: caseId, trial } = context.key;
    const { salt, occurrence } = context;
    const whole = JSON.stringify([caseId, trial, salt, occurrence, request.model, settings, tools, messages]);
    const key = sha256(whole).slice(7, 7 + KEY_LENGTH);
    return { key, head: { trial, salt, occurrence, model: request.model, settings, tools, messages } };
  }

  /**
   * Short digest of a message or tool list. Worked out once for each object, since histories only grow at the end, and
   * once for each system prompt, since many trials share it.
   */
  #digestOf(value: object): string {
    const known = this.#digests.get(value);
    if (known !== undefined) return known;
    const digest = sha256(JSON.stringify(value)).slice(7, 7 + 24);
    this.#digests.set(value, digest);
    return digest;
  }

  #messageDigest(message: ChatMessage): string {
    if (message.role !== "system") return this.#digestOf(message);
    const known = this.#prompts.get(message.content);
    if (known !== undefined) return known;
    const digest = this.#digestOf(message);
    if (this.#prompts.size >= PROMPTS_KEPT) this.#prompts.clear();
    this.#prompts.set(message.content, digest);
    return digest;
  }
}
