import type { PairedCase } from "../../src/core/compare/pairs.ts";
import type { Random } from "../../src/core/stats/random.ts";

/** Pass rates of one case in the two arms. */
export interface TrueCase {
  readonly baseline: number;
  readonly candidate: number;
}

/** A population of cases: draws one at a time; `difference` is the true mean of candidate − baseline. */
export interface Population {
  readonly name: string;
  readonly difference: number;
  draw(random: Random): TrueCase;
}

/** Cases that always pass, always fail, and flaky ones with a pass rate evenly spread over [0.2, 0.95]. */
export interface Mixture {
  readonly name: string;
  readonly pass: number;
  readonly fail: number;
}

/** From a suite that hardly wavers to one where, as in real agent suites, half of the cases do. */
export const MIXTURES: readonly Mixture[] = [
  { name: "all stable", pass: 1, fail: 0 },
  { name: "5 % flaky", pass: 0.9, fail: 0.05 },
  { name: "20 % flaky", pass: 0.7, fail: 0.1 },
  { name: "half flaky", pass: 0.4, fail: 0.1 },
  { name: "all flaky", pass: 0, fail: 0 },
];

function drawRate({ pass, fail }: Mixture, random: Random): number {
  const which = random();
  if (which < pass) return 1;
  if (which < pass + fail) return 0;
  return 0.2 + 0.75 * random();
}

/** Mean pass rate of a mixture. */
export function meanRate({ pass, fail }: Mixture): number {
  return pass + (1 - pass - fail) * 0.575;
}

/** Nothing changed: an A/A run. */
export function unchanged(mixture: Mixture): Population {
  return {
    name: `${mixture.name}, A/A`,
    difference: 0,
    draw(random) {
      const rate = drawRate(mixture, random);
      return { baseline: rate, candidate: rate };
    },
  };
}

/** A share of the cases stops working altogether, chosen so that the mean falls by `drop`: the hardest to see. */
export function someBroke(mixture: Mixture, drop: number): Population {
  const share = drop / meanRate(mixture);
  return {
    name: `${mixture.name}, ${(share * 100).toFixed(1)} % of cases broke`,
    difference: -drop,
    draw(random) {
      const rate = drawRate(mixture, random);
      return { baseline: rate, candidate: random() < share ? 0 : rate };
    },
  };
}

/** Every case passes less often by the same factor. */
export function allWorse(mixture: Mixture, drop: number): Population {
  const factor = 1 - drop / meanRate(mixture);
  return {
    name: `${mixture.name}, every case at ${factor.toFixed(3)} of its rate`,
    difference: -drop,
    draw(random) {
      const rate = drawRate(mixture, random);
      return { baseline: rate, candidate: rate * factor };
    },
  };
}

/** A suite of n cases drawn from a population, each run `trials` times in each arm. */
export function runSuite(population: Population, n: number, trials: number, random: Random): PairedCase[] {
  const flips = (rate: number): number[] => Array.from({ length: trials }, () => (random() < rate ? 1 : 0));
  return Array.from({ length: n }, (_, at) => {
    const { baseline, candidate } = population.draw(random);
    return { id: `c${at}`, baseline: flips(baseline), candidate: flips(candidate) };
  });
}
