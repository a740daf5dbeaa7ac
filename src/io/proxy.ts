import { BlockList, isIP } from "node:net";
import type { Env } from "../core/config/pick.ts";
import { fail } from "../core/nouns/problem.ts";

/** The proxy through which a server is reached. */
export interface HttpProxy {
  /** The variable that names it, as it is written in the environment. */
  readonly variable: string;
  /** Its address, without user name and password: for connecting and for messages. */
  readonly origin: string;
  /** Value of `Proxy-Authorization`, or null. Never shown. */
  readonly authorization: string | null;
}

/**
 * The proxy that the environment names for an address, as curl reads it: `https_proxy` or `http_proxy` by the address's
 * scheme, lower case before upper case, unless `no_proxy` names the host. One exception: what listens on this machine
 * (127.0.0.1, localhost, [::1]) is never asked for through a proxy on another one, which could not reach it. Throws
 * InputError for a proxy that is no http or https address.
 */
export function proxyFor(target: URL, env: Env): HttpProxy | null {
  const scheme = target.protocol === "https:" ? "https_proxy" : "http_proxy";
  const named = firstSet(env, scheme);
  if (named === null || isExcepted(target, firstSet(env, "no_proxy")?.value ?? "")) return null;
  const url = proxyUrl(named.name, named.value);
  if (isLoopback(target) && !isLoopback(url)) return null;
  return {
    variable: named.name,
    origin: url.origin,
    authorization: credentials(url),
  };
}

function firstSet(env: Env, lower: string): { readonly name: string; readonly value: string } | null {
  // An empty lower-case variable switches the upper-case one off, as in curl.
  const name = [lower, lower.toUpperCase()].find((one) => env[one] !== undefined);
  const value = name === undefined ? "" : (env[name] ?? "").trim();
  return name === undefined || value === "" ? null : { name, value };
}

function proxyUrl(variable: string, value: string): URL {
  const text = value.includes("://") ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  const what = url === null ? "no address" : `a ${url.protocol.replace(":", "")} proxy`;
  return fail(
    "proxy",
    { key: variable },
    `${variable} names ${what}, but a proxy is reached by http or https`,
    `write it as http://HOST:PORT, unset ${variable}, or name the server's host in NO_PROXY`,
  );
}

function credentials({ username, password }: URL): string | null {
  if (username === "" && password === "") return null;
  const text = `${decoded(username)}:${decoded(password)}`;
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

/** A password with a bare `%` is meant as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether `no_proxy` names the address: `*`, hosts with all below them, `host:port`, addresses and networks (`10.0.0.0/8`). */
function isExcepted(target: URL, noProxy: string): boolean {
  const host = bare(target.hostname);
  const port = target.port || (target.protocol === "https:" ? "443" : "80");
  return noProxy.split(/[,\s]+/).some((entry) => {
    if (entry === "*") return true;
    if (entry.includes("/")) return inNetwork(host, entry);
    // `[::1]:8080` and `host:8080`; a bare IPv6 address holds colons but no port.
    const parts = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry);
    if (parts !== null && parts[2] !== port) return false;
    const name = bare(parts?.[1] ?? entry).replace(/^\*?\./, "");
    return name !== "" && (host === name || (isIP(host) === 0 && host.endsWith(`.${name}`)));
  });
}

function inNetwork(host: string, entry: string): boolean {
  const [network = "", bits = ""] = entry.split("/");
  const family = isIP(host);
  const most = family === 6 ? 128 : 32;
  if (family === 0 || isIP(network) !== family || !/^\d+$/.test(bits) || Number(bits) > most) return false;
  const list = new BlockList();
  const kind = family === 6 ? "ipv6" : "ipv4";
  list.addSubnet(network, Number(bits), kind);
  return list.check(host, kind);
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

function isLoopback(url: URL): boolean {
  const host = bare(url.hostname);
  return host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127\.[\d.]+$/.test(host);
}
