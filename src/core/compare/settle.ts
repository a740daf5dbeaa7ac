import { normalQuantile, tQuantile } from "../stats/distribution.ts";
import { casesNeeded } from "../stats/sample-size.ts";
import type { ObservedVariance } from "./variance.ts";

const POWER = 0.8;

/** What an unsure comparison has to go on. `margin` in the metric's own unit; `toward` is sign · difference. */
export interface SettleInput {
  readonly cases: number;
  readonly margin: number;
  readonly toward: number;
  readonly alpha: number;
  readonly share: boolean;
  readonly observed: ObservedVariance | null;
}

/** What would settle an `unsure`, in cases and, where they help, in trials. */
export interface Settlement {
  /** Cases in all, more than there are. */
  readonly cases: number | null;
  /** Trials per case and arm at the same number of cases; null where no number of trials would do. */
  readonly trials: number | null;
}

/**
 * Cases: what brings the observed difference clear of 0 or of −margin, whichever takes fewer; for shares at least the
 * fewest that could show `same` at all, z²(1/m − 1). Where no gain was seen, luck may have hidden a loss: then also
 * what finds a change of `margin` with 80 % power under the spread seen.
 */
export function whatSettles(input: SettleInput): Settlement {
  const { cases, margin, observed, alpha, share } = input;
  if (observed === null || margin <= 0) return { cases: null, trials: null };
  const z = normalQuantile(1 - alpha / 2);
  const fewest = share ? Math.ceil(z * z * (1 / margin - 1)) : 0;
  const planned = input.toward > 0 ? 0 : (zs(alpha) / margin) ** 2 * observed.total;
  const wanted = Math.max(Math.ceil(planned), asItStands(input), fewest, cases + 1);
  return { cases: wanted, trials: trialsThatSettle(input, fewest) };
}

/**
 * Cases that bring the interval clear of 0 (a change) or of −margin (none), whichever is nearer at this difference: the
 * fewest n above the present number with n ≥ t²·variance / distance², where t is Student's at n − 1.
 */
function asItStands({ cases, toward, margin, observed, alpha }: SettleInput): number {
  const distance = Math.max(Math.abs(toward), toward + margin);
  if (distance <= 0 || observed === null) return 0;
  const needed = (n: number): number =>
    (tQuantile(1 - alpha / 2, n - 1) ** 2 * observed.total) / distance ** 2;
  let low = cases + 1;
  let high = Math.max(low, Math.ceil(needed(low)));
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (middle >= needed(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function trialsThatSettle({ cases, margin, alpha, observed }: SettleInput, fewest: number): number | null {
  const parts = observed?.parts ?? null;
  if (parts === null || cases < fewest) return null;
  const limit = casesNeeded({ ...parts, baseline: 0, candidate: 0 }, 1, margin, alpha, POWER);
  const noise = casesNeeded({ ...parts, between: 0 }, 1, margin, alpha, POWER);
  if (limit >= cases || noise === 0) return null;
  const trials = Math.ceil(noise / (cases - limit));
  return trials > (observed?.trials ?? 0) && trials <= 100 ? trials : null;
}

function zs(alpha: number): number {
  return normalQuantile(1 - alpha / 2) + normalQuantile(POWER);
}
