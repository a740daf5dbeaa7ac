import * as z from "zod";
import { ARMS } from "../nouns/score.ts";

/** `single`: one output an item. `pair`: both arms' outputs of one case and trial side by side. */
export const KINDS = ["single", "pair"] as const;
export type Kind = (typeof KINDS)[number];

const shared = {
  case: z.string(),
  trial: z.int().min(1),
  /** Who was given the item; absent in a key written by hand. */
  raters: z.array(z.string()).optional(),
  /** The item that this one repeats, to see whether a rater agrees with themselves. */
  repeatOf: z.string().optional(),
  /** Of the cells as exported, so that rows whose texts and ids were sorted apart are found. */
  digest: z.string().optional(),
};
const arm = z.enum(ARMS);
const SingleItem = z.object({ ...shared, arm });
const PairItem = z.object({ ...shared, left: arm, right: arm });
export type SingleItem = z.infer<typeof SingleItem>;
export type PairItem = z.infer<typeof PairItem>;
export type KeyItem = SingleItem | PairItem;

/** key.json: what the item ids stand for. `runId` and `items` are enough; the rest is there in a key of ours. */
export const SheetKey = z.object({
  schema: z.literal("evalkit.key/1"),
  warning: z.string().optional(),
  runId: z.string(),
  kind: z.enum(KINDS).optional(),
  seed: z.string().optional(),
  raters: z.array(z.string()).optional(),
  /** Items in the order in which each rater sees them; drift is measured along it. */
  order: z.record(z.string(), z.array(z.string())).optional(),
  items: z.record(z.string(), z.union([SingleItem, PairItem])),
});
export type SheetKey = z.infer<typeof SheetKey>;

/** The words at the top of key.json. */
export const KEY_WARNING =
  "Keep this file from the raters: it says which version made which output. It is needed for evalkit sheet import.";

/** Whether an item of a key is a pair. */
export function isPair(item: KeyItem): item is PairItem {
  return "left" in item;
}

/** The kind of a key: as written, or as its items show. An empty key is `single`. */
export function kindOf(key: SheetKey): Kind {
  return key.kind ?? (Object.values(key.items).some(isPair) ? "pair" : "single");
}
