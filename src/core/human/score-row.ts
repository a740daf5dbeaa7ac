import * as z from "zod";
import { ARMS } from "../nouns/score.ts";
import { DIMENSIONS, type Dimension } from "../sheet/columns.ts";

const score = z.union([z.literal([1, 2, 3, 4, 5]), z.literal("x")]).nullable();

/**
 * One line of scores.jsonl: what one rater gave one item. `x` is "cannot judge", null is not scored (yet). In a pair
 * `arm` is null and `preferred` names the arm, `tie` or `x`.
 */
export const ScoreRow = z.object({
  item: z.string(),
  case: z.string(),
  arm: z.enum(ARMS).nullable(),
  trial: z.int(),
  rater: z.string(),
  accuracy: score,
  completeness: score,
  safety: score,
  preferred: z.enum([...ARMS, "tie", "x"]).nullable(),
  note: z.string(),
  /** Which arm stood left in a pair; null for a single output. */
  left: z.enum(ARMS).nullable().default(null),
  /** The item that this one repeats. */
  repeatOf: z.string().nullable().default(null),
  /** Place on the rater's sheet, from 1. */
  position: z.int().nullable().default(null),
});
export type ScoreRow = z.infer<typeof ScoreRow>;

/** What a row holds in the columns that its kind has. */
export function entriesOf(row: ScoreRow): readonly (number | string | null)[] {
  return row.arm === null ? [row.preferred] : DIMENSIONS.map((dimension) => row[dimension]);
}

/** The score itself, or null where there is none or the rater could not judge. */
export function numberOf(row: ScoreRow, dimension: Dimension): number | null {
  const value = row[dimension];
  return value === "x" ? null : value;
}
