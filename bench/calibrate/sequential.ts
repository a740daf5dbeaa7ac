import type { PairedCase } from "../../src/core/compare/pairs.ts";
import { differenceOf } from "../../src/core/compare/uncertainty.ts";
import { nextLook } from "../../src/core/sequential/next-look.ts";
import { planSequential } from "../../src/core/sequential/plan.ts";
import { bet, START } from "../../src/core/stats/betting.ts";
import { randomFrom, seedFor } from "../../src/core/stats/random.ts";
import { tInterval } from "../../src/core/stats/t-interval.ts";
import { type Population, runSuite } from "./population.ts";
import { rowsFrom, simulatedRun } from "./rows.ts";

/** Where a way of stopping ended, over many runs: shares of the verdicts and the mean share of the cases run. */
export interface Stopping {
  readonly worse: number;
  readonly settled: number;
  readonly open: number;
  readonly cases: number;
}

type Ended = { readonly verdict: "worse" | "settled" | "open"; readonly used: number };
type Way = (suite: readonly PairedCase[], run: number) => Ended;

/** evalkit's own: the real state machine over the real summary. */
export const ours: Way = (suite, run) => {
  const plan = planSequential(
    suite.map(({ id }) => id),
    run,
  );
  const record = {
    ...simulatedRun(suite[0]?.baseline.length ?? 1, plan),
    cases: suite.map(({ id }) => ({ id, digest: "", case: null })),
  };
  const seen = new Set<string>();
  for (;;) {
    const rows = rowsFrom({ taskCompletion: suite.filter(({ id }) => seen.has(id)) });
    const next = nextLook(record, rows);
    if (next.stop) return { verdict: next.why === "all-seen" ? "open" : next.why, used: seen.size };
    for (const id of next.cases) seen.add(id);
  }
};

/** The naive way: a look at every case from the fifth on, stop when the plain t interval excludes 0. */
export const naive: Way = (suite) => {
  for (let n = 5; n <= suite.length; n += 1) {
    const t = tInterval(suite.slice(0, n).map(differenceOf), 0.05);
    if (t !== null && t.high < 0) return { verdict: "worse", used: n };
    if (t !== null && t.low > 0) return { verdict: "settled", used: n };
  }
  return { verdict: "open", used: suite.length };
};

/** Betting e-processes after every case: worse at 1/0.025 against "not below 0", settled against "−0.1 or lower". */
export const betting: Way = (suite) => {
  let down = START;
  let fine = START;
  for (const [at, pair] of suite.entries()) {
    const d = differenceOf(pair);
    down = bet(down, -d, 0);
    fine = bet(fine, d, 0.1);
    if (down.logWealth >= Math.log(40)) return { verdict: "worse", used: at + 1 };
    if (fine.logWealth >= Math.log(40)) return { verdict: "settled", used: at + 1 };
  }
  return { verdict: "open", used: suite.length };
};

/** One look at the end, at the same level: what the saving is measured against. */
export const oneLook: Way = (suite) => {
  const run = simulatedRun(suite[0]?.baseline.length ?? 1);
  const whole = { order: suite.map(({ id }) => id), looks: [suite.length] };
  const next = nextLook({ ...run, sequential: whole }, rowsFrom({ taskCompletion: suite }));
  return { verdict: next.stop && next.why !== "all-seen" ? next.why : "open", used: suite.length };
};

/** Stops `runs` simulated suites one way. */
export function stopping(
  way: Way,
  name: string,
  population: Population,
  n: number,
  trials: number,
  runs: number,
): Stopping {
  const random = randomFrom(seedFor(3, `${name} ${population.name} ${n} ${trials}`));
  const counts = { worse: 0, settled: 0, open: 0, cases: 0 };
  for (let run = 0; run < runs; run += 1) {
    const { verdict, used } = way(runSuite(population, n, trials, random), run);
    counts[verdict] += 1;
    counts.cases += used / n;
  }
  return {
    worse: counts.worse / runs,
    settled: counts.settled / runs,
    open: counts.open / runs,
    cases: counts.cases / runs,
  };
}
