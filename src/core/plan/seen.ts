import { indexScores } from "../compare/pairs.ts";
import { ARMS, type Metric } from "../nouns/score.ts";
import { mean } from "../stats/moments.ts";
import { pooledWithin } from "../stats/variance-split.ts";
import type { TrialRow } from "../summary/rows.ts";
import { ASSUMED_NOISE, type NoiseSource } from "./design.ts";
import type { CaseUsage } from "./usage.ts";

/** What each case took in an earlier run: means over its trials in both arms, broken ones left out. */
export function usageSeen(rows: readonly TrialRow[]): Map<string, CaseUsage> {
  const byCase = new Map<string, TrialRow[]>();
  for (const row of rows) {
    if (row.status === "broken" || row.scores.turns === undefined) continue;
    const known = byCase.get(row.case);
    if (known === undefined) byCase.set(row.case, [row]);
    else known.push(row);
  }
  return new Map([...byCase].map(([id, own]) => [id, usageOf(own)]));
}

function usageOf(rows: readonly TrialRow[]): CaseUsage {
  const tokens = (of: "prompt" | "cached" | "completion"): number | null =>
    mean(rows.flatMap((row) => row.tokens?.[of] ?? []));
  return {
    calls: mean(rows.flatMap((row) => row.scores.turns ?? [])) ?? 0,
    prompt: tokens("prompt"),
    cached: tokens("cached"),
    completion: tokens("completion"),
  };
}

/** Variance between trials of a case, of the gated metric that wavers most; assumed where nothing was repeated. */
export function noiseSeen(rows: readonly TrialRow[], metrics: readonly Metric[]): NoiseSource {
  const scores = indexScores(rows);
  const seen = metrics.flatMap((metric) => {
    const [baseline, candidate] = ARMS.map((arm) => pooledWithin([...scores[arm][metric].values()]));
    const some = baseline ?? candidate ?? null;
    if (some === null) return [];
    return [{ baseline: baseline ?? some, candidate: candidate ?? some, from: "run" } satisfies NoiseSource];
  });
  seen.sort((a, b) => b.baseline + b.candidate - (a.baseline + a.candidate));
  return seen[0] ?? ASSUMED_NOISE;
}
