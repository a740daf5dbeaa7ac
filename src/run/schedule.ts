import type { Case } from "../core/nouns/case.ts";
import { ARMS, type Arm } from "../core/nouns/score.ts";
import type { TrialPlan } from "./ports.ts";
import { trialKey } from "../core/record/trial-key.ts";

/**
 * The trials of a run in the order they are started: trial by trial over all cases, both arms of a case side by side,
 * so that a server that changes over time changes for both arms alike. Which arm goes first alternates from case to case
 * and from trial to trial: the second finds what the first has warmed (a server's prompt cache). Keys in `done` are left out.
 */
export function* schedule(
  cases: readonly Case[],
  trials: number,
  done: ReadonlySet<string>,
  arms: readonly Arm[] = ARMS,
): Iterable<TrialPlan> {
  for (let trial = 1; trial <= trials; trial += 1) {
    for (const [at, item] of cases.entries()) {
      for (const arm of (at + trial) % 2 === 1 ? arms : arms.toReversed()) {
        const key = { case: item.id, arm, trial };
        if (!done.has(trialKey(key))) yield { key, case: item };
      }
    }
  }
}
