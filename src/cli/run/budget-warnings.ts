import type { Settings } from "../../core/config/settings.ts";
import { type Problem, warning } from "../../core/nouns/problem.ts";
import { priceOf } from "../../core/score/cost.ts";

/** A budget of money is blind to what has no price. */
export function unpriced(
  models: readonly (string | null)[],
  { limits, prices }: Pick<Settings, "limits" | "prices">,
): Problem[] {
  if (limits.runCost === null) return [];
  return [...new Set(models)]
    .filter((model) => model !== null && priceOf(prices, model) === null)
    .map((model) =>
      warning(
        "budget-unpriced",
        { key: "limits.run-cost" },
        `the budget of ${limits.runCost} counts nothing of what ${model} costs: no price is set for it`,
        "add it under prices in the config, or limit tokens with --max-run-tokens",
      ),
    );
}
