import type { Kind } from "./key.ts";

/** What people score on a scale of 1 to 5. */
export const DIMENSIONS = ["accuracy", "completeness", "safety"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Columns that show an item, after `item`. */
export const TEXT_COLUMNS: Readonly<Record<Kind, readonly string[]>> = {
  single: ["task", "actions", "answer"],
  pair: ["task", "left actions", "left answer", "right actions", "right answer"],
};

/** Columns that a rater fills; `note` may be absent from a sheet that comes back. */
export const SCORE_COLUMNS: Readonly<Record<Kind, readonly string[]>> = {
  single: DIMENSIONS,
  pair: ["preferred"],
};

/** All columns in the order of the file. */
export function columnsOf(kind: Kind): readonly string[] {
  return ["item", ...TEXT_COLUMNS[kind], ...SCORE_COLUMNS[kind], "note"];
}

/** What `preferred` may hold; the empty cell is "not scored yet". */
export const PREFERENCES = ["left", "right", "tie", "x"] as const;
export type Preference = (typeof PREFERENCES)[number];
