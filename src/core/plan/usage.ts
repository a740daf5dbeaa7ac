import { mean } from "../stats/moments.ts";
import type { Price } from "../config/settings.ts";
import { costOf } from "../score/cost.ts";

/** What one trial of a case takes, on average; tokens are null where they are unknown. */
export interface CaseUsage {
  readonly calls: number;
  readonly prompt: number | null;
  readonly cached: number | null;
  readonly completion: number | null;
}

/** What a whole run would take. */
export interface RunUsage {
  readonly trials: number;
  readonly calls: number | null;
  readonly prompt: number | null;
  readonly cached: number | null;
  readonly completion: number | null;
  readonly cost: number | null;
  /** Cases of which nothing is known; they are reckoned as the mean of the others. */
  readonly guessed: readonly string[];
}

/** Adds up calls, tokens and money of `trials` trials of each case in both arms. Unknown stays null, never 0. */
export function reckonRun(
  ids: readonly string[],
  trials: number,
  known: ReadonlyMap<string, CaseUsage>,
  price: Price | null,
): RunUsage {
  const seen = ids.flatMap((id) => known.get(id) ?? []);
  const each = trials * 2;
  const total = (of: (usage: CaseUsage) => number | null): number | null => {
    const typical = mean(seen.flatMap((usage) => of(usage) ?? []));
    if (typical === null) return null;
    return ids.reduce((so, id) => {
      const usage = known.get(id);
      return so + ((usage === undefined ? null : of(usage)) ?? typical) * each;
    }, 0);
  };
  const usage = {
    calls: total((one) => one.calls),
    prompt: total((one) => one.prompt),
    cached: total((one) => one.cached),
    completion: total((one) => one.completion),
  };
  return {
    trials: ids.length * each,
    ...usage,
    cost: price === null ? null : moneyFor(usage, price),
    guessed: seen.length === 0 ? [] : ids.filter((id) => !known.has(id)),
  };
}

function moneyFor(
  { prompt, cached, completion }: Pick<RunUsage, "prompt" | "cached" | "completion">,
  price: Price,
): number | null {
  if (prompt === null || completion === null) return null;
  return costOf({ prompt, cached: cached ?? 0, completion }, price);
}
