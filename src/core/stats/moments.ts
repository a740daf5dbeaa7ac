/** Sum without the loss that a plain loop has over many values (Neumaier). */
export function sum(values: readonly number[]): number {
  let total = 0;
  let lost = 0;
  for (const value of values) {
    const next = total + value;
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
  }
  return total + lost;
}

/** Arithmetic mean; null of no values. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : sum(values) / values.length;
}

/** Sample variance with n − 1; null below two values. Exactly 0 when all values are equal. */
export function variance(values: readonly number[]): number | null {
  const first = values[0];
  if (first === undefined || values.length < 2) return null;
  if (values.every((value) => value === first)) return 0;
  const centre = sum(values) / values.length;
  return sum(values.map((value) => (value - centre) ** 2)) / (values.length - 1);
}
