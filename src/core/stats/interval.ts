/** Two limits, low ≤ high. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The smallest interval that holds both. */
export function hull(a: Interval, b: Interval): Interval {
  return { low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) };
}

/** The interval cut to what the quantity can be. */
export function clamp(interval: Interval, low: number, high: number): Interval {
  const cut = (value: number): number => Math.min(high, Math.max(low, value));
  return { low: cut(interval.low), high: cut(interval.high) };
}
