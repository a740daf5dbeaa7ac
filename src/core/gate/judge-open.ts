import { ARMS, type Arm } from "../nouns/score.ts";
import { count } from "../text/count.ts";
import type { TrialRow } from "../summary/rows.ts";
import { type GateInput, info, undecided, type WeightedReason } from "./input.ts";

/**
 * Cases that a gated task completion has no score of, since a judge gave no verdict. They weigh nothing in the mean, so a
 * loss among them would be seen by nobody: where another check of such a case fails in a larger share of the candidate's
 * trials than of the baseline's, the verdict stays open. The rest is told.
 */
export function judgeOpen({ run, rows }: GateInput): WeightedReason[] {
  if (!run.policy.metrics.includes("taskCompletion")) return [];
  const open = [...wholly(rows)].sort();
  const lost = open.filter((id) => failedShare(rows, id, "candidate") > failedShare(rows, id, "baseline"));
  const rest = open.filter((id) => !lost.includes(id));
  return [
    ...(lost.length === 0
      ? []
      : [
          undecided(
            "not-scored-failing",
            `no judge gave a verdict, but another check fails more often in the candidate: ${lost.join(", ")}`,
            lost,
          ),
        ]),
    ...(rest.length === 0
      ? []
      : [
          info(
            "not-scored",
            `${count(rest.length, "case")} left out of task completion for want of a judge's verdict: ${rest.join(", ")}`,
            rest,
          ),
        ]),
  ];
}

/** Cases that an arm has ended trials of, none with a score of its completion checks. */
function wholly(rows: readonly TrialRow[]): Set<string> {
  const found = ARMS.flatMap((arm) => {
    const own = rows.filter((row) => row.arm === arm);
    const scored = new Set(
      own.filter(({ scores }) => scores.taskCompletion !== undefined).map((row) => row.case),
    );
    return own.filter(({ open, case: id }) => open && !scored.has(id)).map((row) => row.case);
  });
  return new Set(found);
}

function failedShare(rows: readonly TrialRow[], id: string, arm: Arm): number {
  const own = rows.filter((row) => row.case === id && row.arm === arm && row.status !== "broken");
  const failed = own.filter(
    ({ open, scores }) => (open?.failed ?? 0) > 0 || (scores.taskCompletion ?? 1) < 1,
  );
  return own.length === 0 ? 0 : failed.length / own.length;
}
