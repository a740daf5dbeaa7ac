import { caseRegressionP, hasVerdicts } from "../compare/changes.ts";
import { isShare, metricName } from "../compare/metric-kind.ts";
import type { Metric } from "../nouns/score.ts";
import type { Comparison } from "../nouns/summary.ts";
import { holm } from "../stats/holm.ts";
import { confirmedWorse, gatedMetrics } from "./gated.ts";
import { failing, type GateInput, info, undecided, type WeightedReason } from "./input.ts";

/** The gated metrics: each must be `same` or `better`. `valid` is false when too few trials ended: then none counts. */
export function judgeMetrics(input: GateInput, valid: boolean): WeightedReason[] {
  const { run, comparisons } = input;
  const gated = gatedMetrics(run, comparisons);
  if (gated.length === 0) {
    const names = run.policy.metrics.map(metricName).join(", ");
    return [undecided("no-gated-data", `no case has a score of a gated metric in both arms (${names})`)];
  }
  const found = gated.flatMap((metric) => comparisons.find((one) => one.metric === metric) ?? []);
  const confirmed = confirmedWorse(found, input.alpha);
  return [
    ...gated
      .filter((metric) => !found.some((one) => one.metric === metric && one.cases > 0))
      .map((metric) =>
        undecided(
          "metric-no-data",
          `${metricName(metric)} is gated, but no case has a score of it in both arms`,
        ),
      ),
    ...found.filter((one) => one.cases > 0).map((one) => judgeOne(one, confirmed.has(one.metric), valid)),
    ...(valid ? gated.flatMap((metric) => atFloor(input, metric)) : []),
    ...skipped(input, gated),
  ];
}

/** Where every trial of both arms scores 0, nothing could get worse: "the same" is then no evidence of health. */
function atFloor({ arms }: GateInput, metric: Metric): WeightedReason[] {
  const means = [arms.baseline, arms.candidate].map((arm) => arm?.metrics[metric]?.mean);
  if (!isShare(metric) || means.some((mean) => mean !== 0)) return [];
  const message = `${metricName(metric)} is 0 in every case of both arms: nothing can get worse, so nothing is shown`;
  return [undecided("metric-at-floor", message)];
}

function judgeOne(one: Comparison, confirmed: boolean, valid: boolean): WeightedReason {
  const { verdict, sentence, passToFail } = one;
  if (!valid) return info("metric-void", `Not counted, too few trials ended: ${sentence}`, passToFail);
  switch (verdict) {
    case "worse":
      return confirmed
        ? failing("metric-worse", sentence, passToFail)
        : undecided(
            "metric-worse-alone",
            `${sentence} Looked at with the other gated metrics it may be chance.`,
            passToFail,
          );
    case "unsure":
      return undecided("metric-unsure", sentence, passToFail);
    case "better":
    case "same":
      return info(`metric-${verdict}`, sentence, passToFail);
  }
}

/** Not those that one arm has scores of: judgeScored names these. */
function skipped({ run, pairs }: GateInput, gated: readonly Metric[]): WeightedReason[] {
  const nowhere = (metric: Metric): boolean => {
    const { onlyBaseline = [], onlyCandidate = [] } = pairs.get(metric) ?? {};
    return onlyBaseline.length + onlyCandidate.length === 0;
  };
  return run.policy.metrics
    .filter((metric) => !gated.includes(metric) && nowhere(metric))
    .map((metric) => info("metric-skipped", `${metricName(metric)}: no case has such an expectation`));
}

/** Share of alpha that the tests of single cases get, so that they hardly add to the gate's false alarms. */
const CASE_SHARE = 0.2;

/**
 * Cases that got worse beyond chance on their own: Fisher's exact test over a case's trials, Holm over all cases and
 * gated metrics, at a fifth of alpha. With three trials a case no single case can be told from chance, so none is
 * named then.
 */
export function judgeCases(input: GateInput, valid: boolean): WeightedReason[] {
  const { run, pairs, comparisons } = input;
  if (!run.policy.caseRegressions || !valid) return [];
  const tests = gatedMetrics(run, comparisons).flatMap((metric) =>
    (pairs.get(metric)?.shared ?? [])
      .filter(hasVerdicts)
      .map((pair) => ({ metric, id: pair.id, p: caseRegressionP(pair) })),
  );
  const adjusted = holm(tests.map(({ p }) => p));
  const worse = tests.filter((_, at) => (adjusted[at] ?? 1) <= CASE_SHARE * input.alpha);
  if (worse.length === 0) return [];
  const ids = [...new Set(worse.map(({ id }) => id))].sort();
  const message = `worse beyond chance on their own (Fisher's exact test, Holm over ${tests.length} tests): ${ids.join(", ")}`;
  return [failing("case-regression", message, ids)];
}
