import type { Score } from "../nouns/score.ts";
import type { Usage } from "../nouns/transcript.ts";
import { scored, unscored } from "./make.ts";

/** What a model's tokens cost, in money per million. Without `cachedInput`, cached tokens cost as much as others. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number | null | undefined;
}

/** Prices by model name, as in the config's `prices`. */
export type Prices = Readonly<Record<string, Price>>;

/** Money for a usage: cached tokens are a part of the prompt and are priced apart. */
export function costOf(usage: Usage, price: Price): number {
  const cached = price.cachedInput ?? price.input;
  const fresh = usage.prompt - usage.cached;
  return (fresh * price.input + usage.cached * cached + usage.completion * price.output) / 1_000_000;
}

/** `cost` of a trial, where usage and the model's price are known. */
export function scoreCost(usage: Usage | null, model: string, prices: Prices): Score {
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (price === undefined) return unscored(`no price is set for ${model}`);
  if (usage === null) return unscored("the server sent no usage with at least one reply");
  return scored(costOf(usage, price));
}
