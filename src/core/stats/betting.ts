/** Wealth of a bettor against "the mean difference is at most −margin", and what its next bet rests on. */
export interface Betting {
  readonly logWealth: number;
  readonly count: number;
  readonly sum: number;
  readonly squares: number;
}

/** Before the first case: wealth 1, a prior of one case with mean 1/2 and variance 1/4. */
export const START: Betting = { logWealth: 0, count: 0, sum: 0, squares: 0 };

/**
 * One more case (Waudby-Smith, Ramdas 2024): x = (d + 1)/2, m = (1 − margin)/2, wealth times 1 + λ(x − m) with
 * λ = clip((μ − m)/(v + (μ − m)²), 0, 0.75/m) from earlier cases only. Reject at wealth ≥ 1/alpha, at any time.
 * For d in [−1, 1], any number of trials. A margin of 0 and −d test for "better" and "worse".
 */
export function bet(before: Betting, d: number, margin: number): Betting {
  const x = (d + 1) / 2;
  const m = (1 - margin) / 2;
  const mu = (0.5 + before.sum) / (before.count + 1);
  const v = (0.25 + before.squares) / (before.count + 1);
  const lead = mu - m;
  const lambda = Math.min(0.75 / m, Math.max(0, lead / (v + lead * lead)));
  const sum = before.sum + x;
  const newMu = (0.5 + sum) / (before.count + 2);
  return {
    logWealth: before.logWealth + Math.log1p(lambda * (x - m)),
    count: before.count + 1,
    sum,
    squares: before.squares + (x - newMu) ** 2,
  };
}
