import type { Inspection } from "./report.ts";

/** Everything that the schema of a case can't say. */
export function checkCase(_look: Inspection): void {}
