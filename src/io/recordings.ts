import { join } from "node:path";
import type { REPLAY_MODES } from "../core/config/settings.ts";
import type { Failure } from "../core/nouns/transcript.ts";
import { explainMiss, type RequestHead } from "../core/reply/miss.ts";
import { normaliseReply } from "../core/reply/normalise.ts";
import type { RequestSettings } from "../core/reply/request.ts";
import type { CallContext, Model, ModelRequest, ModelResult } from "../run/ports.ts";
import type { Brought } from "./branch-recordings.ts";
import { BroughtReplies } from "./brought-replies.ts";
import { maskJson } from "./mask.ts";
import { type Recorded, RecordingFile, recordingLine, recordingName } from "./recording-file.ts";
import { type RequestKey, RequestKeys } from "./request-key.ts";
import { messageOf } from "../core/text/thrown.ts";
import { cut } from "../core/text/cut.ts";

/** Which replies are served: recorded if there, always live, never recorded, recorded only. */
export type ReplayMode = (typeof REPLAY_MODES)[number];

/** How replies are recorded and served again. */
export interface RecordingOptions {
  readonly dir: string;
  readonly mode: ReplayMode;
  /** The settings that the live model sends: part of every key. */
  readonly settings: RequestSettings;
  /** Headers that are sent with every request and hold no secret: part of every key too. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Takes secrets out of a line before it is written. */
  readonly mask: (text: string) => string;
  /** Which recordings the branch under test brought: with a server to ask, `auto` does not serve them. Default: none. */
  readonly brought?: Brought | null;
  /** Bytes of recordings kept in memory at the most; default 64 MiB. */
  readonly maxCacheBytes?: number;
}

/** Counts of a run. `notes` are sentences about files that were not wholly readable or replies that were not kept. */
export interface RecordingStats {
  readonly replayed: number;
  readonly recorded: number;
  readonly misses: number;
  readonly notes: readonly string[];
}

/** A model with a memory. */
export interface RecordedModel extends Model {
  stats(): RecordingStats;
}

/**
 * Puts recordings in front of a model; `null` is no model at all. A key covers the whole request body, open headers, the case, the
 * trial number, the salt of an A/A run and how often the trial sent that request before; so a repeat is never served
 * another trial's reply. The arm is no part of it: arms that differ send different bodies, and a merged candidate is
 * served its recordings as the next baseline. Where both arms do send the same request for the same trial, they share one
 * reply, in `record` too: otherwise the recordings could not give the same run again. Failures are never recorded.
 */
export async function withRecordings(inner: Model | null, options: RecordingOptions): Promise<RecordedModel> {
  const recordings = new Recordings(inner, options);
  return {
    call: (request, context) => recordings.call(request, context),
    stats: () => recordings.stats(),
  };
}

class Recordings {
  readonly #inner: Model | null;
  readonly #options: RecordingOptions;
  readonly #files = new Map<string, Promise<RecordingFile>>();
  readonly #sizes = new Map<string, number>();
  readonly #flying = new Map<string, Promise<ModelResult>>();
  /** Keys recorded by this process; kept where older recordings do not count. */
  readonly #own = new Set<string>();
  readonly #brought: BroughtReplies;
  readonly #keys: RequestKeys;
  readonly #notes = new Set<string>();
  /** Bytes of all files in memory. */
  #held = 0;
  #replayed = 0;
  #recorded = 0;
  #misses = 0;

  constructor(inner: Model | null, options: RecordingOptions) {
    this.#inner = inner;
    this.#options = options;
    this.#keys = new RequestKeys(options.settings, options.headers);
    this.#brought = new BroughtReplies(options.brought ?? null, inner !== null && options.mode === "auto");
  }

  stats(): RecordingStats {
    return {
      replayed: this.#replayed,
      recorded: this.#recorded,
      misses: this.#misses,
      notes: [...this.#notes, ...this.#brought.notes()],
    };
  }

  async call(request: ModelRequest, context: CallContext): Promise<ModelResult> {
    if (this.#options.mode === "off" && this.#inner !== null) return this.#inner.call(request, context);
    const { key, head } = this.#keys.of(request, context);
    try {
      return await this.#serve(key, head, request, context);
    } catch (error) {
      return failed("harness", `the recordings in ${this.#options.dir} cannot be used: ${messageOf(error)}`);
    }
  }

  async #serve(
    key: string,
    head: RequestHead,
    request: ModelRequest,
    context: CallContext,
  ): Promise<ModelResult> {
    const name = context.key.case;
    const file = await this.#open(name);
    const found = (await this.#usable(key, file, context)) ? file.find(key) : undefined;
    this.#noteBroken(name, file);
    if (found !== undefined) return this.#replay(found);
    if (this.#inner === null || this.#options.mode === "strict") return this.#miss(name, file, head);
    const flying = this.#flying.get(key);
    const shared = flying === undefined ? undefined : await flying;
    if (shared?.ok) {
      this.#replayed += 1;
      return { ...shared, replayed: true };
    }
    const live = this.#live(this.#inner, { key, head }, request, context);
    this.#flying.set(key, live);
    try {
      return await live;
    } finally {
      if (this.#flying.get(key) === live) this.#flying.delete(key);
    }
  }

  async #usable(key: string, file: RecordingFile, { key: trial }: CallContext): Promise<boolean> {
    const { mode } = this.#options;
    if (this.#own.has(key)) return true;
    if (mode !== "auto" && mode !== "strict") return false;
    const line = file.line(key);
    return line === undefined || this.#brought.believes(trial, key, line);
  }

  #replay({ raw, ms, attempts }: Recorded): ModelResult {
    const read = normaliseReply(raw);
    if (!read.ok) return failed("bad-response", `the recording holds no reply: ${cut(read.fault.said, 300)}`);
    this.#replayed += 1;
    return { ok: true, reply: read.reply, raw, ms, attempts, replayed: true };
  }

  #miss(caseId: string, file: RecordingFile, head: RequestHead): ModelResult {
    this.#misses += 1;
    const where = join(this.#options.dir, recordingName(caseId));
    const why = this.#options.mode === "off" ? "recordings are off" : explainMiss(head, file.heads());
    const server = "and there is no server to ask (set --base-url or OPENAI_API_KEY)";
    const remedy = this.#options.mode === "strict" ? "record it with --replay auto" : server;
    return failed(
      "replay-miss",
      `no recording for case ${caseId}, trial ${head.trial}, in ${where}: ${why}; ${remedy}`,
    );
  }

  async #live(
    inner: Model,
    { key, head }: RequestKey,
    request: ModelRequest,
    context: CallContext,
  ): Promise<ModelResult> {
    const result = await inner.call(request, context);
    if (!result.ok) return result;
    const caseId = context.key.case;
    const line = this.#line({
      key,
      case: caseId,
      head,
      raw: result.raw,
      ms: result.ms,
      attempts: result.attempts,
    });
    if (line !== null) await this.#keep(key, caseId, line);
    return result;
  }

  /** A reply that can't be written down is paid for all the same: it counts, and that it is lost is noted once. */
  async #keep(key: string, caseId: string, line: string): Promise<void> {
    try {
      const file = await this.#open(caseId);
      file.add(key, line);
      this.#recorded += 1;
      if (this.#options.mode === "record" || this.#options.brought) this.#own.add(key);
      this.#keepWithin(caseId, file);
    } catch (error) {
      this.#notes.add(`replies could not be recorded in ${this.#options.dir}: ${messageOf(error)}`);
    }
  }

  #line(line: Parameters<typeof recordingLine>[0]): string | null {
    try {
      return maskJson(this.#options.mask, recordingLine(line));
    } catch (error) {
      this.#notes.add(`a reply of case ${line.case} could not be recorded: ${messageOf(error)}`);
      return null;
    }
  }

  async #open(caseId: string): Promise<RecordingFile> {
    const held = this.#files.get(caseId);
    const opening = held ?? RecordingFile.open(join(this.#options.dir, recordingName(caseId)));
    // Put last again: the map's order is the order of use.
    this.#files.delete(caseId);
    this.#files.set(caseId, opening);
    if (held !== undefined) return held;
    try {
      const file = await opening;
      this.#keepWithin(caseId, file);
      return file;
    } catch (error) {
      this.#files.delete(caseId);
      throw error;
    }
  }

  /** Lets go of the files used longest ago; what was added to them is on disk already. */
  #keepWithin(caseId: string, file: RecordingFile): void {
    this.#held += file.size - (this.#sizes.get(caseId) ?? 0);
    this.#sizes.set(caseId, file.size);
    const limit = this.#options.maxCacheBytes ?? 64 * 1024 * 1024;
    for (const oldest of this.#files.keys()) {
      if (this.#held <= limit || oldest === caseId) break;
      this.#held -= this.#sizes.get(oldest) ?? 0;
      this.#files.delete(oldest);
      this.#sizes.delete(oldest);
    }
  }

  #noteBroken(caseId: string, file: RecordingFile): void {
    if (file.broken === 0) return;
    const where = join(this.#options.dir, recordingName(caseId));
    this.#notes.add(`${where}: ${file.broken} line(s) are no recordings and were left out`);
  }
}

function failed(kind: Failure["kind"], message: string): ModelResult {
  return { ok: false, failure: { kind, message, status: null, attempts: 0 } };
}
