import { Worker } from "node:worker_threads";
import type { Page } from "../core/nouns/case.ts";
import {
  type OpenShell,
  type ShellCommand,
  ShellLost,
  type ShellOutcome,
  type ShellSession,
} from "../run/ports.ts";

type Pages = Readonly<Record<string, Page>>;

/** What a worker is told; one command at a time. */
export type ToShellWorker =
  | ExecMessage
  | { readonly type: "abort"; readonly session: number }
  | { readonly type: "close"; readonly session: number };

/** A command to run; `pages` come with a session's first one. */
export interface ExecMessage {
  readonly type: "exec";
  readonly session: number;
  readonly pages: Pages | null;
  readonly command: ShellCommand;
}

/** What it answers to `exec`. */
export type FromShellWorker =
  | { readonly ok: true; readonly outcome: ShellOutcome }
  | { readonly ok: false; readonly message: string };

/** How shells are kept from harm. */
export interface ShellPoolOptions {
  /** The worker's file. */
  readonly worker: URL;
  /** Threads at the most. */
  readonly threads: number;
  /** A command that has not ended by then is stopped by force. */
  readonly limitMs?: number;
}

/** Shells in threads of their own. */
export interface ShellPool {
  readonly open: OpenShell;
  close(): Promise<void>;
}

/** The shell itself gives up at 10 seconds, where it still can: what its steps allow takes less than one. */
const LIMIT_MS = 12_000;
/** A worker that was asked to stop a command has so long to do it. */
const GRACE_MS = 500;
const MEMORY_MB = 768;

/**
 * Opens shells in a few threads: a command that never ends, or that fills the memory, is stopped by force and costs
 * neither the other trials nor Ctrl-C a second. Threads start when they are needed.
 */
export function shellPool(options: ShellPoolOptions): ShellPool {
  const threads: ShellThread[] = [];
  let sessions = 0;
  const leastBusy = (): ShellThread => {
    const idle = threads.find((thread) => thread.load === 0);
    if (idle !== undefined) return idle;
    if (threads.length < options.threads) {
      const fresh = new ShellThread(options);
      threads.push(fresh);
      return fresh;
    }
    return threads.reduce((least, thread) => (thread.load < least.load ? thread : least));
  };
  return {
    open: (pages) => {
      sessions += 1;
      return new PooledShell(leastBusy(), sessions, pages);
    },
    close: async () => {
      await Promise.all(threads.map((thread) => thread.kill()));
    },
  };
}

class PooledShell implements ShellSession {
  readonly #thread: ShellThread;
  readonly #id: number;
  readonly #pages: Pages;
  #life: number | null = null;

  constructor(thread: ShellThread, id: number, pages: Pages) {
    this.#thread = thread;
    this.#id = id;
    this.#pages = pages;
    thread.load += 1;
  }

  exec(command: ShellCommand, signal: AbortSignal): Promise<ShellOutcome> {
    return this.#thread.inTurn(async () => {
      const life = this.#thread.life;
      if (this.#life !== null && this.#life !== life)
        throw new ShellLost("the shell was stopped with its thread");
      const pages = this.#life === null ? this.#pages : null;
      this.#life = life;
      return this.#thread.exec({ type: "exec", session: this.#id, pages, command }, signal);
    });
  }

  close(): void {
    this.#thread.load -= 1;
    if (this.#life === this.#thread.life) this.#thread.post({ type: "close", session: this.#id });
  }
}

/** A thread and its queue. After a command that had to be stopped by force it begins a new life, its shells lost. */
class ShellThread {
  /** Shells that are open in it. */
  load = 0;
  life = 0;
  readonly #options: ShellPoolOptions;
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ShellPoolOptions) {
    this.#options = options;
  }

  /** One command after the other: time counts from the moment a command runs. */
  inTurn(run: () => Promise<ShellOutcome>): Promise<ShellOutcome> {
    const turn = this.#last.then(run);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  post(message: ToShellWorker): void {
    this.#worker?.postMessage(message);
  }

  async kill(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.life += 1;
    await worker?.terminate();
  }

  exec(message: ExecMessage, signal: AbortSignal): Promise<ShellOutcome> {
    if (signal.aborted) return Promise.reject(new Error("stopped"));
    const worker = this.#worker ?? this.#start();
    return new Promise((resolve, reject) => {
      const answered = (answer: FromShellWorker): void => {
        end();
        if (answer.ok) resolve(answer.outcome);
        else reject(new Error(answer.message));
      };
      const died = (error: NodeJS.ErrnoException): void =>
        stop(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "stopped: out of memory" : error.message);
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        worker.off("message", answered).off("error", died);
      };
      const stop = (why: string): void => {
        end();
        void this.kill();
        reject(new Error(why));
      };
      const limit = this.#options.limitMs ?? LIMIT_MS;
      let timer = setTimeout(() => stop(`stopped: ran over ${Math.floor(limit / 1000)} seconds`), limit);
      const abort = (): void => {
        this.post({ type: "abort", session: message.session });
        clearTimeout(timer);
        timer = setTimeout(() => stop("stopped"), GRACE_MS);
      };
      signal.addEventListener("abort", abort, { once: true });
      worker.on("message", answered).on("error", died);
      this.post(message);
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#options.worker, {
      // The shell knows nothing of the host; its thread need not either.
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    worker.unref();
    // Without a listener an error would end the whole process; one that comes between two commands loses the shells only.
    worker.on("error", () => {
      if (this.#worker === worker) void this.kill();
    });
    this.#worker = worker;
    return worker;
  }
}
