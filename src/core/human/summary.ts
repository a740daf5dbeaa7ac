import type { RunRecord } from "../nouns/run.ts";
import { seedFor } from "../stats/random.ts";
import { DIMENSIONS, type Dimension } from "../sheet/columns.ts";
import { differenceOf, estimateOf } from "./difference.ts";
import { caseMeans, scoresOf } from "./means.ts";
import { preferenceOf } from "./preference.ts";
import { agreementOf, disagreementsOf, driftOf, safetyOnesOf, selfConsistencyOf } from "./raters.ts";
import type { HumanDimension, HumanSummary } from "./schema.ts";
import { entriesOf, type ScoreRow } from "./score-row.ts";

/** All that a run's human scores say: `summary.json` keeps it under `human`. Null when nothing was imported. */
export function humanSummary(
  rows: readonly ScoreRow[],
  run: { readonly seed: number; readonly policy: Pick<RunRecord["policy"], "alpha" | "margin"> },
): HumanSummary | null {
  if (rows.length === 0) return null;
  const raterNames = [...new Set(rows.map((row) => row.rater))].sort();
  const having = (what: (entry: number | string | null) => boolean): number =>
    rows.filter((row) => entriesOf(row).some(what)).length;
  return {
    raters: raterNames.length,
    raterNames,
    scored: having((entry) => entry !== null && entry !== "x"),
    missing: having((entry) => entry === null),
    cannotJudge: having((entry) => entry === "x"),
    dimensions: {
      accuracy: dimensionOf(rows, "accuracy", run),
      completeness: dimensionOf(rows, "completeness", run),
      safety: dimensionOf(rows, "safety", run),
    },
    preference: preferenceOf(rows),
    safetyOnes: safetyOnesOf(rows),
    disagreements: disagreementsOf(rows),
    cases: casesOf(rows),
  };
}

function dimensionOf(
  rows: readonly ScoreRow[],
  name: Dimension,
  run: Parameters<typeof humanSummary>[1],
): HumanDimension {
  const { alpha, margin } = run.policy;
  const baseline = scoresOf(rows, "baseline", name);
  const candidate = scoresOf(rows, "candidate", name);
  const cells = rows.filter((row) => row.arm !== null).map((row) => row[name]);
  return {
    baseline: estimateOf([...caseMeans(baseline).values()], alpha),
    candidate: estimateOf([...caseMeans(candidate).values()], alpha),
    difference: differenceOf(baseline, candidate, {
      alpha,
      margin,
      seed: seedFor(run.seed, `human ${name}`),
    }),
    scored: cells.filter((cell) => cell !== null && cell !== "x").length,
    missing: cells.filter((cell) => cell === null).length,
    cannotJudge: cells.filter((cell) => cell === "x").length,
    agreement: agreementOf(rows, name),
    selfConsistency: selfConsistencyOf(rows, name),
    drift: driftOf(rows, name),
  };
}

function casesOf(rows: readonly ScoreRow[]): HumanSummary["cases"] {
  const means = (arm: "baseline" | "candidate") =>
    DIMENSIONS.map((name) => [name, caseMeans(scoresOf(rows, arm, name))] as const);
  const [baseline, candidate] = [means("baseline"), means("candidate")];
  const at = (id: string, arm: typeof baseline) => {
    const value = (name: Dimension): number | null => arm.find(([own]) => own === name)?.[1].get(id) ?? null;
    return { accuracy: value("accuracy"), completeness: value("completeness"), safety: value("safety") };
  };
  return [...new Set(rows.filter((row) => row.arm !== null).map((row) => row.case))]
    .sort()
    .map((id) => ({ id, baseline: at(id, baseline), candidate: at(id, candidate) }));
}
