import { sum } from "../stats/moments.ts";

/** A figure, or the reason why there is none. Undefined is never 0 or 1. */
export type Figure = { readonly value: number } | { readonly value: null; readonly reason: string };

/** What it costs that one rater says category `i` and the other `j` (indices); 0 where they agree. */
export type Cost = (i: number, j: number) => number;
/** Costs for kappa: any difference alike, by steps, by squared steps. */
export const UNWEIGHTED: Cost = (i, j) => (i === j ? 0 : 1);
export const LINEAR: Cost = (i, j) => Math.abs(i - j);
export const QUADRATIC: Cost = (i, j) => (i - j) ** 2;

/**
 * Cohen's kappa of a square table of counts or shares (rows: one rater, columns: the other):
 * 1 − Σ cost·observed / Σ cost·expected, expected from the margins (Cohen 1968). Undefined when nothing was scored
 * twice, or when both raters used one and the same category only: then chance agreement is certain.
 */
export function kappaOfTable(table: readonly (readonly number[])[], cost: Cost): Figure {
  const rows = table.map((row) => sum(row));
  const columns = table.map((_, at) => sum(table.map((row) => row[at] ?? 0)));
  const total = sum(rows);
  if (total === 0) return { value: null, reason: "nothing was scored by two raters" };
  let observed = 0;
  let expected = 0;
  table.forEach((row, i) => {
    row.forEach((count, j) => {
      observed += (cost(i, j) * count) / total;
      expected += (cost(i, j) * (rows[i] ?? 0) * (columns[j] ?? 0)) / total ** 2;
    });
  });
  if (expected === 0) return { value: null, reason: "both raters gave one and the same score throughout" };
  return { value: 1 - observed / expected };
}

/** Kappa of pairs of scores with quadratic costs on the scores themselves. Pairs with a missing score are left out. */
export function weightedKappa(pairs: readonly (readonly [number | null, number | null])[]): Figure {
  const { table, categories } = tableOf(pairs);
  return kappaOfTable(table, (i, j) => ((categories[i] ?? 0) - (categories[j] ?? 0)) ** 2);
}

/** Counts of pairs by score; categories are the scores that occur, rising. */
export function tableOf(pairs: readonly (readonly [number | null, number | null])[]): {
  readonly table: readonly (readonly number[])[];
  readonly categories: readonly number[];
} {
  const both = pairs.flatMap(([a, b]) => (a === null || b === null ? [] : [[a, b] as const]));
  const categories = [...new Set(both.flat())].sort((a, b) => a - b);
  const table = categories.map((a) =>
    categories.map((b) => both.filter(([x, y]) => x === a && y === b).length),
  );
  return { table, categories };
}

/** Distance of two categories, given all categories (rising) and how often each occurs in pairable units. */
export type Distance = (
  c: number,
  k: number,
  categories: readonly number[],
  counts: readonly number[],
) => number;
/** Distances for alpha: categories without order, numbers. */
export const NOMINAL: Distance = (c, k) => (c === k ? 0 : 1);
export const INTERVAL: Distance = (c, k, categories) => ((categories[c] ?? 0) - (categories[k] ?? 0)) ** 2;
/** (Σ of n_g from c to k − (n_c + n_k)/2)²: how many values lie between two ranks (Krippendorff 2011). */
export const ORDINAL: Distance = (c, k, _categories, counts) => {
  const [low, high] = c < k ? [c, k] : [k, c];
  const between = sum(counts.slice(low, high + 1));
  return (between - ((counts[low] ?? 0) + (counts[high] ?? 0)) / 2) ** 2;
};

/**
 * Krippendorff's alpha, 1 − observed / expected disagreement from the coincidence matrix. A unit holds the scores that
 * its raters gave, missing ones as null; units with fewer than two count for nothing. Any number of raters.
 */
export function krippendorffAlpha(
  units: readonly (readonly (number | null)[])[],
  distance: Distance,
): Figure {
  const pairable = units
    .map((unit) => unit.filter((value) => value !== null))
    .filter((unit) => unit.length > 1);
  if (pairable.length === 0) return { value: null, reason: "nothing was scored by two raters" };
  const categories = [...new Set(pairable.flat())].sort((a, b) => a - b);
  const matrix = coincidences(pairable, categories);
  const counts = matrix.map((row) => sum(row));
  const total = sum(counts);
  let observed = 0;
  let expected = 0;
  matrix.forEach((row, c) => {
    row.forEach((count, k) => {
      const apart = c === k ? 0 : distance(c, k, categories, counts);
      observed += count * apart;
      expected += ((counts[c] ?? 0) * (counts[k] ?? 0) * apart) / (total - 1);
    });
  });
  if (expected === 0) return { value: null, reason: "all raters gave one and the same score throughout" };
  return { value: 1 - observed / expected };
}

/** Each ordered pair of values of a unit weighs 1/(m − 1), m being the number of its values. */
function coincidences(units: readonly (readonly number[])[], categories: readonly number[]): number[][] {
  const place = new Map(categories.map((category, at) => [category, at]));
  const matrix = categories.map(() => categories.map(() => 0));
  for (const unit of units) {
    unit.forEach((a, i) => {
      unit.forEach((b, j) => {
        const row = matrix[place.get(a) ?? -1];
        const at = place.get(b) ?? -1;
        if (i !== j && row !== undefined) row[at] = (row[at] ?? 0) + 1 / (unit.length - 1);
      });
    });
  }
  return matrix;
}

/** Krippendorff's usual reading of alpha: .80 and more firm, .667 and more tentative. */
export function agreementInWords(alpha: Figure): string {
  if (alpha.value === null) return `agreement can't be given: ${alpha.reason}`;
  if (alpha.value >= 0.8) return "raters agree firmly";
  if (alpha.value >= 0.667) return "raters agree well enough for tentative conclusions";
  if (alpha.value > 0)
    return "raters agree too little to rely on these scores: talk the disagreements over and sharpen the anchors";
  return "raters agree no better than by chance: these scores say nothing yet";
}
