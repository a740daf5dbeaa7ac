import type { TrialLine } from "../../nouns/run.ts";
import { PASS_METRICS } from "../../compare/metric-kind.ts";
import { type Arm, ARMS } from "../../nouns/score.ts";
import { cut } from "../../text/cut.ts";
import { byText } from "../../text/order.ts";
import { type Mark, markOf } from "./pick.ts";

/** One reason why trials of a case and arm need a look, with the numbers of the trials that have it. */
export interface Trouble {
  readonly kind: "failed" | "stopped" | "broken";
  /** The check that failed, the limit, or the kind of failure. */
  readonly what: string;
  /** What was seen in the first trial that has it. */
  readonly detail: string;
  readonly trials: readonly number[];
}

/** Trials of one case in one arm that failed, stopped at a limit or broke, or that have a failed check but no verdict. */
export interface TroubledArm {
  readonly case: string;
  readonly arm: Arm;
  readonly trials: number;
  readonly failed: number;
  readonly stopped: number;
  readonly broken: number;
  /** Trials without a verdict of their checks, one of which failed all the same. */
  readonly notScored: number;
  readonly troubles: readonly Trouble[];
}

/** Cases that need a look, sorted by id and arm, and how many trials were read. */
export interface Overview {
  readonly trials: number;
  readonly cases: readonly TroubledArm[];
}

/** Reasons kept of a case and arm, and characters of each: an overview of thousands of trials stays small. */
const MOST = 20;
const LONGEST = 240;

/** Takes a run's trials one by one. */
export function troubles(): { take(line: TrialLine): void; done(): Overview } {
  const arms = new Map<string, Counting>();
  let trials = 0;
  return {
    take(line) {
      trials += 1;
      const key = JSON.stringify([line.case, line.arm]);
      const own = arms.get(key) ?? counting(line);
      arms.set(key, own);
      count(own, line);
    },
    done: () => ({
      trials,
      cases: [...arms.values()]
        .filter((one) => one.failed + one.stopped + one.broken + one.notScored > 0)
        .map((one) => ({ ...one, troubles: [...one.troubles.values()].map(sorted).sort(byWeight) }))
        .sort(byCaseAndArm),
    }),
  };
}

interface Counting {
  readonly case: string;
  readonly arm: Arm;
  trials: number;
  failed: number;
  stopped: number;
  broken: number;
  notScored: number;
  readonly troubles: Map<string, { -readonly [key in keyof Trouble]: Trouble[key] } & { trials: number[] }>;
}

function counting(line: TrialLine): Counting {
  const { case: id, arm } = line;
  return { case: id, arm, trials: 0, failed: 0, stopped: 0, broken: 0, notScored: 0, troubles: new Map() };
}

const OPEN: Mark = "not scored, a check failed";

function count(own: Counting, line: TrialLine): void {
  own.trials += 1;
  const mark = markOf(line);
  if (mark === "failed") own.failed += 1;
  if (mark === OPEN) own.notScored += 1;
  if (line.status === "stopped") own.stopped += 1;
  if (line.status === "broken") own.broken += 1;
  for (const { kind, what, detail } of troublesOf(line)) {
    const key = `${kind} ${what}`;
    const known = own.troubles.get(key);
    if (known !== undefined) {
      if (line.trial < Math.min(...known.trials)) known.detail = detail;
      known.trials.push(line.trial);
    } else if (own.troubles.size < MOST) {
      own.troubles.set(key, { kind, what, detail, trials: [line.trial] });
    }
  }
}

function troublesOf(line: TrialLine): Omit<Trouble, "trials">[] {
  const { outcome } = line;
  if (outcome.status === "broken") {
    const { kind, message } = outcome.failure;
    return [{ kind: "broken", what: kind, detail: cut(message, LONGEST) }];
  }
  const limit =
    outcome.status === "stopped"
      ? [{ kind: "stopped" as const, what: outcome.limit, detail: cut(outcome.message, LONGEST) }]
      : [];
  return [...failedChecks(line), ...limit];
}

/** Metrics whose checks say why a trial failed; F1 would only repeat what accuracy says. */
const DECIDING = [...PASS_METRICS, "skillActivation"] as const;

/** The checks that did not hold, each once: several metrics may rest on the same one. */
function failedChecks(line: TrialLine): Omit<Trouble, "trials">[] {
  const found = new Map<string, Omit<Trouble, "trials">>();
  const mark = markOf(line);
  if (mark !== "failed" && mark !== OPEN) return [];
  for (const metric of DECIDING) {
    const score = line.scores[metric];
    for (const { check, passed, detail } of score?.evidence ?? []) {
      if (!passed && !found.has(check))
        found.set(check, { kind: "failed", what: cut(check, LONGEST), detail: cut(detail, LONGEST) });
    }
  }
  return [...found.values()];
}

function sorted(trouble: Trouble): Trouble {
  return { ...trouble, trials: [...trouble.trials].sort((a, b) => a - b) };
}

const KINDS = ["failed", "broken", "stopped"];

function byWeight(a: Trouble, b: Trouble): number {
  const kinds = KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind);
  return kinds || b.trials.length - a.trials.length || (a.what < b.what ? -1 : 1);
}

function byCaseAndArm(a: TroubledArm, b: TroubledArm): number {
  return byText(a.case, b.case) || ARMS.indexOf(a.arm) - ARMS.indexOf(b.arm);
}
