import { type Dispatcher, fetch, Pool, ProxyAgent } from "undici";
import type { HttpProxy } from "./proxy.ts";
import type { ServerFetch } from "./http-fetch.ts";

/** No time limits of their own: the caller's signal is the limit. */
const LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const;

/** A `fetch` through a proxy. */
export function proxyFetch(proxy: HttpProxy): ServerFetch {
  const dispatcher = throughProxy(proxy);
  return (url, { method, redirect, headers, body, signal } = {}) =>
    fetch(url, {
      dispatcher,
      headers: [...new Headers(headers)],
      // Chat Completions are asked for in JSON and nothing else.
      body: typeof body === "string" ? body : null,
      ...(method === undefined ? {} : { method }),
      ...(redirect === undefined ? {} : { redirect }),
      ...(signal == null ? {} : { signal }),
    });
}

/** A tunnel to an https server; to an http server the proxy carries the requests, as many allow tunnels to 443 alone. */
function throughProxy({ origin, authorization }: HttpProxy): Dispatcher {
  return new ProxyAgent({
    ...LIMITS,
    uri: origin,
    ...(authorization === null ? {} : { token: authorization }),
    proxyTunnel: false,
    factory: (server, options) => new Pool(server, { ...options, ...LIMITS }),
  });
}
