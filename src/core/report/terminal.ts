import type { RunRecord } from "../nouns/run.ts";
import type { Summary } from "../nouns/summary.ts";

/** Placeholder until the reports land. */
export function terminalReport(
  _record: RunRecord,
  summary: Summary,
  _width: number,
  _colour: boolean,
): string {
  return JSON.stringify(summary.gate);
}
