import { ASSUMED_NOISE, casesForDrop, casesForSame, type DesignQuestion, smallestDrop } from "./design.ts";
import type { RunUsage } from "./usage.ts";

/** Everything that `evalkit plan` says; the JSON is this. Shares, not percent; unknown is null. */
export interface PlanReport {
  readonly cases: number;
  readonly trials: number;
  readonly usage: RunUsage;
  /** Where calls and tokens come from: `run ID`, `recordings`, or null when nothing is known. */
  readonly usageFrom: string | null;
  readonly model: string | null;
  readonly margin: number;
  readonly question: DesignQuestion;
  /** Where the noise comes from, in words. */
  readonly noiseFrom: string;
  /** Smallest drop that this design finds with the power asked for; null: none. */
  readonly smallestDrop: number | null;
  readonly detect: number;
  /** Cases that find a drop of `detect`, by trials per case and arm. */
  readonly designs: readonly { readonly trials: number; readonly cases: number; readonly runs: number }[];
  /** Cases at which arms that are alike are called the same with the power asked for. */
  readonly casesForSame: number;
}

/** What the design part needs. */
export interface PlanInput {
  readonly cases: number;
  readonly trials: number;
  readonly margin: number;
  readonly detect: number;
  readonly question: DesignQuestion;
}

/** The design part of the report. */
export function designPart(input: PlanInput): Pick<PlanReport, "smallestDrop" | "designs" | "casesForSame"> {
  const { cases, trials, margin, detect, question } = input;
  const tried = [...new Set([1, 3, 5, 10, trials])].sort((a, b) => a - b);
  return {
    smallestDrop: smallestDrop(cases, trials, question),
    designs: tried.map((k) => {
      const needed = casesForDrop(detect, k, question);
      return { trials: k, cases: needed, runs: needed * k * 2 };
    }),
    casesForSame: casesForSame(margin, trials, question),
  };
}

/** The report as text, one line a fact. */
export function planText(report: PlanReport): string {
  const { usage, question } = report;
  const power = percent(question.power);
  const points = (share: number): string => `${(share * 100).toFixed(1)} points`;
  return [
    `${report.cases} cases × ${report.trials} trials × 2 arms = ${usage.trials} trials`,
    `model calls      ${about(usage.calls)}${source(report)}`,
    `prompt tokens    ${about(usage.prompt)}${usage.cached === null ? "" : `, of which cached ${about(usage.cached)}`}`,
    `completion       ${about(usage.completion)} tokens`,
    `money            ${money(report)}`,
    ...guessed(usage),
    "",
    `noise            ${report.noiseFrom}`,
    `smallest drop    ${
      report.smallestDrop === null
        ? "none: too few cases for any verdict of worse"
        : `${points(report.smallestDrop)} are found with ${power} power at level ${question.alpha}`
    }`,
    `no change        arms that are alike are called the same (margin ${points(report.margin)}) from ${report.casesForSame} cases on`,
    "",
    `To find a drop of ${points(report.detect)} with ${power} power:`,
    ...report.designs.map(
      ({ trials, cases, runs }) =>
        `  ${String(trials).padStart(3)} trial${trials === 1 ? " " : "s"}  ${String(cases).padStart(6)} cases  ${String(runs).padStart(8)} trials in all`,
    ),
    "",
    "Reckoned for the hardest drop, a share of the cases breaking altogether; a drop spread over all cases is found sooner.",
  ].join("\n");
}

/** How the noise is told of. */
export function noiseText(question: DesignQuestion, run: string | null): string {
  const { baseline, candidate } = question.noise;
  const between = `variance between trials of a case ${baseline.toFixed(3)} and ${candidate.toFixed(3)}`;
  if (question.noise.from === "run" && run !== null) return `${between}, as seen in run ${run}`;
  return `${between}, assumed: half of the cases waver (${ASSUMED_NOISE.baseline} each); --from RUN takes what was seen`;
}

function about(value: number | null): string {
  return value === null ? "unknown" : `about ${Math.round(value).toLocaleString("en-US")}`;
}

function source({ usageFrom }: PlanReport): string {
  return usageFrom === null ? ": no earlier run (--from RUN) and no recordings" : ` (from ${usageFrom})`;
}

function money({ usage, model }: PlanReport): string {
  if (usage.cost !== null)
    return `about ${usage.cost.toFixed(usage.cost < 1 ? 4 : 2)}, in the unit of prices`;
  return model === null
    ? "unknown: no model is set"
    : `unknown: no tokens, or no price of ${model} in evalkit.yaml`;
}

function guessed({ guessed: ids }: RunUsage): string[] {
  return ids.length === 0
    ? []
    : [`unknown cases    ${ids.length} reckoned as the mean of the others: ${ids.join(", ")}`];
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}
