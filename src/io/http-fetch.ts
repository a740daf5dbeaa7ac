import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** `fetch` for one model server. */
export type ServerFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Code of the error for a status that no reply has. */
export const ODD_STATUS = "EVALKIT_ODD_STATUS";
/** A server that does not take the connection by then is not there. */
const CONNECT_MS = 10_000;
/** Servers close idle connections after 5 s and more, often unannounced: a call on one that is closing would fail. */
const IDLE_MS = 4000;

const pool = { keepAlive: true, maxFreeSockets: 1024, timeout: IDLE_MS };
const agents = { "http:": new HttpAgent(pool), "https:": new HttpsAgent(pool) };

/**
 * The part of `fetch` that a model server needs, over `node:http`: half the CPU of Node's own `fetch` and a third of its
 * memory, and no limit of 300 s on a reply that is long in coming. Redirects are not followed. Without a reply it rejects
 * with the socket's error (its `code` says what failed) or the signal's reason; where the server had closed a kept
 * connection meanwhile, the request is sent once more. A body that breaks off ends in a `TypeError`, as in `fetch`. The
 * caller's signal is the only time limit, but for taking the connection (10 s).
 */
export async function httpFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const sent = prepared(new URL(url), init);
  try {
    return await send(sent, sent.secure ? agents["https:"] : agents["http:"]);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    // Once, and on a connection of its own: the others may be as dead.
    return send(sent, sent.secure ? new HttpsAgent() : new HttpAgent());
  }
}

/** The server had closed a kept connection before it saw the request: nothing is wrong with either. */
class StaleConnection extends Error {}

interface Message {
  readonly target: URL;
  readonly secure: boolean;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Uint8Array | null;
  readonly signal: AbortSignal | null;
}

function prepared(target: URL, init: RequestInit): Message {
  const body = bytesOf(init.body);
  const given = init.headers instanceof Headers ? init.headers : new Headers(init.headers);
  const headers: Record<string, string | number> = Object.fromEntries(given);
  headers["accept-encoding"] = "identity";
  if (body !== null) headers["content-length"] = body.length;
  const secure = target.protocol === "https:";
  return { target, secure, method: init.method ?? "GET", headers, body, signal: init.signal ?? null };
}

function send(sent: Message, agent: HttpAgent): Promise<Response> {
  const { target, secure, method, headers, body, signal } = sent;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(reasonOf(signal));
    const request = (secure ? httpsRequest : httpRequest)(target, { method, headers, agent });
    let answer: IncomingMessage | null = null;
    const abort = () => {
      (answer ?? request).destroy(signal === null ? undefined : reasonOf(signal));
    };
    signal?.addEventListener("abort", abort, { once: true });
    request.once("close", () => {
      signal?.removeEventListener("abort", abort);
      // An answer that is none, such as status 101, ends a request without an error.
      if (answer === null) reject(coded("the connection was closed", "ECONNRESET"));
    });
    request.once("socket", (socket) => limitConnecting(request, socket, secure));
    request.on("error", (error) => reject(isStale(request, error) ? new StaleConnection() : error));
    request.once("response", (message) => {
      answer = message;
      try {
        resolve(responseOf(message));
      } catch (error) {
        request.destroy();
        reject(error);
      }
    });
    request.end(body);
  });
}

function isStale(request: ClientRequest, error: NodeJS.ErrnoException): boolean {
  return request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
}

function coded(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Chat Completions are asked for in JSON and nothing else. */
function bytesOf(body: RequestInit["body"]): Uint8Array | null {
  if (body instanceof Uint8Array) return body;
  return typeof body === "string" ? Buffer.from(body) : null;
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error("aborted");
}

function limitConnecting(request: ClientRequest, socket: Socket, secure: boolean): void {
  if (!socket.connecting) return;
  const timer = setTimeout(() => {
    request.destroy(coded("no connection in time", "ETIMEDOUT"));
  }, CONNECT_MS);
  const done = () => clearTimeout(timer);
  socket.once(secure ? "secureConnect" : "connect", done);
  socket.once("close", done);
}

/** A response whose body is read from the socket without the detour over web streams where only its text is wanted. */
function responseOf(message: IncomingMessage): Response {
  const status = message.statusCode ?? 0;
  if (status < 200 || status > 599) throw coded(`status ${status}`, ODD_STATUS);
  const headers = Object.entries(message.headers).map(([name, value]): [string, string] => [
    name,
    Array.isArray(value) ? value.join(", ") : (value ?? ""),
  ]);
  const source = decoded(message);
  // Errors are told to who reads; before that nobody listens.
  source.on("error", () => undefined);
  let stream: ReadableStream<Uint8Array> | null = null;
  const body = () => {
    stream ??= streamOf(source);
    return stream;
  };
  return Object.defineProperties(new Response(null, { status, headers }), {
    body: { get: body },
    text: { value: () => textOf(source) },
  });
}

function textOf(source: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  return new Promise((resolve, reject) => {
    source.on("data", (piece: Buffer) => pieces.push(piece));
    source.once("end", () => resolve(new TextDecoder().decode(Buffer.concat(pieces))));
    whenBroken(source, reject);
  });
}

/** Not asked for, but some servers compress all the same. */
function decoded(message: IncomingMessage): Readable {
  const encoding = (message.headers["content-encoding"] ?? "").trim().toLowerCase();
  const decoder =
    encoding === "gzip" || encoding === "x-gzip"
      ? createGunzip()
      : encoding === "deflate"
        ? createInflate()
        : encoding === "br"
          ? createBrotliDecompress()
          : null;
  if (decoder === null) return message;
  message.once("error", (error) => decoder.destroy(error));
  decoder.once("close", () => message.destroy());
  return message.pipe(decoder);
}

function streamOf(source: Readable): ReadableStream<Uint8Array> {
  const pieces: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const piece = await pieces.next();
        if (piece.done) controller.close();
        else controller.enqueue(piece.value);
      } catch (cause) {
        controller.error(new TypeError("terminated", { cause }));
      }
    },
    cancel: () => {
      source.destroy();
    },
  });
}

function whenBroken(message: Readable, tell: (error: TypeError) => void): void {
  const broken = (cause: unknown) => tell(new TypeError("terminated", { cause }));
  if (message.errored === null) message.once("error", broken);
  else broken(message.errored);
}
