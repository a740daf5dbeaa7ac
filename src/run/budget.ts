import type { Prices } from "../core/config/settings.ts";
import type { TrialLine } from "../core/nouns/run.ts";
import type { Usage } from "../core/nouns/transcript.ts";
import { costOf, priceOf } from "../core/score/cost.ts";

/** Limits of a whole run; null: none. */
export interface Budget {
  readonly tokens: number | null;
  readonly cost: number | null;
  readonly prices: Prices;
  /** The model that judges, null where none does. */
  readonly judge: string | null;
}

/** Tokens that were paid for, and whose. */
export interface Spending {
  readonly model: string;
  readonly usage: Usage;
}

/**
 * Adds up what ended trials used, broken ones and judges included, and says, once, why no more may be started. Replayed
 * replies cost nothing. `modelOf` names the model that a trial asked.
 */
export function budgetKeeper(
  budget: Budget,
  modelOf: (line: TrialLine) => string,
  stop: (reason: string) => void,
): (line: TrialLine) => void {
  const spent = spendingKeeper(budget, stop);
  return (line) => spent(spendings(line, modelOf(line), budget.judge));
}

/** Adds up spendings and says, once, why nothing more may be started. */
export function spendingKeeper(
  budget: Omit<Budget, "judge">,
  stop: (reason: string) => void,
): (spendings: readonly Spending[]) => void {
  let tokens = 0;
  let cost = 0;
  let stopped = false;
  return (spendings) => {
    for (const { model, usage } of spendings) {
      const price = priceOf(budget.prices, model);
      tokens += usage.prompt + usage.completion;
      if (price !== null) cost += costOf(usage, price);
    }
    const reason = exceeded(budget, tokens, cost);
    if (stopped || reason === null) return;
    stopped = true;
    stop(reason);
  };
}

/** What was paid for. A judge of which some calls were replayed counts whole: a budget errs on the side of stopping. */
function spendings(line: TrialLine, model: string, judge: string | null): Spending[] {
  const replies = line.events.flatMap((event) =>
    event.type === "reply" && !event.replayed && event.reply.usage !== null
      ? [{ model, usage: event.reply.usage }]
      : [],
  );
  if (line.judge === null || line.judge.usage === null || line.judge.replayed === line.judge.calls)
    return replies;
  return [...replies, { model: judge ?? model, usage: line.judge.usage }];
}

function exceeded(budget: Omit<Budget, "judge">, tokens: number, cost: number): string | null {
  if (budget.tokens !== null && tokens >= budget.tokens) {
    return `the run's budget of ${budget.tokens} tokens is used up (${tokens} used)`;
  }
  if (budget.cost !== null && cost >= budget.cost) {
    return `the run's budget of ${budget.cost} is used up (${cost.toFixed(4)} spent)`;
  }
  return null;
}
