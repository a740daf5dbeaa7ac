import type { Usage } from "../nouns/transcript.ts";

/** Adds up tokens; null when one part is unknown: a sum with holes would read as a saving. */
export function sumUsage(parts: readonly (Usage | null)[]): Usage | null {
  const sum = { prompt: 0, cached: 0, completion: 0, reasoning: 0 };
  for (const usage of parts) {
    if (usage === null) return null;
    sum.prompt += usage.prompt;
    sum.cached += usage.cached;
    sum.completion += usage.completion;
    sum.reasoning += usage.reasoning;
  }
  return sum;
}
