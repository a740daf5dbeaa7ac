import type { TrialLine } from "../core/nouns/run.ts";
import { measureOf } from "../core/record/measure.ts";

/** Limits of a whole run; null: none. */
export interface Budget {
  readonly tokens: number | null;
  readonly cost: number | null;
}

/**
 * Adds up what finished trials used and says, once, why a run must stop. Replayed trials cost nothing.
 */
export function budgetKeeper(budget: Budget, stop: (reason: string) => void): (line: TrialLine) => void {
  let tokens = 0;
  let cost = 0;
  let stopped = false;
  return (line) => {
    if (line.replies === "replayed") return;
    tokens += (measureOf(line, "promptTokens") ?? 0) + (measureOf(line, "completionTokens") ?? 0);
    cost += measureOf(line, "cost") ?? 0;
    if (stopped) return;
    const reason = exceeded(budget, tokens, cost);
    if (reason === null) return;
    stopped = true;
    stop(reason);
  };
}

function exceeded(budget: Budget, tokens: number, cost: number): string | null {
  if (budget.tokens !== null && tokens >= budget.tokens) {
    return `the run's budget of ${budget.tokens} tokens is used up (${tokens} used)`;
  }
  if (budget.cost !== null && cost >= budget.cost) {
    return `the run's budget of ${budget.cost} is used up (${cost.toFixed(4)} spent)`;
  }
  return null;
}
