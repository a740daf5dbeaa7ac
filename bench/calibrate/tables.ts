import { betting, naive, oneLook, ours, stopping } from "./sequential.ts";
import { gateFails, powerAtPlan, simulate } from "./fixed.ts";
import { allWorse, MIXTURES, meanRate, someBroke, unchanged } from "./population.ts";

/** How many simulated runs each figure rests on. */
export interface Effort {
  readonly verdicts: number;
  readonly gates: number;
  readonly power: number;
  readonly stops: number;
}

const percent = (share: number): string => (share * 100).toFixed(1);
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [
    `| ${head.join(" | ")} |`,
    `|${head.map(() => "---").join("|")}|`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");

/** A/A runs: how often each verdict of one metric comes out. */
export function unchangedTable(effort: Effort): string {
  const rows = MIXTURES.flatMap((mixture) =>
    [10, 20, 40, 60].flatMap((n) =>
      [1, 3, 5].map((trials) => {
        const found = simulate(unchanged(mixture), meanRate(mixture), n, trials, effort.verdicts);
        const verdicts = [found.worse, found.better, found.same, found.unsure].map(percent);
        return [mixture.name, n, trials, ...verdicts];
      }),
    ),
  );
  return table(["cases", "n", "trials", "worse %", "better %", "same %", "unsure %"], rows);
}

/** A/A runs: how often the whole gate fails, with two gated metrics and the tests of single cases. */
export function gateTable(effort: Effort): string {
  const rows = MIXTURES.map((mixture) => [
    mixture.name,
    ...[20, 60].flatMap((n) =>
      [1, 3, 10].map((trials) => percent(gateFails(mixture, n, trials, effort.gates))),
    ),
  ]);
  const sizes = [20, 60].flatMap((n) => [1, 3, 10].map((trials) => `${n} × ${trials}`));
  return table(["cases", ...sizes], rows);
}

/** Coverage of the 95 % intervals, for arms that are alike and for arms that differ by ten points. */
export function coverageTable(effort: Effort): string {
  const rows = MIXTURES.flatMap((mixture) =>
    [20, 40, 60].flatMap((n) =>
      [1, 3, 5].map((trials) => {
        const of = (population: ReturnType<typeof unchanged>) =>
          simulate(population, meanRate(mixture), n, trials, effort.verdicts);
        const same = of(unchanged(mixture));
        return [
          mixture.name,
          n,
          trials,
          percent(same.covered),
          percent(of(allWorse(mixture, 0.1)).covered),
          percent(of(someBroke(mixture, 0.1)).covered),
          percent(same.armCovered),
        ];
      }),
    ),
  );
  return table(["cases", "n", "trials", "A/A %", "all worse %", "some broke %", "one arm %"], rows);
}

/** False "same" at a true loss of exactly the margin. */
export function falseSameTable(effort: Effort): string {
  const rows = MIXTURES.flatMap((mixture) =>
    [20, 40, 60].map((n) => [
      mixture.name,
      n,
      percent(simulate(allWorse(mixture, 0.1), 0, n, 3, effort.verdicts).same),
      percent(simulate(someBroke(mixture, 0.1), 0, n, 3, effort.verdicts).same),
    ]),
  );
  return table(["cases", "n", "all worse %", "some broke %"], rows);
}

/** Power at the size that `evalkit plan` names. */
export function powerTable(effort: Effort): string {
  const rows = MIXTURES.flatMap((mixture) =>
    [0.1, 0.2].flatMap((drop) =>
      [1, 3].map((trials) => {
        const found = powerAtPlan(mixture, drop, trials, effort.power);
        return [mixture.name, drop, trials, found.cases, percent(found.broke), percent(found.spread)];
      }),
    ),
  );
  return table(["cases", "drop", "trials", "plan says", "found, some broke %", "found, all worse %"], rows);
}

/** Ways of stopping: the level under A/A, what they find, what they save. */
export function stoppingTable(effort: Effort): string {
  const mixtures = MIXTURES.filter(({ name }) => name !== "all stable");
  const ways = { "one look": oneLook, "evalkit (4 looks)": ours, betting, "naive, every case": naive };
  const rows = mixtures.flatMap((mixture) =>
    [unchanged(mixture), someBroke(mixture, 0.1), someBroke(mixture, 0.3)].flatMap((population) =>
      Object.entries(ways).map(([name, way]) => {
        const found = stopping(way, name, population, 80, 3, effort.stops);
        return [
          mixture.name,
          population.difference === 0 ? "none" : String(-population.difference),
          name,
          percent(found.worse),
          percent(found.settled),
          percent(found.open),
          percent(found.cases),
        ];
      }),
    ),
  );
  return table(["cases", "drop", "way", "worse %", "settled %", "open %", "cases run %"], rows);
}
