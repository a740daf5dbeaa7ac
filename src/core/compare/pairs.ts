import { ARMS, type Arm, METRICS, type Metric, type TrialResult } from "../nouns/score.ts";

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
  const found = new Map<string, Map<string, number[]>>();
  const of = (arm: Arm, metric: Metric): Map<string, number[]> => {
    const key = `${arm} ${metric}`;
    const known = found.get(key) ?? new Map<string, number[]>();
    found.set(key, known);
    return known;
  };
  for (const row of rows) {
    if (row.status === "broken") continue;
    for (const metric of METRICS) {
      const value = row.scores[metric];
      if (value === undefined) continue;
      const cases = of(row.arm, metric);
      const values = cases.get(row.case);
      if (values === undefined) cases.set(row.case, [value]);
      else values.push(value);
    }
  }
  const [baseline, candidate] = ARMS;
  return {
    baseline: armScores((metric) => of(baseline, metric)),
    candidate: armScores((metric) => of(candidate, metric)),
  };
}

function armScores(of: (metric: Metric) => CaseScores): Record<Metric, CaseScores> {
  return {
    toolCallAccuracy: of("toolCallAccuracy"),
    toolCallF1: of("toolCallF1"),
    taskCompletion: of("taskCompletion"),
    turns: of("turns"),
    skillActivation: of("skillActivation"),
    toolCalls: of("toolCalls"),
    promptTokens: of("promptTokens"),
    cachedTokens: of("cachedTokens"),
    completionTokens: of("completionTokens"),
    seconds: of("seconds"),
    cost: of("cost"),
    approvals: of("approvals"),
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
