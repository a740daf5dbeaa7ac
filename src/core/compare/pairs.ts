import { type Arm, METRICS, type Metric, type TrialResult } from "../nouns/score.ts";

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

/** Scored trials of each case, by case id. */
export type CaseScores = ReadonlyMap<string, readonly number[]>;

/** Scored trials of every metric in each arm. */
export type ScoreIndex = Readonly<Record<Arm, Readonly<Record<Metric, CaseScores>>>>;

/** Sorts scores by arm, metric and case in one pass over the rows. A broken trial has none. */
export function indexScores(rows: readonly TrialResult[]): ScoreIndex {
  const index = { baseline: noScores(), candidate: noScores() };
  for (const row of rows) {
    if (row.status === "broken") continue;
    const arm = index[row.arm];
    for (const metric of METRICS) {
      const value = row.scores[metric];
      if (value === undefined) continue;
      const values = arm[metric].get(row.case);
      if (values === undefined) arm[metric].set(row.case, [value]);
      else values.push(value);
    }
  }
  return index;
}

function noScores(): Record<Metric, Map<string, number[]>> {
  return {
    toolCallAccuracy: new Map(),
    toolCallF1: new Map(),
    taskCompletion: new Map(),
    turns: new Map(),
    skillActivation: new Map(),
    toolCalls: new Map(),
    promptTokens: new Map(),
    cachedTokens: new Map(),
    completionTokens: new Map(),
    seconds: new Map(),
    cost: new Map(),
    approvals: new Map(),
  };
}

/** Pairs the arms by case, in the order of the ids. Arms may have unequal numbers of trials. */
export function pairCases(index: ScoreIndex, metric: Metric): Pairs {
  const baseline = index.baseline[metric];
  const candidate = index.candidate[metric];
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
