import type { RunRecord } from "../nouns/run.ts";
import { failedTrial } from "../summary/passes.ts";
import type { TrialRow } from "../summary/rows.ts";
import { failing, type GateInput, info, undecided, type WeightedReason } from "./input.ts";

/** A critical case may not fail in any trial of the candidate; one that never ended with a score is unknown. */
export function judgeCritical({ run, rows }: GateInput): WeightedReason[] {
  const critical = run.cases.filter((entry) => entry.case?.critical === true).map(({ id }) => id);
  if (!run.policy.critical || critical.length === 0) return [];
  const outcomes = new Map<string, boolean>();
  for (const row of rows) {
    const failed = row.arm === "candidate" ? criticalFailed(row) : null;
    if (failed !== null) outcomes.set(row.case, (outcomes.get(row.case) ?? false) || failed);
  }
  const failed = critical.filter((id) => outcomes.get(id) === true).sort();
  const unknown = critical.filter((id) => !outcomes.has(id)).sort();
  return [
    ...(failed.length === 0
      ? []
      : [failing("critical-failed", `critical cases failed in the candidate: ${failed.join(", ")}`, failed)]),
    ...(unknown.length === 0
      ? []
      : [
          undecided(
            "critical-unknown",
            `critical cases never ended with a score: ${unknown.join(", ")}`,
            unknown,
          ),
        ]),
  ];
}

/** One failed check is a failed case even where a judge gave no verdict: nothing it says could mend that. */
function criticalFailed(row: TrialRow): boolean | null {
  return (row.open?.failed ?? 0) > 0 ? true : failedTrial(row);
}

/** Cases of the baseline that are gone or changed: fails unless allowed by name. What the candidate may not weaken. */
export function judgeChanges({ run }: GateInput): WeightedReason[] {
  const policy = judgePolicy(run);
  if (run.caseChanges === null) return policy;
  const { removed, changed, added } = run.caseChanges;
  const addedText =
    run.kind === "import" ? "in the candidate only, not compared" : "not among the baseline's own cases";
  return [
    ...policy,
    ...byLeave("removed", removed, run.policy.allowRemoved, run),
    ...byLeave("changed", changed, run.policy.allowChanged, run),
    ...(added.length === 0 ? [] : [info("cases-added", `${addedText}: ${added.join(", ")}`, added)]),
  ];
}

/** The policy is not the candidate's to weaken: what its config sets otherwise needs leave by flag or name. */
function judgePolicy({ policyChanges, policy }: RunRecord): WeightedReason[] {
  const forbidden = policyChanges.filter((name) => !policy.allowChanged.includes(name));
  if (forbidden.length === 0) return [];
  const text = `settings of the policy differ from the baseline's: ${forbidden.join(", ")} (--allow-changed NAME allows it; a flag settles it)`;
  return [failing("policy-changed", text)];
}

function byLeave(
  what: "removed" | "changed",
  ids: readonly string[],
  allowed: readonly string[],
  run: RunRecord,
): WeightedReason[] {
  const forbidden = ids.filter((id) => !allowed.includes(id));
  const granted = ids.filter((id) => allowed.includes(id));
  const against = run.kind === "import" ? "in the candidate's results" : "against the baseline";
  return [
    ...(forbidden.length === 0
      ? []
      : [
          failing(
            `cases-${what}`,
            `cases ${what} ${against} without leave: ${forbidden.join(", ")} (--allow-${what} ID allows it)`,
            forbidden,
          ),
        ]),
    ...(granted.length === 0
      ? []
      : [info(`cases-${what}-allowed`, `cases ${what} with leave: ${granted.join(", ")}`, granted)]),
  ];
}
