/** Holm's step-down adjustment: adj_i = max over j ≤ i of min(1, (m − j + 1) p_(j)), in the order given. */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((p, at) => ({ p, at })).sort((a, b) => a.p - b.p);
  const adjusted = new Array<number>(ps.length).fill(1);
  let highest = 0;
  order.forEach(({ p, at }, rank) => {
    highest = Math.max(highest, Math.min(1, (ps.length - rank) * p));
    adjusted[at] = highest;
  });
  return adjusted;
}

/** Benjamini and Hochberg's adjustment for dashboards: controls the share of false alarms, not their chance. */
export function benjaminiHochberg(ps: readonly number[]): number[] {
  const order = ps.map((p, at) => ({ p, at })).sort((a, b) => b.p - a.p);
  const adjusted = new Array<number>(ps.length).fill(1);
  let lowest = 1;
  order.forEach(({ p, at }, rank) => {
    lowest = Math.min(lowest, (p * ps.length) / (ps.length - rank));
    adjusted[at] = lowest;
  });
  return adjusted;
}
