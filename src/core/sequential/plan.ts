import type { RunRecord } from "../nouns/run.ts";
import { boundaryConstant, criticalZ } from "../stats/group-sequential.ts";
import { normalCdf } from "../stats/distribution.ts";
import { randomFrom, seedFor, shuffled } from "../stats/random.ts";

/** A sequential run's plan: fixed before the first call, kept in run.json. */
export type SequentialPlan = NonNullable<RunRecord["sequential"]>;

/** Looks of a sequential run, the last of which sees every case. */
export const LOOKS = 4;

/**
 * Cases in seeded random order and the looks over them: after about a quarter, half, three quarters, all. Random order
 * makes every block a fair sample of the suite; fewer cases than looks are looked at once.
 */
export function planSequential(ids: readonly string[], seed: number, looks = LOOKS): SequentialPlan {
  const order = shuffled([...ids].sort(), randomFrom(seedFor(seed, "sequential order")));
  const times = order.length < 2 * looks ? 1 : looks;
  const at = Array.from({ length: times }, (_, k) => Math.ceil((order.length * (k + 1)) / times));
  return { order, looks: at };
}

/**
 * Two-sided level of look k (from 1): O'Brien and Fleming's, so that all looks together err with chance alpha. The
 * interval at this level is Jennison and Turnbull's repeated interval: all of them cover at once with 1 − alpha.
 */
export function levelAt(k: number, looks: number, alpha: number): number {
  if (looks === 1) return alpha;
  const constant = KNOWN[`${looks} ${alpha}`] ?? boundaryConstant(looks, alpha, "obrien-fleming");
  return 2 * normalCdf(-criticalZ(constant, "obrien-fleming", k, looks));
}

/** The constant of the default, which would otherwise be computed at every look. */
const KNOWN: Readonly<Record<string, number>> = { "4 0.05": 2.0243 };
