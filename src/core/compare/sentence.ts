import type { Metric } from "../nouns/score.ts";
import type { Verdict } from "../nouns/summary.ts";
import type { Interval } from "../stats/interval.ts";
import { goodSign, isShare, metricName } from "./metric-kind.ts";
import type { Settlement } from "./settle.ts";
import { count } from "../text/count.ts";
import { figure, levelText, signedFigure } from "../text/figures.ts";

/** What a sentence tells of. */
export interface Finding {
  readonly metric: Metric;
  readonly difference: number | null;
  readonly interval: Interval | null;
  readonly alpha: number;
  readonly cases: number;
  readonly verdict: Verdict;
  readonly margin: number;
  readonly settle: Settlement;
}

/** One sentence of what was found and, for `unsure`, one of what would settle it. */
export function sentenceOf(finding: Finding): string {
  const { metric, difference, cases, verdict } = finding;
  const name = capital(metricName(metric));
  if (difference === null) return `${name}: no case has a score in both arms, so nothing can be said.`;
  const found = `${name} ${moved(finding)} over ${count(cases, "case")}${range(finding)}`;
  const margin = amount(metric, finding.margin);
  switch (verdict) {
    case "better":
      return `${found}: better.`;
    case "worse":
      return `${found}: worse.`;
    case "same":
      return `${found}: counts as the same, a loss of ${margin} or more is excluded${uncertainGain(finding)}.`;
    case "unsure":
      return `${found}: unsure, neither a change nor a loss of ${margin} is excluded. ${settling(finding)}`;
  }
}

/** A gain that shows but is not proven would read oddly beside "the same". */
function uncertainGain({ metric, difference, margin }: Finding): string {
  const gain = (difference ?? 0) * goodSign(metric);
  return isShare(metric) && gain > margin ? " and a gain is not certain" : "";
}

function settling({ settle, cases }: Finding): string {
  if (settle.cases === null) return "It takes more cases: two at the least.";
  const trials = settle.trials === null ? "" : `, or about ${settle.trials} trials per case and arm,`;
  return `About ${settle.cases} cases in all (${settle.cases - cases} more)${trials} would settle it if difference and spread stay as they are.`;
}

function moved({ metric, difference }: Finding): string {
  if (difference === null || difference === 0) return "did not change";
  if (Number(figure(difference, isShare(metric))) === 0) return "changed by less than 0.1 points";
  const hint = goodSign(metric) === -1 ? " (less is better)" : "";
  return `${difference > 0 ? "rose" : "fell"} by ${amount(metric, Math.abs(difference))}${hint}`;
}

function range({ metric, interval, alpha }: Finding): string {
  if (interval === null) return "";
  const share = isShare(metric);
  return ` (${levelText(alpha)} interval ${signedFigure(interval.low, share)} to ${signedFigure(interval.high, share)})`;
}

/** An amount with its unit: shares in percentage points. */
export function amount(metric: Metric, value: number): string {
  return isShare(metric) ? `${figure(value, true)} points` : figure(value);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
