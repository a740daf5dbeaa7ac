import type { RunRecord } from "../nouns/run.ts";
import type { Summary } from "../nouns/summary.ts";
import { levelAt } from "./plan.ts";

/**
 * The level that a summary's intervals of differences have: the policy's alpha, in a sequential run that of the look it
 * stopped at.
 */
export function intervalLevel({ sequential, policy, trials }: RunRecord, { arms }: Summary): number {
  if (sequential === null) return policy.alpha;
  const planned = (arms.baseline ?? arms.candidate)?.trials.planned ?? 0;
  const at = sequential.looks.findIndex((cases) => cases * trials >= planned);
  const last = sequential.looks.length - 1;
  return levelAt((at < 0 ? last : at) + 1, last + 1, policy.alpha);
}
