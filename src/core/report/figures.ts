import { isShare } from "../compare/metric-kind.ts";
import type { Metric } from "../nouns/score.ts";
import { figure, shareText, signedFigure } from "../text/figures.ts";

/** What stands where a value is not known. Never 0, NaN or an empty cell. */
export const NO_DATA = "no data";

/** A metric's value with its unit: `95.0 %`, `2.30`, `6.92 s`. */
export function valueText(metric: Metric, value: number | null): string {
  if (value === null) return NO_DATA;
  if (isShare(metric)) return shareText(value, 1);
  return metric === "seconds" ? `${figure(value)} s` : figure(value);
}

/** A difference with its sign; shares in percentage points, `−5.0 pts`. */
export function differenceText(metric: Metric, value: number | null): string {
  if (value === null) return NO_DATA;
  return isShare(metric) ? `${signedFigure(value, true)} pts` : signedFigure(value, false);
}

/** The interval of a difference, `−11.0 to +1.0`; null where there is none. */
export function intervalText(metric: Metric, low: number | null, high: number | null): string | null {
  if (low === null || high === null) return null;
  return `${signedFigure(low, isShare(metric))} to ${signedFigure(high, isShare(metric))}`;
}

/** A p value: `0.12`, `0.004`, `< 0.001`. */
export function pText(p: number | null): string {
  if (p === null) return NO_DATA;
  if (p < 0.001) return "< 0.001";
  return p.toFixed(p < 0.1 ? 3 : 2);
}

/** A share as a percentage without decimals, but where that would say none or all of what is not. */
export function percent(share: number | null): string {
  return share === null ? NO_DATA : shareText(share, 0);
}
