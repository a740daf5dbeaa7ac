import { isShare, metricName } from "../../compare/metric-kind.ts";
import type { TrialLine } from "../../nouns/run.ts";
import { METRICS, type Evidence, type Metric } from "../../nouns/score.ts";
import { oneLine } from "../escape.ts";
import { valueText } from "../figures.ts";

/** Every metric of a trial with its value and evidence, or why it has none. */
export function scoreLines(line: TrialLine): string[] {
  const lines = METRICS.flatMap((metric) => {
    const score = line.scores[metric];
    if (score === undefined) return [];
    const name = metricName(metric).padEnd(18);
    if (score.status === "unscored")
      return [`  ${name} no score: ${oneLine(score.reason)}`, ...evidence(score.evidence ?? [])];
    return [`  ${name} ${trialValue(metric, score.value)}`, ...evidence(score.evidence)];
  });
  return lines.length === 0 ? [] : ["scores", ...lines];
}

function evidence(found: readonly Evidence[]): string[] {
  return found.map(
    ({ check, passed, detail }) => `    ${passed ? "✓" : "✗"} ${oneLine(check)}: ${oneLine(detail)}`,
  );
}

/** What is counted in one trial is a whole number, unlike the means that reports show. */
function trialValue(metric: Metric, value: number): string {
  const counted = !isShare(metric) && metric !== "seconds" && Number.isInteger(value);
  return counted ? String(value) : valueText(metric, value);
}
