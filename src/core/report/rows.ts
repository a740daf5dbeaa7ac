import { metricName } from "../compare/metric-kind.ts";
import { count } from "../text/count.ts";
import { ARMS, LESS_IS_BETTER, METRICS } from "../nouns/score.ts";
import type { Estimate, Summary, Verdict } from "../nouns/summary.ts";
import { HumanSummary } from "../human/schema.ts";
import { DIMENSIONS } from "../sheet/columns.ts";
import { differenceText, intervalText, NO_DATA, valueText } from "./figures.ts";
import { signedFigure } from "../text/figures.ts";

/** One metric as a table shows it. `notes` explain the row; they travel as footnotes. */
export interface MetricRow {
  readonly name: string;
  readonly baseline: string;
  readonly candidate: string;
  readonly difference: string;
  /** 95 % interval of the difference, null where there is none. */
  readonly interval: string | null;
  /** Null where nothing was compared. */
  readonly verdict: Verdict | null;
  readonly notes: readonly string[];
}

/**
 * One row a metric that has data in an arm, then one a dimension that people scored. Counts of things that never came up
 * (no approval asked, nothing cached) would be noise and are left out.
 */
export function metricRows(summary: Summary): readonly MetricRow[] {
  return [...METRICS.flatMap((metric) => rowOf(summary, metric)), ...humanRows(summary)];
}

function rowOf(summary: Summary, metric: (typeof METRICS)[number]): MetricRow[] {
  const { baseline, candidate } = summary.arms;
  const means = [baseline?.metrics[metric]?.mean ?? null, candidate?.metrics[metric]?.mean ?? null] as const;
  const one = summary.comparisons.find((comparison) => comparison.metric === metric);
  const open = metric === "taskCompletion" ? openNotes(summary) : [];
  // What is gated decides, at 0 too.
  const idle = one?.pAdjusted == null && LESS_IS_BETTER.has(metric);
  if (open.length === 0 && means.every((mean) => mean === null || (mean === 0 && idle))) return [];
  const found = one === undefined || one.cases === 0 ? null : one;
  return [
    {
      name: metricName(metric),
      baseline: valueText(metric, means[0]),
      candidate: valueText(metric, means[1]),
      difference: differenceText(metric, found?.difference ?? null),
      interval: found === null ? null : intervalText(metric, found.low, found.high),
      verdict: found?.verdict ?? null,
      notes: [...(one?.notes ?? []), ...open],
    },
  ];
}

const NAMED = 10;

/** Which cases have trials that are left out of task completion for want of a verdict, and why; none where there are none. */
function openNotes({ cases }: Summary): string[] {
  const open = cases.flatMap((one) => {
    const arms = ARMS.flatMap((arm) => {
      const found = one[arm]?.notScored ?? null;
      return found === null ? [] : [{ arm, of: one[arm]?.trials ?? 0, ...found }];
    });
    const [first] = arms;
    if (first === undefined) return [];
    const counts = arms.map(({ arm, trials, of, failedChecks }) => {
      const failed = failedChecks === 0 ? "" : `, a check failed in ${failedChecks}`;
      return `${arm} ${trials} of ${count(of, "trial")}${failed}`;
    });
    const [why = ""] = first.reason.split("; of the other checks");
    return [`${one.id} (${counts.join("; ")}: ${why})`];
  });
  if (open.length === 0) return [];
  const more = open.length > NAMED ? ` and ${count(open.length - NAMED, "more case")}` : "";
  return [`trials left out, since they have no verdict: ${open.slice(0, NAMED).join(", ")}${more}`];
}

/** The human part of a summary, or null where no sheet was imported. */
export function humanPart(summary: Summary): HumanSummary | null {
  const parsed = HumanSummary.safeParse(summary.human);
  return parsed.success ? parsed.data : null;
}

function humanRows(summary: Summary): MetricRow[] {
  const human = humanPart(summary);
  if (human === null) return [];
  const mean = (estimate: Estimate): string => (estimate.mean === null ? NO_DATA : estimate.mean.toFixed(2));
  return DIMENSIONS.filter((name) => human.dimensions[name].scored > 0).map((name) => {
    const { baseline, candidate, difference } = human.dimensions[name];
    const { low, high } = difference;
    const known = difference.difference !== null;
    return {
      name: `people: ${name}`,
      baseline: mean(baseline),
      candidate: mean(candidate),
      difference: difference.difference === null ? NO_DATA : signedFigure(difference.difference, false),
      interval:
        low === null || high === null ? null : `${signedFigure(low, false)} to ${signedFigure(high, false)}`,
      verdict: known ? difference.verdict : null,
      notes: difference.notes,
    };
  });
}

/** Notes of all rows, each once, and the number under which each row names them. */
export function footnotes(rows: readonly MetricRow[]): {
  readonly notes: readonly string[];
  marksOf(row: MetricRow): readonly number[];
} {
  const notes = [...new Set(rows.flatMap((row) => row.notes))];
  return { notes, marksOf: (row) => [...new Set(row.notes)].map((note) => notes.indexOf(note) + 1) };
}
