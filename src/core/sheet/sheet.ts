import type { Arm } from "../nouns/score.ts";
import { bounded, csvText } from "./cells.ts";
import { hashHex } from "./chance.ts";
import { columnsOf, SCORE_COLUMNS } from "./columns.ts";
import { isPair, type KeyItem, kindOf, type SheetKey } from "./key.ts";
import type { Readable } from "./readable.ts";

/** An item as a rater sees it: its id and the cells of `TEXT_COLUMNS`. */
export interface ShownItem {
  readonly item: string;
  readonly cells: readonly string[];
}

/** Finds what a rater reads of a trial. Throws where there is no such trial: a key is made from trials at hand. */
export type Reader = (key: { case: string; arm: Arm; trial: number }) => Readable;

/** The cells of an item, each as long as a spreadsheet keeps. */
export function cellsOf(item: KeyItem, read: Reader): string[] {
  const { case: id, trial } = item;
  if (!isPair(item)) {
    const { task, actions, answer } = read({ case: id, arm: item.arm, trial });
    return [task, actions, answer].map((text) => bounded(text));
  }
  const left = read({ case: id, arm: item.left, trial });
  const right = read({ case: id, arm: item.right, trial });
  return [left.task, left.actions, left.answer, right.actions, right.answer].map((text) => bounded(text));
}

/** Digest of an item's cells, deaf to what spreadsheets do to them: white space, quotes and apostrophes don't count. */
export function cellsDigest(cells: readonly string[]): string {
  return hashHex(
    cells.map((cell) => cell.replace(/[\s'"\u2018\u2019\u201C\u201D]+/g, "")).join("\u0000"),
    13,
  );
}

/** The key with each item's digest, and every item as shown, by id. */
export function fillKey(
  key: SheetKey,
  read: Reader,
): { key: SheetKey; shown: ReadonlyMap<string, ShownItem> } {
  const shown = new Map<string, ShownItem>();
  const items = Object.entries(key.items).map(([item, what]): [string, KeyItem] => {
    const cells = cellsOf(what, read);
    shown.set(item, { item, cells });
    return [item, { ...what, digest: cellsDigest(cells) }];
  });
  return { key: { ...key, items: Object.fromEntries(items) }, shown };
}

/** What one rater gets, in their order. */
export function itemsFor(
  key: SheetKey,
  shown: ReadonlyMap<string, ShownItem>,
  rater: string,
): readonly ShownItem[] {
  return (key.order?.[rater] ?? []).flatMap((id) => shown.get(id) ?? []);
}

/** A rater's CSV file, scores still empty. */
export function sheetCsv(key: SheetKey, items: readonly ShownItem[]): string {
  const kind = kindOf(key);
  const empty = [...SCORE_COLUMNS[kind], "note"].map(() => "");
  return csvText([columnsOf(kind), ...items.map(({ item, cells }) => [item, ...cells, ...empty])]);
}
