import type { Interval } from "./interval.ts";
import type { PairedTable } from "./paired-table.ts";
import { wilson } from "./wilson.ts";

/** Newcombe's interval of a paired difference of rates, first − second (Newcombe 1998b, method 10). */
export function newcombePaired(table: PairedTable, alpha: number): Interval {
  const n = table.both + table.first + table.second + table.none;
  const p1 = (table.both + table.first) / n;
  const p2 = (table.both + table.second) / n;
  const one = wilson(p1, n, alpha);
  const two = wilson(p2, n, alpha);
  const phi = correlation(table, n);
  const side = (a: number, b: number): number => Math.sqrt(Math.max(0, a * a - 2 * phi * a * b + b * b));
  return {
    low: p1 - p2 - side(p1 - one.low, two.high - p2),
    high: p1 - p2 + side(p2 - two.low, one.high - p1),
  };
}

/** φ of the table, its numerator reduced by n/2 (not below 0) when positive; 0 where a margin is empty. */
function correlation({ both, first, second, none }: PairedTable, n: number): number {
  const margins = (both + first) * (second + none) * (both + second) * (first + none);
  if (margins === 0) return 0;
  const numerator = both * none - first * second;
  return (numerator > 0 ? Math.max(0, numerator - n / 2) : numerator) / Math.sqrt(margins);
}
