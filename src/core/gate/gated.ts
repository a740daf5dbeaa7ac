import type { RunRecord } from "../nouns/run.ts";
import type { Metric } from "../nouns/score.ts";
import type { Comparison } from "../nouns/summary.ts";
import { holm } from "../stats/holm.ts";

/**
 * The gated metrics that count. Those named by the user always do; of the default ones, those that some case has an
 * expectation for: a suite without tool expectations is not undecided for ever.
 */
export function gatedMetrics(run: RunRecord, comparisons: readonly Comparison[]): Metric[] {
  if (namedByUser(run)) return [...new Set(run.policy.metrics)];
  return run.policy.metrics.filter((metric) =>
    comparisons.some((one) => one.metric === metric && one.cases > 0),
  );
}

function namedByUser(run: RunRecord): boolean {
  const setting = run.settings.find(({ key }) => key === "gate.metrics");
  return setting !== undefined && setting.from !== "default";
}

/** Fills `pAdjusted`: Holm over the gated metrics that have a p. */
export function adjust(comparisons: readonly Comparison[], gated: readonly Metric[]): Comparison[] {
  const tested = comparisons.filter((one) => gated.includes(one.metric) && one.p !== null);
  const adjusted = holm(tested.map((one) => one.p ?? 1));
  return comparisons.map((one) => {
    const at = tested.indexOf(one);
    return at < 0 ? one : { ...one, pAdjusted: adjusted[at] ?? null };
  });
}

/**
 * Gated metrics whose `worse` stands when all are looked at together: Holm on the one-sided p, half of the two-sided,
 * so that unchanged arms fail the gate at most at alpha. Up to two metrics this takes nothing away.
 */
export function confirmedWorse(comparisons: readonly Comparison[], alpha: number): ReadonlySet<Metric> {
  const oneSided = holm(comparisons.map((one) => (one.verdict === "worse" ? (one.p ?? 1) / 2 : 1)));
  return new Set(comparisons.filter((_, at) => (oneSided[at] ?? 1) <= alpha).map((one) => one.metric));
}
