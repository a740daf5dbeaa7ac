import type { Arm, Metric, TrialResult } from "../nouns/score.ts";

/** One case with its scored trials in each arm. */
export interface PairedCase {
  readonly id: string;
  readonly baseline: readonly number[];
  readonly candidate: readonly number[];
}

/** The cases of one metric: those scored in both arms are compared, the others are counted and named. */
export interface Pairs {
  readonly shared: readonly PairedCase[];
  readonly onlyBaseline: readonly string[];
  readonly onlyCandidate: readonly string[];
}

/** Trials of each case in one arm that have a score, by case id. A broken trial has none. */
export function scoresByCase(rows: readonly TrialResult[], arm: Arm, metric: Metric): Map<string, number[]> {
  const cases = new Map<string, number[]>();
  for (const row of rows) {
    const value = row.scores[metric];
    if (row.arm !== arm || row.status === "broken" || value === undefined) continue;
    const values = cases.get(row.case);
    if (values === undefined) cases.set(row.case, [value]);
    else values.push(value);
  }
  return cases;
}

/** Pairs the arms by case, in the order of the ids. Arms may have unequal numbers of trials. */
export function pairCases(rows: readonly TrialResult[], metric: Metric): Pairs {
  const baseline = scoresByCase(rows, "baseline", metric);
  const candidate = scoresByCase(rows, "candidate", metric);
  const ids = [...new Set([...baseline.keys(), ...candidate.keys()])].sort();
  const shared: PairedCase[] = [];
  const onlyBaseline: string[] = [];
  const onlyCandidate: string[] = [];
  for (const id of ids) {
    const first = baseline.get(id);
    const second = candidate.get(id);
    if (first !== undefined && second !== undefined) shared.push({ id, baseline: first, candidate: second });
    else if (first !== undefined) onlyBaseline.push(id);
    else onlyCandidate.push(id);
  }
  return { shared, onlyBaseline, onlyCandidate };
}
