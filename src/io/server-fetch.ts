import { httpFetch, type ServerFetch } from "./http-fetch.ts";
import type { HttpProxy } from "./proxy.ts";

/**
 * How a server is asked: directly, or through its proxy by undici, which is loaded only then, since it costs some 50 ms.
 * The caller's signal is the time limit of both.
 */
export async function serverFetch(proxy: HttpProxy | null): Promise<ServerFetch> {
  if (proxy === null) return httpFetch;
  const { proxyFetch } = await import("./proxy-fetch.ts");
  return proxyFetch(proxy);
}
