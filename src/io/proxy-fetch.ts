import { type Dispatcher, errors, fetch, Pool, ProxyAgent } from "undici";
import { atEnd } from "./at-end.ts";
import { errorCode } from "./files.ts";
import { HUNG_UP } from "./failure-words.ts";
import type { HttpProxy } from "./proxy.ts";
import type { ServerFetch } from "./http-fetch.ts";

/** No time limits of their own: the caller's signal is the limit. */
const LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const;
/** A proxy that has not opened a tunnel by then will not: it must reach the server itself. */
const TUNNEL_MS = 30_000;

/** A `fetch` through a proxy. A tunnel that a proxy never opens would hold the process: it is closed at its end. */
export function proxyFetch(proxy: HttpProxy): ServerFetch {
  const dispatcher = throughProxy(proxy);
  atEnd(() => dispatcher.destroy());
  const send: ServerFetch = (url, { method, redirect, headers, body, signal } = {}) =>
    fetch(url, {
      dispatcher,
      headers: [...new Headers(headers)],
      // Chat Completions are asked for in JSON and nothing else.
      body: typeof body === "string" || body instanceof Uint8Array ? body : null,
      ...(method === undefined ? {} : { method }),
      ...(redirect === undefined ? {} : { redirect }),
      ...(signal == null ? {} : { signal }),
    });
  return async (url, init) => {
    try {
      return await send(url, init);
    } catch (error) {
      if (!isStale(error)) throw error;
      return send(url, init);
    }
  };
}

/** A kept connection was closed before the proxy saw the request: once more, as in httpFetch. */
function isStale(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  if (cause instanceof errors.SocketError) return (cause.socket?.bytesRead ?? 0) > 0;
  return ["ECONNRESET", "EPIPE"].includes(errorCode(cause) ?? "");
}

/** A tunnel to an https server; to an http server the proxy carries the requests, as many allow tunnels to 443 alone. */
function throughProxy({ origin, authorization }: HttpProxy): Dispatcher {
  return new ProxyAgent({
    ...LIMITS,
    uri: origin,
    ...(authorization === null ? {} : { token: authorization }),
    proxyTunnel: false,
    clientFactory: (server, options) => new Tunnels(server, { ...options, headersTimeout: TUNNEL_MS }),
    factory: (server, options) => new Pool(server, { ...options, ...LIMITS }),
  });
}

/** Connections on which tunnels are asked for. A proxy that hangs up would be called again at once and without end. */
class Tunnels extends Pool {
  override connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData>;
  override connect(
    options: Dispatcher.ConnectOptions,
    callback: (error: Error | null, data: Dispatcher.ConnectData) => void,
  ): void;
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    try {
      return await super.connect(options);
    } catch (cause) {
      throw errorCode(cause) === "UND_ERR_SOCKET"
        ? Object.assign(new Error("the proxy hung up"), { code: HUNG_UP })
        : cause;
    }
  }
}
