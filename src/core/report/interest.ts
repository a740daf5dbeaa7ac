import { PASS_METRICS } from "../compare/metric-kind.ts";
import type { CaseSummary, Summary } from "../nouns/summary.ts";
import { changedCases } from "./shared.ts";

/** Cases whose transcripts a report keeps. */
const MOST = 60;

/**
 * Cases worth a closer look: those that changed sides, then those that pass less often than before, then those with
 * a failed check but no verdict, then those that failed in the baseline. `others` would have been next.
 */
export function casesOfInterest(summary: Summary): {
  readonly kept: readonly string[];
  readonly others: readonly string[];
} {
  const changed = changedCases(summary).map(({ id }) => id);
  const worse = summary.cases.filter(isWorse).map(({ id }) => id);
  const open = summary.cases.filter(failedOpenly).map(({ id }) => id);
  const failing = summary.cases.filter(failedBefore).map(({ id }) => id);
  const all = [...new Set([...changed, ...worse, ...open, ...failing])];
  return { kept: all.slice(0, MOST), others: all.slice(MOST) };
}

function isWorse({ baseline, candidate }: CaseSummary): boolean {
  return PASS_METRICS.some((metric) => {
    const [before, after] = [baseline?.[metric] ?? null, candidate?.[metric] ?? null];
    return before !== null && after !== null && after < before;
  });
}

/** A check failed in a trial that has no verdict: no metric shows it. */
function failedOpenly({ baseline, candidate }: CaseSummary): boolean {
  return [baseline, candidate].some((arm) => (arm?.notScored?.failedChecks ?? 0) > 0);
}

function failedBefore({ baseline }: CaseSummary): boolean {
  return PASS_METRICS.some((metric) => (baseline?.[metric] ?? 1) < 1);
}
