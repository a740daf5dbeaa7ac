import type { Price, Prices } from "../config/settings.ts";
import type { Score } from "../nouns/score.ts";
import type { Usage } from "../nouns/transcript.ts";
import { scored, unscored } from "./make.ts";

/** Money for a usage, prices being per million: cached tokens are a part of the prompt and are priced apart. */
export function costOf(usage: Pick<Usage, "prompt" | "cached" | "completion">, price: Price): number {
  const cached = price.cached ?? price.prompt;
  const fresh = usage.prompt - usage.cached;
  return (fresh * price.prompt + usage.cached * cached + usage.completion * price.completion) / 1_000_000;
}

/** The price of a model, null where none is set. */
export function priceOf(prices: Prices, model: string): Price | null {
  return (Object.hasOwn(prices, model) ? prices[model] : undefined) ?? null;
}

/** `cost` of a trial, where usage and the model's price are known. */
export function scoreCost(usage: Usage | null, model: string, prices: Prices): Score {
  const price = priceOf(prices, model);
  if (price === null) return unscored(`no price is set for ${model}`);
  if (usage === null) return unscored("the server sent no usage with at least one reply");
  return scored(costOf(usage, price));
}
