import type { Gate } from "../nouns/summary.ts";
import { info, type GateInput, undecided, type WeightedReason } from "./input.ts";
import { judgeChanges, judgeCritical } from "./judge-cases.ts";
import { judgeCost } from "./judge-cost.ts";
import { coverageOf, judgeCoverage } from "./judge-coverage.ts";
import { judgeOpen } from "./judge-open.ts";
import { judgeHuman } from "./judge-human.ts";
import { judgeCases, judgeMetrics } from "./judge-metrics.ts";
import { judgeScored } from "./judge-scored.ts";

/** Exit codes of a verdict (contract, section 12). */
export const GATE_EXIT = { passed: 0, failed: 1, undecided: 3, broken: 4 } as const;

/**
 * The verdict. `failed` when any reason fails; else `undecided` when any reason leaves it open; `passed` only when
 * everything asked for was shown. Reasons: failing first, then open, then what merely explains.
 */
export function judgeGate(input: GateInput): Gate {
  const { arms, run } = input;
  if (arms.baseline === null || arms.candidate === null) return judgeSingleArm(input);
  if (nothingRan(input)) return brokenOr(input, [undecided("nothing-run", "no trial was run")]);
  const coverage = judgeCoverage(input);
  const valid = coverage.length === 0;
  const reasons = [
    ...coverage,
    ...judgeScored(input),
    ...judgeMetrics(input, valid),
    ...judgeCases(input, valid),
    ...judgeCritical(input),
    ...judgeOpen(input),
    ...judgeChanges(input),
    ...judgeCost(input),
    ...judgeHuman(input),
  ];
  return allBroken(input) ? brokenOr(input, reasons) : decide(reasons, run.policy.undecided === "pass");
}

function decide(reasons: readonly WeightedReason[], undecidedPasses: boolean): Gate {
  const of = (weight: WeightedReason["weight"]) =>
    reasons.filter((one) => one.weight === weight).map(({ reason }) => reason);
  const failed = of("fail");
  const open = of("undecided");
  const all = [...failed, ...open, ...of("info")];
  if (failed.length > 0) return { verdict: "failed", exitCode: GATE_EXIT.failed, reasons: all };
  if (open.length === 0) return { verdict: "passed", exitCode: GATE_EXIT.passed, reasons: all };
  if (!undecidedPasses) return { verdict: "undecided", exitCode: GATE_EXIT.undecided, reasons: all };
  const leave = info(
    "undecided-passes",
    "the verdict is undecided; the exit code is 0 only because --undecided pass says so",
  );
  return { verdict: "undecided", exitCode: GATE_EXIT.passed, reasons: [...all, leave.reason] };
}

/** Nothing is compared with one arm. Imported results may be of one arm on purpose: exit 0, but never `passed`. */
function judgeSingleArm(input: GateInput): Gate {
  const coverage = judgeCoverage(input);
  const only = info(
    "single-arm",
    "one arm only: it has metrics, but nothing was compared and nothing is decided",
  );
  if (nothingRan(input) || allBroken(input)) return brokenOr(input, [...coverage, only]);
  const reasons = [...coverage, only].map(({ reason }) => reason);
  const exitCode =
    input.run.kind === "import" && coverage.length === 0 ? GATE_EXIT.passed : GATE_EXIT.undecided;
  return { verdict: "undecided", exitCode, reasons };
}

function nothingRan({ rows }: GateInput): boolean {
  return rows.length === 0;
}

/** An arm that was tried and of which no trial ended: a failure of the provider or the harness, not of the agent. */
function allBroken({ arms }: GateInput): boolean {
  return [arms.baseline, arms.candidate].some(
    (arm) => arm !== null && arm.trials.broken > 0 && coverageOf(arm) === 0,
  );
}

function brokenOr(input: GateInput, reasons: readonly WeightedReason[]): Gate {
  const ordered = decide(reasons, false);
  if (!allBroken(input)) return { ...ordered, verdict: "undecided", exitCode: GATE_EXIT.undecided };
  const why = undecided(
    "all-broken",
    "every trial of an arm broke by the provider or the harness: this says nothing about the agent",
  );
  return {
    verdict: "undecided",
    exitCode: GATE_EXIT.broken,
    reasons: [why.reason, ...ordered.reasons],
  };
}
