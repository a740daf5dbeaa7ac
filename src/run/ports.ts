import type { Case, Page } from "../core/nouns/case.ts";
import type { TrialLine } from "../core/nouns/run.ts";
import type { TrialKey } from "../core/nouns/score.ts";
import type { Failure, Reply } from "../core/nouns/transcript.ts";

/** A message as it goes over the wire. */
export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | AssistantMessage
  | {
      readonly role: "tool";
      readonly tool_call_id: string;
      readonly content: string;
      /** The tool's; only for servers that ask for it. */
      readonly name?: string;
    };

/** A reply of the model, sent back. Fields of reasoning and `extra_content` stand there where the server sent them. */
export interface AssistantMessage {
  readonly role: "assistant";
  /** Beside calls the empty text, since some servers refuse null; null only for those that refuse the empty text. */
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly reasoning_details?: readonly Readonly<Record<string, unknown>>[];
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function";
    readonly function: { readonly name: string; readonly arguments: string };
    readonly extra_content?: Readonly<Record<string, unknown>>;
  }[];
}

/** A tool as it is offered to a model. */
export interface ToolSpec {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

/** What the agent loop decides about a call; the settings (temperature, stream, …) are added by the model behind the port. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  /** Empty: the field is not sent. */
  readonly tools: readonly ToolSpec[];
}

/** Which trial a call belongs to; part of a recording's key. */
export interface CallContext {
  readonly key: TrialKey;
  /**
   * Separates arms that send the very same requests: `""`, or `candidate` in the candidate arm of an A/A run, so that
   * it is never served the baseline's replies.
   */
  readonly salt: string;
  /** How often this trial has sent this very request before. */
  readonly occurrence: number;
  readonly signal: AbortSignal;
}

/** A reply, or why there is none. A model behind this port never throws and never hangs past its time limit. */
export type ModelResult =
  | {
      readonly ok: true;
      readonly reply: Reply;
      /** The server's own JSON (streams: put together), kept in recordings. */
      readonly raw: unknown;
      readonly ms: number;
      readonly attempts: number;
      readonly replayed: boolean;
    }
  | {
      readonly ok: false;
      readonly failure: Failure;
      /** How long the server asked to wait before the next try, where it said so. */
      readonly retryAfterSeconds?: number;
    };

/** A chat model: live, recorded or replayed. */
export interface Model {
  call(request: ModelRequest, context: CallContext): Promise<ModelResult>;
}

/** Time, handed in. */
export interface Clock {
  /** Milliseconds, monotonic. */
  now(): number;
  /** Wall-clock time as ISO 8601. */
  iso(): string;
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** `sha256:<hex>` of a text's UTF-8 bytes. */
export type Digest = (text: string) => string;

/** Where finished trials go: each is on disk when `append` resolves. */
export interface Store {
  append(line: TrialLine): Promise<void>;
}

/** Progress of a run, told as it happens. */
export type RunEvent =
  | { readonly type: "start"; readonly trials: number; readonly cases: number; readonly done: number }
  | { readonly type: "trial"; readonly line: TrialLine }
  | { readonly type: "wait"; readonly reason: string; readonly seconds: number }
  | { readonly type: "end" };
/** Whoever shows progress. */
export interface Listener {
  tell(event: RunEvent): void;
}

/** A trial to be run. */
export interface TrialPlan {
  readonly key: TrialKey;
  readonly case: Case;
}

/** A command for a simulated shell, with the files of the workspace that changed on the caller's side since its last one. */
export interface ShellCommand {
  readonly command: string;
  /** Texts by path from the workspace's root. */
  readonly put: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/** What a command printed, and the files of the workspace that it changed. */
export interface ShellOutcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly put: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/** A simulated shell of one trial; it keeps what stands outside of the workspace from command to command. */
export interface ShellSession {
  /** Runs one command. Rejects when the shell failed or was stopped: it is of no more use then. */
  exec(command: ShellCommand, signal: AbortSignal): Promise<ShellOutcome>;
  close(): void;
}

/** Opens a shell whose `curl` and `wget` know these pages and nothing else. */
export type OpenShell = (pages: Readonly<Record<string, Page>>) => ShellSession;

/** A shell that is gone for no fault of its own command; another one can be opened. */
export class ShellLost extends Error {}
