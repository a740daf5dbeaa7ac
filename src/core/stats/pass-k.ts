/** pass^k: chance that k trials drawn from n with c passes all pass, C(c,k)/C(n,k). Null below k trials. */
export function passHatK(n: number, c: number, k: number): number | null {
  if (k < 1 || n < k) return null;
  let chance = 1;
  for (let at = 0; at < k; at += 1) chance *= Math.max(0, c - at) / (n - at);
  return chance;
}

/** pass@k: chance that at least one of k trials drawn from n with c passes does. Null below k trials; 0 when c = 0. */
export function passAtK(n: number, c: number, k: number): number | null {
  const none = passHatK(n, n - c, k);
  return none === null ? null : 1 - none;
}
