import type { Metric } from "../nouns/score.ts";
import type { Comparison } from "../nouns/summary.ts";
import { mean } from "../stats/moments.ts";
import { randomFrom, seedFor } from "../stats/random.ts";
import { caseChangesOf } from "./changes.ts";
import { goodSign, isShare } from "./metric-kind.ts";
import type { PairedCase, Pairs } from "./pairs.ts";
import { sentenceOf } from "./sentence.ts";
import { whatSettles } from "./settle.ts";
import { uncertainty } from "./uncertainty.ts";
import { observedVariance } from "./variance.ts";
import { verdictOf } from "./verdict.ts";

/** How much may be lost, and at which level it is looked at. */
export interface CompareOptions {
  /** For shares absolute, for other metrics relative to the baseline's mean. */
  readonly margin: number;
  readonly alpha: number;
  /** Seed of the sampled test; the same seed gives the same p. */
  readonly seed: number;
}

/** Compares the arms on one metric, paired by case. `pAdjusted` is null until the gated metrics are known. */
export function compareMetric(metric: Metric, pairs: Pairs, options: CompareOptions): Comparison {
  const { shared } = pairs;
  const share = isShare(metric);
  const sign = goodSign(metric);
  const random = randomFrom(seedFor(options.seed, metric));
  const found = uncertainty(shared, { share, alpha: options.alpha, random });
  const margin = share ? options.margin : options.margin * Math.abs(baselineMean(shared));
  const observed = observedVariance(shared);
  const common = { difference: found.difference, interval: found.interval, cases: shared.length, margin };
  const verdict = verdictOf({
    ...common,
    p: found.p,
    sign,
    alpha: options.alpha,
    shareMargin: options.margin,
  });
  const settle = whatSettles({
    ...common,
    toward: sign * (found.difference ?? 0),
    alpha: options.alpha,
    share,
    observed,
  });
  return {
    metric,
    difference: found.difference,
    low: found.interval?.low ?? null,
    high: found.interval?.high ?? null,
    se: found.se,
    p: found.p,
    pAdjusted: null,
    method: found.method,
    cases: shared.length,
    verdict,
    sentence: sentenceOf({ metric, verdict, settle, alpha: options.alpha, ...common }),
    ...(share ? caseChangesOf(shared) : { passToFail: [], failToPass: [] }),
    betweenVariance: observed?.between ?? null,
    withinVariance: observed?.within ?? null,
    notes: [...found.notes, ...leftOut(pairs)],
  };
}

function baselineMean(cases: readonly PairedCase[]): number {
  return mean(cases.map((pair) => mean(pair.baseline) ?? 0)) ?? 0;
}

function leftOut({ onlyBaseline, onlyCandidate }: Pairs): string[] {
  const note = (ids: readonly string[], arm: string): string[] =>
    ids.length === 0 ? [] : [`scored in the ${arm} only, so not compared: ${ids.join(", ")}`];
  return [...note(onlyBaseline, "baseline"), ...note(onlyCandidate, "candidate")];
}
