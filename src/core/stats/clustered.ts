import { mean, sum } from "./moments.ts";

/**
 * Standard error of the mean of all values when values of one cluster depend on each other:
 * √(Σ_c (Σ_{i in c} e_i)²) / N, times √(C/(C − 1)) for few clusters. Null below two clusters.
 */
export function clusteredSe(clusters: readonly (readonly number[])[], correct: boolean): number | null {
  const all = clusters.flat();
  const centre = mean(all);
  if (centre === null || clusters.length < 2) return null;
  const squares = clusters.map((values) => sum(values.map((value) => value - centre)) ** 2);
  const plain = Math.sqrt(sum(squares)) / all.length;
  return correct ? plain * Math.sqrt(clusters.length / (clusters.length - 1)) : plain;
}
