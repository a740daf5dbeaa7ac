import type { Prices } from "../core/config/settings.ts";
import type { TrialLine } from "../core/nouns/run.ts";
import type { Arm } from "../core/nouns/score.ts";
import type { Event, Failure, Outcome } from "../core/nouns/transcript.ts";
import type { Variant } from "../core/nouns/variant.ts";
import { priceOf } from "../core/score/cost.ts";
import { scoreTrial } from "../core/score/trial.ts";
import { type Checked, fetchChecks, NOTHING_CHECKED } from "./check.ts";
import type { Judge } from "./judge.ts";
import { type LineParts, lineOf } from "./line.ts";
import { runAgent } from "./modes/agent.ts";
import { runPlan } from "./modes/plan.ts";
import { runTeam } from "./modes/team.ts";
import type { Clock, Digest, Model, OpenShell, TrialPlan } from "./ports.ts";
import { Session, type TrialLimits } from "./session.ts";
import { settingOf } from "./setting.ts";
import { messageOf } from "../core/text/thrown.ts";

/** An arm as a trial needs it. */
export interface ArmSetup {
  readonly arm: Arm;
  readonly variant: Variant;
  readonly model: string;
  /** See `CallContext.salt`. */
  readonly salt: string;
}

/** What a trial needs of the world outside. */
export interface TrialDeps {
  readonly model: Model;
  /** Null: judge checks are unscored. */
  readonly judge: Judge | null;
  readonly clock: Clock;
  readonly digest: Digest;
  readonly limits: TrialLimits;
  readonly prices: Prices;
  readonly signal: AbortSignal;
  /** Where `execute_command` and checks run their commands; default: a shell in this thread. */
  readonly openShell?: OpenShell;
  /** Keeps a system prompt under its digest; the transcript names only the digest. */
  keepText(digest: string, text: string): void;
}

const MODES = { agent: runAgent, plan: runPlan, team: runTeam } as const;

type Ran = Pick<LineParts, "transcript" | "scores" | "checked">;

/**
 * Runs one trial from nothing (own history, skill buffers and world) and scores it. Never throws: a fault of the
 * harness is a broken trial that says so.
 */
export async function runTrial(plan: TrialPlan, arm: ArmSetup, deps: TrialDeps): Promise<TrialLine> {
  const startedAt = deps.clock.iso();
  const start = deps.clock.now();
  const events: Event[] = [];
  const ran = await runSafely(plan, arm, deps, events);
  const seconds = Math.round(deps.clock.now() - start) / 1000;
  const judgePrice = deps.judge === null ? null : priceOf(deps.prices, deps.judge.model);
  return lineOf({ key: plan.key, ...ran, startedAt, seconds, judgePrice });
}

async function runSafely(plan: TrialPlan, arm: ArmSetup, deps: TrialDeps, events: Event[]): Promise<Ran> {
  try {
    const setting = settingOf(plan.case, arm.variant);
    const session = new Session(plan, setting, events, { ...deps, modelName: arm.model, salt: arm.salt });
    try {
      return await runInside(session, plan, arm, deps);
    } finally {
      session.end();
    }
  } catch (error) {
    const outcome = broken("harness", messageOf(error));
    return scored(plan, arm, deps, { events, outcome, answer: "" }, NOTHING_CHECKED);
  }
}

async function runInside(session: Session, plan: TrialPlan, arm: ArmSetup, deps: TrialDeps): Promise<Ran> {
  const said = await MODES[plan.case.mode](session);
  const { answer, outcome = null } = said;
  const { events } = session;
  if (outcome !== null) return scored(plan, arm, deps, { events, outcome, answer }, NOTHING_CHECKED);
  const checked = await fetchChecks(session, deps.judge, answer);
  // Checks that were cut short say nothing about the trial: broken, so that resuming runs it again.
  const cutShort = deps.signal.aborted && checked !== NOTHING_CHECKED;
  const end: Outcome = cutShort ? broken("interrupted", "the run was interrupted") : { status: "finished" };
  return scored(plan, arm, deps, { events, outcome: end, answer }, checked);
}

function scored(
  plan: TrialPlan,
  arm: ArmSetup,
  deps: TrialDeps,
  transcript: LineParts["transcript"],
  checked: Checked,
): Ran {
  const scores = scoreTrial({
    case: plan.case,
    transcript,
    view: checked,
    skillsInPrompt: arm.variant.delivery === "system-prompt",
    model: arm.model,
    prices: deps.prices,
  });
  return { transcript, scores, checked };
}

function broken(kind: Failure["kind"], message: string): Outcome {
  return { status: "broken", failure: { kind, message, status: null, attempts: 0 } };
}
