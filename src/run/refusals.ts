import type { TrialLine } from "../core/nouns/run.ts";
import type { Failure } from "../core/nouns/transcript.ts";
import type { Model } from "./ports.ts";

/** Kinds that no later trial escapes, if none did so far: key, account, model, address, certificate or a parameter. */
const LASTING: ReadonlySet<Failure["kind"]> = new Set([
  "auth",
  "quota",
  "no-model",
  "refused-request",
  "tls",
]);
/** Kinds that pass by themselves, as a rule: they tell of all trials only where the model has never answered. */
const PASSING: ReadonlySet<Failure["kind"]> = new Set([
  "network",
  "server",
  "timeout",
  "cut-off",
  "bad-response",
  "rate-limited",
]);
/** So many times more of those are needed, each after all its retries: a server may be starting. */
const PASSING_TIMES = 8;
/** Fewer refusals in a row may be of the first cases alone: some servers answer 403 to a prompt that they won't take. */
const FEWEST = 8;
/** So many times more are needed where the model has answered before: a whole group of cases may be refused. */
const AFTER_ANSWERS = 4;

interface Streak {
  answered: boolean;
  count: number;
  /** What all of them had in common. */
  sign: string;
}

/** What became of one thing that asked a model: a reply, a failure without one, or null where it asked no server. */
type Asked = "answered" | Failure | null;

/**
 * Watches ended trials and says, once, why no more may be started: the last ones, at least as many as are in flight, were
 * all refused in the same lasting way, with no reply in between; or the first ones, many more, all failed in the same way
 * and no reply ever came. Models are watched apart, since an arm may have its own. Trials that asked no server tell nothing.
 */
export function refusalKeeper(
  concurrency: number,
  modelOf: (line: TrialLine) => string,
  stop: (reason: string) => void,
): (line: TrialLine) => void {
  const watches = new Map<string, (asked: Asked) => void>();
  return (line) => {
    const model = modelOf(line);
    const watch = watches.get(model) ?? watchRefusals(concurrency, "trials", stop);
    watches.set(model, watch);
    watch(askedBy(line));
  };
}

/** The same for the calls of a model that no trial breaks by: a judge's. */
export function withRefusalStop(model: Model, concurrency: number, stop: (reason: string) => void): Model {
  const watch = watchRefusals(concurrency, "calls of the judge", stop);
  return {
    call: async (request, context) => {
      const result = await model.call(request, context);
      watch(result.ok ? "answered" : result.failure);
      return result;
    },
  };
}

function watchRefusals(
  concurrency: number,
  what: string,
  stop: (reason: string) => void,
): (asked: Asked) => void {
  const streak: Streak = { answered: false, count: 0, sign: "" };
  let stopped = false;
  return (asked) => {
    const failure = take(streak, asked);
    if (stopped || failure === null || streak.count < enough(streak, failure, concurrency)) return;
    stopped = true;
    const { kind, message } = failure;
    const how = LASTING.has(kind) ? "were refused" : "got no reply";
    stop(`${streak.count} ${what} in a row ${how} (${kind}), and so would the rest: ${message}`);
  };
}

function enough({ answered }: Streak, { kind }: Failure, concurrency: number): number {
  const fewest = Math.max(FEWEST, concurrency);
  if (LASTING.has(kind)) return fewest * (answered ? AFTER_ANSWERS : 1);
  return answered ? Number.POSITIVE_INFINITY : fewest * PASSING_TIMES;
}

function askedBy({ outcome, events }: TrialLine): Asked {
  if (events.some((event) => event.type === "reply" && !event.replayed)) return "answered";
  return outcome.status === "broken" ? outcome.failure : null;
}

/** Moves the streak on; the failure where it is part of one. */
function take(streak: Streak, asked: Asked): Failure | null {
  if (asked === null) return null;
  const sign = asked === "answered" ? null : signOf(asked);
  streak.answered ||= asked === "answered";
  streak.count = sign === null ? 0 : sign === streak.sign ? streak.count + 1 : 1;
  streak.sign = sign ?? "";
  return sign === null || asked === "answered" ? null : asked;
}

function signOf({ kind, status, message }: Failure): string | null {
  if (PASSING.has(kind)) return kind;
  if (!LASTING.has(kind)) return null;
  // What a server refuses about a request may be the case's own; the same words for all are not.
  return `${kind} ${status} ${kind === "refused-request" ? message : ""}`;
}
