import { ARMS, type Arm } from "../nouns/score.ts";
import { mean } from "../stats/moments.ts";
import { tInterval } from "../stats/t-interval.ts";
import type { TrialRow } from "../summary/rows.ts";
import { failing, type GateInput, info, undecided, type WeightedReason } from "./input.ts";

/**
 * Cost per trial (tokens where prices are unknown) may not rise by more than the limit. Over the limit beyond chance
 * fails; over it within chance is undecided. Test: t interval of candidate − (1 + limit) · baseline over shared cases.
 */
export function judgeCost(input: GateInput): WeightedReason[] {
  const { run, rows, alpha } = input;
  const limit = run.policy.maxCostIncrease;
  if (limit === null) return [];
  const priced = rows.some((row) => row.cost !== null);
  const unit = priced ? "cost" : "tokens";
  const costOf = priced ? (row: TrialRow) => row.cost : tokensOf;
  const before = byCase(rows, "baseline", costOf);
  const after = byCase(rows, "candidate", costOf);
  const shared = [...before.keys()].filter((id) => after.has(id)).sort();
  const base = mean(shared.map((id) => before.get(id) ?? 0));
  const now = mean(shared.map((id) => after.get(id) ?? 0));
  if (base === null || now === null) {
    return [
      undecided("cost-unknown", "a limit on cost is set, but neither cost nor tokens are known in both arms"),
    ];
  }
  const over = shared.map((id) => (after.get(id) ?? 0) - (1 + limit) * (before.get(id) ?? 0));
  // From 0 there is no rise in percent: staying there is none, any other is beyond every limit.
  const rise = base > 0 ? now / base - 1 : now > 0 ? Number.POSITIVE_INFINITY : 0;
  const message = `${unit} per trial ${movedText(rise, limit)}; allowed is a rise of ${percent(limit)}`;
  const unknown = withoutCost(input, costOf);
  if (unknown.length > 0) {
    const text = `${message}, but ${unit} of too many trials are unknown: ${unknown.join(", ")}`;
    return [undecided("cost-unknown", text, unknown)];
  }
  if (rise <= limit) return [info("cost-within-limit", message)];
  const interval = tInterval(over, alpha);
  const beyondChance = interval !== null && interval.low > 0;
  return beyondChance
    ? [failing("cost-increase", message)]
    : [undecided("cost-unsure", `${message}, but that may be chance over ${shared.length} cases`)];
}

function tokensOf(row: TrialRow): number | null {
  return row.tokens === null ? null : row.tokens.prompt + row.tokens.completion;
}

function byCase(
  rows: readonly TrialRow[],
  arm: Arm,
  costOf: (row: TrialRow) => number | null,
): Map<string, number> {
  const values = new Map<string, number[]>();
  for (const row of rows) {
    const cost = row.arm === arm && row.status !== "broken" ? costOf(row) : null;
    if (cost !== null) values.set(row.case, [...(values.get(row.case) ?? []), cost]);
  }
  return new Map([...values].map(([id, costs]) => [id, mean(costs) ?? 0]));
}

/** Cases of an arm whose ended trials lack their cost beyond the floor: what is unknown must not count as cheap. */
function withoutCost({ run, rows }: GateInput, costOf: (row: TrialRow) => number | null): string[] {
  const ids = ARMS.flatMap((arm) => {
    const ended = rows.filter((row) => row.arm === arm && row.status !== "broken");
    const unknown = ended.filter((row) => costOf(row) === null);
    return 1 - unknown.length / ended.length >= run.policy.coverage ? [] : unknown.map((row) => row.case);
  });
  return [...new Set(ids)].sort();
}

/** A rise that is over the limit is not shown as the limit. */
function movedText(rise: number, limit: number): string {
  if (rise === Number.POSITIVE_INFINITY) return "rose from 0";
  const text = percent(Math.abs(rise));
  if (rise > limit && text === percent(limit)) return `rose by more than ${text}`;
  return rise === 0 ? "did not change" : `${rise < 0 ? "fell" : "rose"} by ${text}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
