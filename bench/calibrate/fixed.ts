import { compareMetric } from "../../src/core/compare/compare-metric.ts";
import type { Comparison } from "../../src/core/nouns/summary.ts";
import { casesForDrop } from "../../src/core/plan/design.ts";
import { randomFrom, seedFor } from "../../src/core/stats/random.ts";
import { estimateOf } from "../../src/core/summary/estimate.ts";
import { summarise } from "../../src/core/summary/summarise.ts";
import { allWorse, type Mixture, type Population, runSuite, someBroke, unchanged } from "./population.ts";
import { rowsFrom, simulatedRun } from "./rows.ts";

/** How often each verdict was given, and how often the interval held the truth. Shares of the runs. */
export interface Tally {
  readonly worse: number;
  readonly better: number;
  readonly same: number;
  readonly unsure: number;
  readonly covered: number;
  /** The baseline's own interval held its own mean. */
  readonly armCovered: number;
}

/** Compares `runs` simulated suites; the seed is made of the question, so that no two share numbers. */
export function simulate(
  population: Population,
  meanRate: number,
  n: number,
  trials: number,
  runs: number,
): Tally {
  const random = randomFrom(seedFor(1, `${population.name} ${n} ${trials}`));
  const counts = { worse: 0, better: 0, same: 0, unsure: 0, covered: 0, armCovered: 0 };
  for (let run = 0; run < runs; run += 1) {
    const shared = runSuite(population, n, trials, random);
    const found = compareMetric(
      "taskCompletion",
      { shared, onlyBaseline: [], onlyCandidate: [] },
      { margin: 0.1, alpha: 0.05, seed: run },
    );
    counts[found.verdict] += 1;
    if (holds(found, population.difference)) counts.covered += 1;
    const arm = estimateOf(
      shared.map(({ baseline }) => baseline),
      true,
      0.05,
    );
    if (holds(arm, meanRate)) counts.armCovered += 1;
  }
  return shares(counts, runs);
}

function holds({ low, high }: Pick<Comparison, "low" | "high">, truth: number): boolean {
  return low !== null && high !== null && low <= truth + 1e-9 && high >= truth - 1e-9;
}

function shares(counts: Tally, runs: number): Tally {
  const { worse, better, same, unsure, covered, armCovered } = counts;
  return {
    worse: worse / runs,
    better: better / runs,
    same: same / runs,
    unsure: unsure / runs,
    covered: covered / runs,
    armCovered: armCovered / runs,
  };
}

/** Share of A/A runs that the whole gate fails, with two gated metrics, per-case tests and all. */
export function gateFails(mixture: Mixture, n: number, trials: number, runs: number): number {
  const random = randomFrom(seedFor(2, `${mixture.name} ${n} ${trials}`));
  const run = simulatedRun(trials);
  let failed = 0;
  for (let at = 0; at < runs; at += 1) {
    const rows = rowsFrom({
      taskCompletion: runSuite(unchanged(mixture), n, trials, random),
      toolCallAccuracy: runSuite(unchanged(mixture), n, trials, random),
    });
    if (summarise(run, rows).gate.verdict === "failed") failed += 1;
  }
  return failed / runs;
}

/** Mean of p(1 − p) over a mixture's flaky cases, p spread evenly over [0.2, 0.95]. */
const FLAKY_VARIANCE = 0.575 - (0.95 ** 3 - 0.2 ** 3) / (3 * 0.75);

/** Power at the size that plan names for a drop, knowing the noise: broken cases, and every case a little worse. */
export function powerAtPlan(
  mixture: Mixture,
  drop: number,
  trials: number,
  runs: number,
): { cases: number; broke: number; spread: number } {
  const noise = FLAKY_VARIANCE * (1 - mixture.pass - mixture.fail);
  const cases = casesForDrop(drop, trials, {
    noise: { baseline: noise, candidate: noise, from: "run" },
    alpha: 0.05,
    power: 0.8,
  });
  return {
    cases,
    broke: simulate(someBroke(mixture, drop), 0, cases, trials, runs).worse,
    spread: simulate(allWorse(mixture, drop), 0, cases, trials, runs).worse,
  };
}
