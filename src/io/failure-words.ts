import type { Failure } from "../core/nouns/transcript.ts";
import type { Fault } from "../core/reply/fault.ts";
import { messageOf } from "../core/text/thrown.ts";
import { errorCode } from "./files.ts";

/** Longest part of a server's own words that is shown. */
const SHOWN = 300;

/** The one place that words what a server said instead of a reply. Secrets are masked before anything is shortened. */
export function faultFailure(fault: Fault, host: string, mask: (text: string) => string): Failure {
  const said = shorten(mask(fault.said));
  const status = fault.status === null ? "" : ` ${fault.status}`;
  const words = said === "" ? " without a message" : `: ${said}`;
  const hint = fault.hint === "" ? "" : ` (${fault.hint})`;
  return {
    kind: fault.kind,
    message: `${host} answered${status}${words}${hint}`,
    status: fault.status,
    attempts: 1,
  };
}

/** Words for a connection that failed; `error` is what `fetch` threw. `answered`: the status had already come. */
export function connectionFailure(
  error: unknown,
  host: string,
  answered: boolean,
  mask: (text: string) => string,
): Failure {
  const { code, message } = rootCause(error);
  const known = code === undefined ? undefined : WORDS[code];
  if (answered) return failure("cut-off", `${host} broke the connection off in the middle of the reply`);
  if (known !== undefined) return failure(known.kind, `${host} ${known.words}`);
  return failure("network", `${host} cannot be reached: ${shorten(mask(code ?? message))}`);
}

/** The time limit of one call ran out. */
export function timeoutFailure(host: string, seconds: number, answered: boolean): Failure {
  const what = answered ? "did not finish its reply" : "did not answer";
  return failure("timeout", `${host} ${what} within ${seconds} s (--timeout)`);
}

/** The trial or the run was stopped from outside. */
export function interruptedFailure(): Failure {
  return failure("interrupted", "the call was stopped before the reply came");
}

function failure(kind: Failure["kind"], message: string): Failure {
  return { kind, message, status: null, attempts: 1 };
}

const WORDS: Readonly<Record<string, { kind: Failure["kind"]; words: string }>> = {
  ECONNREFUSED: {
    kind: "network",
    words: "refuses connections: is the server running, is the base URL right?",
  },
  ENOTFOUND: { kind: "network", words: "is not known to the name service: is the base URL right?" },
  EAI_AGAIN: { kind: "network", words: "could not be looked up: the name service did not answer" },
  ECONNRESET: { kind: "network", words: "closed the connection without an answer" },
  EPIPE: { kind: "network", words: "closed the connection while the request was sent" },
  ETIMEDOUT: { kind: "timeout", words: "did not take the connection in time" },
};

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
