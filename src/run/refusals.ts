import type { TrialLine } from "../core/nouns/run.ts";
import type { Failure } from "../core/nouns/transcript.ts";

/** Kinds that no later trial escapes, if none did so far: key, account, model, address, certificate or a parameter. */
const LASTING: ReadonlySet<Failure["kind"]> = new Set([
  "auth",
  "quota",
  "no-model",
  "refused-request",
  "tls",
]);
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

/**
 * Watches ended trials and says, once, why no more may be started: the last ones, at least as many as are in flight, were
 * all refused in the same lasting way, with no reply in between. Models are watched apart, since an arm may have its own.
 * Trials that asked no server tell nothing.
 */
export function refusalKeeper(
  concurrency: number,
  modelOf: (line: TrialLine) => string,
  stop: (reason: string) => void,
): (line: TrialLine) => void {
  const streaks = new Map<string, Streak>();
  let stopped = false;
  return (line) => {
    const model = modelOf(line);
    const streak = streaks.get(model) ?? { answered: false, count: 0, sign: "" };
    streaks.set(model, streak);
    const failure = take(streak, line);
    const enough = Math.max(FEWEST, concurrency) * (streak.answered ? AFTER_ANSWERS : 1);
    if (stopped || failure === null || streak.count < enough) return;
    stopped = true;
    stop(
      `${streak.count} trials in a row were refused (${failure.kind}), so the rest would be: ${failure.message}`,
    );
  };
}

/** Moves the streak on; the failure where the trial is part of one. */
function take(streak: Streak, { outcome, events }: TrialLine): Failure | null {
  if (events.some((event) => event.type === "reply" && !event.replayed)) {
    streak.answered = true;
    streak.count = 0;
    return null;
  }
  if (outcome.status !== "broken") return null;
  const sign = signOf(outcome.failure);
  streak.count = sign === null ? 0 : sign === streak.sign ? streak.count + 1 : 1;
  streak.sign = sign ?? "";
  return sign === null ? null : outcome.failure;
}

function signOf({ kind, status, message }: Failure): string | null {
  if (!LASTING.has(kind)) return null;
  // What a server refuses about a request may be the case's own; the same words for all are not.
  return `${kind} ${status} ${kind === "refused-request" ? message : ""}`;
}
