import type { Failure } from "../core/nouns/transcript.ts";
import type { Fault } from "../core/reply/fault.ts";
import { messageOf } from "../core/text/thrown.ts";
import { errorCode } from "./files.ts";
import { ODD_STATUS } from "./http-fetch.ts";
import type { HttpProxy } from "./proxy.ts";
import { tlsWords } from "./tls-words.ts";

/** Longest part of a server's own words that is shown. */
const SHOWN = 300;

/** The way to a server, as messages need it. */
export interface Route {
  /** Host and port. */
  readonly host: string;
  readonly proxy: HttpProxy | null;
  /** Takes secrets out of a text. */
  readonly mask: (text: string) => string;
}

/** The one place that words what a server said instead of a reply. Secrets are masked before anything is shortened. */
export function faultFailure(fault: Fault, route: Route): Failure {
  if (fault.status === 407 && route.proxy !== null)
    return proxyRefused(fault.status, route.host, route.proxy);
  const said = shorten(route.mask(fault.said));
  const status = fault.status === null ? "" : ` ${fault.status}`;
  const words = said === "" ? " without a message" : `: ${said}`;
  const hint = fault.hint === "" ? "" : ` (${fault.hint})`;
  return {
    kind: fault.kind,
    message: `${route.host} answered${status}${words}${hint}${wayOf(route)}`,
    status: fault.status,
    attempts: 1,
  };
}

/** Words for a connection that failed; `error` is what `fetch` threw. `answered`: the status had already come. */
export function connectionFailure(error: unknown, route: Route, answered: boolean): Failure {
  const { host, proxy, mask } = route;
  const { code, message } = rootCause(error);
  const refused = proxy === null ? null : TUNNEL_REFUSED.exec(message);
  if (proxy !== null && refused !== null) return proxyRefused(Number(refused[1]), host, proxy);
  const known = code === undefined ? undefined : (WORDS[code] ?? noHttp(code));
  if (answered) {
    return failure("cut-off", `${host} broke the connection off in the middle of the reply${wayOf(route)}`);
  }
  const tls = tlsWords(code ?? "", message);
  if (tls !== null) return failure("tls", `${speaker(route)} ${shorten(mask(tls))}${wayOf(route)}`);
  if (proxy !== null && code !== undefined && PROXY_WORDS[code] !== undefined) {
    return failure("network", `${proxyName(proxy)} ${PROXY_WORDS[code]}: ${proxyAdvice(proxy, host)}`);
  }
  if (known !== undefined) return failure(known.kind, `${host} ${known.words}${wayOf(route)}`);
  return failure("network", `${host} cannot be reached: ${shorten(mask(code ?? message))}${wayOf(route)}`);
}

/** The time limit of one call ran out. */
export function timeoutFailure(route: Route, seconds: number, answered: boolean): Failure {
  const what = answered ? "did not finish its reply" : "did not answer";
  return failure("timeout", `${route.host} ${what} within ${seconds} s (--timeout)${wayOf(route)}`);
}

/** The trial or the run was stopped from outside. */
export function interruptedFailure(): Failure {
  return failure("interrupted", "the call was stopped before the reply came");
}

function failure(kind: Failure["kind"], message: string): Failure {
  return { kind, message, status: null, attempts: 1 };
}

/** What undici says of a proxy that opens no tunnel, and of one that wants a password. */
const TUNNEL_REFUSED = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;

/** Code of an error that says that a proxy hung up when it was asked for a tunnel. */
export const HUNG_UP = "EVALKIT_PROXY_HUNG_UP";

/** These codes are of the first step, which leads to the proxy. */
const PROXY_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refuses connections",
  ENOTFOUND: "is not known to the name service",
  EAI_AGAIN: "could not be looked up: the name service did not answer",
  ETIMEDOUT: "did not take the connection in time",
  UND_ERR_CONNECT_TIMEOUT: "did not take the connection in time",
  UND_ERR_HEADERS_TIMEOUT: "opened no tunnel in time",
  [HUNG_UP]: "hung up when it was asked for a tunnel",
  EHOSTUNREACH: "cannot be reached from here",
  ENETUNREACH: "cannot be reached from here",
};

/** A proxy that lets nobody through is a fault of the set-up; one that cannot reach the server may find it again. */
function proxyRefused(status: number, host: string, proxy: HttpProxy): Failure {
  const told = `${proxyName(proxy)} answered ${status} instead of leading to ${host}`;
  const hint =
    status === 407
      ? `it wants a user name and a password: ${proxy.variable}=http://USER:PASSWORD@HOST:PORT`
      : proxyAdvice(proxy, host);
  const kind = status >= 400 && status < 500 ? "auth" : "network";
  return { kind, message: `${told} (${hint})`, status, attempts: 1 };
}

function proxyName({ origin, variable }: HttpProxy): string {
  return `the proxy ${origin} (${variable})`;
}

/** Who shows the certificate: an https proxy shows one of its own before the server's. */
function speaker({ host, proxy }: Route): string {
  return proxy?.origin.startsWith("https:") === true ? `${host} or ${proxyName(proxy)}` : host;
}

function proxyAdvice({ variable }: HttpProxy, host: string): string {
  return `look at ${variable}, or add ${host.replace(/:\d+$/, "")} to NO_PROXY if it needs no proxy`;
}

function wayOf({ proxy }: Route): string {
  return proxy === null ? "" : ` [through the proxy ${proxy.origin}, set by ${proxy.variable}]`;
}

const NOT_TAKEN =
  "did not take the connection in time: are host and port of the base URL right, does a firewall let it through?";
const NO_WAY = "cannot be reached from here: is the base URL right, is the network up?";
const WORDS: Readonly<Record<string, { kind: Failure["kind"]; words: string }>> = {
  ECONNREFUSED: {
    kind: "network",
    words: "refuses connections: is the server running, is the base URL right?",
  },
  ENOTFOUND: { kind: "network", words: "is not known to the name service: is the base URL right?" },
  EAI_AGAIN: { kind: "network", words: "could not be looked up: the name service did not answer" },
  ECONNRESET: { kind: "network", words: "closed the connection without an answer" },
  EPIPE: { kind: "network", words: "closed the connection while the request was sent" },
  ETIMEDOUT: { kind: "timeout", words: NOT_TAKEN },
  UND_ERR_SOCKET: { kind: "network", words: "closed the connection without an answer" },
  UND_ERR_CONNECT_TIMEOUT: { kind: "timeout", words: NOT_TAKEN },
  EHOSTUNREACH: { kind: "network", words: NO_WAY },
  ENETUNREACH: { kind: "network", words: NO_WAY },
  [ODD_STATUS]: { kind: "bad-response", words: "answered with a status that HTTP doesn't know" },
  HPE_HEADER_OVERFLOW: { kind: "bad-response", words: "answered with headers that are too long" },
};

/** What Node's parser says of an answer. */
function noHttp(code: string): (typeof WORDS)[string] | undefined {
  if (!code.startsWith("HPE_")) return undefined;
  const words = `does not answer in HTTP (${code}): is the port of the base URL right, should it begin with https://?`;
  return { kind: "bad-response", words };
}

/** The deepest cause of an error: `fetch` wraps the one that says something. */
function rootCause(error: unknown): { code: string | undefined; message: string } {
  let at: unknown = error;
  for (let depth = 0; depth < 8 && at instanceof Error && at.cause !== undefined; depth += 1) at = at.cause;
  const first: unknown = at instanceof AggregateError ? at.errors[0] : at;
  return {
    code: errorCode(first),
    message: messageOf(first),
  };
}

/** Cut between whole characters; control characters would act on a terminal. */
function shorten(text: string): string {
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
  const points = [...plain.slice(0, SHOWN * 2)];
  return points.length <= SHOWN ? plain : `${points.slice(0, SHOWN).join("")}…`;
}
