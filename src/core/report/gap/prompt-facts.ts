import type { ArmRecord, RunRecord } from "../../nouns/run.ts";
import type { TextChange } from "../text-changes.ts";

/** A line of a layer or skill, and where it stands. */
export interface FoundLine {
  readonly file: string;
  readonly line: string;
}

/** Lines shorter than this repeat without being rules: headings, `or`, `Example:`. */
const SHORTEST_RULE = 24;

/** Lines that stand word for word more than once in an arm's layers, with their files. */
export function repeatedLines(record: RunRecord, arm: ArmRecord): { line: string; files: string[] }[] {
  const places = new Map<string, string[]>();
  for (const { path, line } of layerLines(record, arm)) {
    const rule = line.replace(/^[\s\-*>+\d.)]+/, "").trim();
    // Rows and rules of tables repeat by their nature.
    if (rule.length < SHORTEST_RULE || rule.startsWith("|")) continue;
    places.set(rule, [...(places.get(rule) ?? []), path]);
  }
  return [...places]
    .filter(([, files]) => files.length > 1)
    .map(([line, files]) => ({ line, files: [...new Set(files)] }));
}

/** A date or a time of day. */
const TIMELY = /\b20\d\d-\d\d-\d\d\b|\b\d{1,2}:\d\d(?::\d\d)?\s?(?:am|pm|utc)\b/i;

/** Lines of layers that hold a date or time. */
export function unstableLines(record: RunRecord, arm: ArmRecord): FoundLine[] {
  return layerLines(record, arm)
    .filter(({ line }) => TIMELY.test(line))
    .map(({ path, line }) => ({ file: path, line: line.trim() }));
}

/** Words by which a rule forbids, asks for leave, or speaks of what must stay secret. */
const SAFETY =
  /\b(?:never|must not|do not|don't|forbid|forbidden|refuse|only (?:if|when|after|with)|approv\w*|permission|confirm\w*|ask (?:first|before)|secret|password|token|credential\w*|destructive|irreversible|rm -rf|delet\w*|audit\w*|sandbox\w*)\b/i;

/** Removed lines that sound like safety rules and do not stand among the added ones. */
export function safetyLinesRemoved(changes: readonly TextChange[]): FoundLine[] {
  const added = new Set(
    changes.flatMap(({ patch }) => patch.filter((line) => line.startsWith("+")).map(rule)),
  );
  return changes.flatMap(({ name, patch }) =>
    patch
      .filter((line) => line.startsWith("-") && SAFETY.test(line) && !added.has(rule(line)))
      .map((line) => ({ file: name, line: line.slice(1).trim() })),
  );
}

function rule(line: string): string {
  return line.slice(1).trim();
}

function layerLines(record: RunRecord, arm: ArmRecord): { path: string; line: string }[] {
  return arm.layers.flatMap(({ path, digest }) =>
    (record.texts[digest] ?? "").split("\n").map((line) => ({ path, line })),
  );
}
