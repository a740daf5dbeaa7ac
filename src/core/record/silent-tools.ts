import { count } from "../text/count.ts";
import type { TrialRow } from "../summary/rows.ts";

/** So many trials without a call may be the model's choice; beyond them it is worth a look at the server. */
const FEWEST = 6;

/**
 * A sentence where no trial of a run called any tool though cases failed for want of calls: some servers drop tools in
 * silence, and every prompt looks equally weak. Null where a tool was called, or where too few trials say so.
 */
export function silentTools(rows: readonly TrialRow[]): string | null {
  const ended = rows.filter(({ status }) => status !== "broken");
  if (ended.some(({ scores }) => scores.toolCalls !== 0)) return null;
  const wanting = ended.filter(({ scores }) => scores.toolCallAccuracy === 0);
  if (wanting.length < FEWEST) return null;
  const cases = new Set(wanting.map((row) => row.case)).size;
  return `no tool was called in any of ${count(ended.length, "trial")}, though ${count(cases, "case")} needed calls: \`evalkit doctor\` tells whether tools reach the model`;
}
