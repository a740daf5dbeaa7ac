import type { Pairs } from "../compare/pairs.ts";
import { metricName } from "../compare/metric-kind.ts";
import { ARMS, type Arm, type Metric } from "../nouns/score.ts";
import type { TrialRow } from "../summary/rows.ts";
import { type GateInput, undecided, type WeightedReason } from "./input.ts";

/**
 * Gated metrics that an arm lacks in trials which ended, of cases scored in an arm at all: what has no score weighs
 * nothing, so an arm would gain by losing the scores of its failures. The floor is that of the trials.
 */
export function judgeScored({ run, rows, pairs }: GateInput): WeightedReason[] {
  const metrics = [...new Set(run.policy.metrics)];
  return metrics.flatMap((metric) => {
    const expected = casesOf(pairs.get(metric));
    return ARMS.flatMap((arm) => {
      const ended = rows.filter(
        (row) => row.arm === arm && row.status !== "broken" && expected.has(row.case),
      );
      const missing = ended.filter((row) => row.scores[metric] === undefined);
      const scored = ended.length - missing.length;
      return ended.length === 0 || scored / ended.length >= run.policy.coverage
        ? []
        : [lost(metric, arm, { ended, missing, floor: run.policy.coverage })];
    });
  });
}

function casesOf(pairs: Pairs | undefined): ReadonlySet<string> {
  const { shared = [], onlyBaseline = [], onlyCandidate = [] } = pairs ?? {};
  return new Set([...shared.map(({ id }) => id), ...onlyBaseline, ...onlyCandidate]);
}

interface Lost {
  readonly ended: readonly TrialRow[];
  readonly missing: readonly TrialRow[];
  readonly floor: number;
}

function lost(metric: Metric, arm: Arm, { ended, missing, floor }: Lost): WeightedReason {
  const ids = [...new Set(missing.map((row) => row.case))].sort();
  const scored = ended.length - missing.length;
  const message = `${arm}: ${scored} of ${ended.length} ended trials have a score of ${metricName(metric)}, below the floor of ${Number((floor * 100).toFixed(4))} %; without one: ${ids.join(", ")}`;
  return undecided("metric-coverage", message, ids);
}
