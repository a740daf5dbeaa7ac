import type { Arm, TrialKey } from "../nouns/score.ts";
import { shuffled } from "../stats/random.ts";
import { chance, hashHex } from "./chance.ts";
import { KEY_WARNING, type KeyItem, type Kind, type SheetKey } from "./key.ts";
import { blockId, blocksOf, drawBlocks, sidesOf, type Unit } from "./units.ts";

/** What the sheets shall be like. */
export interface DealOptions {
  readonly runId: string;
  readonly kind: Kind;
  readonly raters: readonly string[];
  /** Share of the outputs that a second rater scores too, 0 to 1. */
  readonly double: number;
  /** Share of the items that a rater gets twice, without being told, 0 to 1. */
  readonly repeat: number;
  /** How many outputs are scored; null: all. */
  readonly sample: number | null;
  readonly seed: string;
}

/** How far a hidden repeat should stand from its original: a quarter of a short sheet, twenty items of a long one. */
const APART = { share: 0.25, items: 20 } as const;
/** Shuffles that are tried for that. */
const ATTEMPTS = 300;

interface Dealt {
  readonly unit: Unit;
  readonly raters: string[];
}

/**
 * Deals outputs to raters and says who sees what in which order: the key, still without digests. Raters share evenly;
 * the same trials, options and seed give the same key on every machine.
 */
export function dealSheets(trials: readonly TrialKey[], options: DealOptions): SheetKey {
  const drawn = drawBlocks(blocksOf(trials, options.kind), options.sample, options.seed);
  const dealt = dealBlocks(drawn, options.raters);
  doubleSome(dealt, options);
  const units = options.kind === "pair" ? dealt.map((one) => one.unit) : [];
  const sides = sidesOf(units, options.seed);
  const items: Record<string, KeyItem> = {};
  const ids = new Map<Unit, string>();
  for (const { unit, raters } of dealt) {
    const id = newId(items, options, unit, "");
    ids.set(unit, id);
    items[id] = { ...keyItem(unit, sides.get(blockId(unit)), false), raters: [...raters] };
  }
  repeatSome(dealt, options).forEach(({ unit, rater }) => {
    const id = newId(items, options, unit, `again by ${rater}`);
    const repeatOf = ids.get(unit);
    items[id] = {
      ...keyItem(unit, sides.get(blockId(unit)), true),
      raters: [rater],
      ...(repeatOf === undefined ? {} : { repeatOf }),
    };
  });
  return {
    schema: "evalkit.key/1",
    warning: KEY_WARNING,
    runId: options.runId,
    kind: options.kind,
    seed: options.seed,
    raters: [...options.raters],
    order: Object.fromEntries(options.raters.map((rater) => [rater, orderOf(rater, items, options.seed)])),
    // Sorted by id, so that the file's own order tells nothing either.
    items: Object.fromEntries(Object.entries(items).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function dealBlocks(blocks: readonly (readonly Unit[])[], raters: readonly string[]): Dealt[] {
  const load = new Map(raters.map((rater) => [rater, 0]));
  return blocks.flatMap((block) => {
    const rater = lightest(load, []);
    load.set(rater, (load.get(rater) ?? 0) + block.length);
    return block.map((unit) => ({ unit, raters: [rater] }));
  });
}

/** A share of the units, drawn by chance, gets a second rater: the one with the least to do. */
function doubleSome(dealt: readonly Dealt[], { raters, double, seed }: DealOptions): void {
  if (raters.length < 2) return;
  const load = loadOf(dealt, raters);
  const waiting = shuffled(dealt, chance(`${seed} double`));
  for (let left = Math.ceil(dealt.length * double); left > 0; left -= 1) {
    const idle = lightest(load, []);
    const at = waiting.findIndex((one) => !one.raters.includes(idle));
    const [one] = waiting.splice(Math.max(at, 0), 1);
    if (one === undefined) return;
    const second = lightest(load, one.raters);
    load.set(second, (load.get(second) ?? 0) + 1);
    one.raters.push(second);
  }
}

function repeatSome(
  dealt: readonly Dealt[],
  { raters, repeat, seed }: DealOptions,
): { unit: Unit; rater: string }[] {
  const load = loadOf(dealt, raters);
  const total = [...load.values()].reduce((sum, own) => sum + own, 0);
  const random = chance(`${seed} repeat`);
  const pools = new Map(
    raters.map((rater) => [
      rater,
      shuffled(
        dealt.filter((one) => one.raters.includes(rater)),
        random,
      ),
    ]),
  );
  const repeats: { unit: Unit; rater: string }[] = [];
  for (let nth = 0; nth < Math.ceil(total * repeat); nth += 1) {
    const rater = lightest(
      load,
      raters.filter((name) => (pools.get(name) ?? []).length === 0),
    );
    const one = pools.get(rater)?.pop();
    if (one === undefined) break;
    load.set(rater, (load.get(rater) ?? 0) + 1);
    repeats.push({ unit: one.unit, rater });
  }
  return repeats;
}

function loadOf(dealt: readonly Dealt[], raters: readonly string[]): Map<string, number> {
  return new Map(raters.map((rater) => [rater, dealt.filter((one) => one.raters.includes(rater)).length]));
}

function lightest(load: ReadonlyMap<string, number>, except: readonly string[]): string {
  let best: string | undefined;
  for (const [rater, own] of load) {
    if (except.includes(rater)) continue;
    if (best === undefined || own < (load.get(best) ?? 0)) best = rater;
  }
  return best ?? "";
}

/** `i-` and eight hexadecimal digits of a hash with the seed: no two alike, and telling nothing without the seed. */
function newId(
  taken: Readonly<Record<string, KeyItem>>,
  options: DealOptions,
  unit: Unit,
  what: string,
): string {
  for (let salt = 0; ; salt += 1) {
    const text = JSON.stringify([
      options.seed,
      options.runId,
      unit.case,
      unit.arm ?? "pair",
      unit.trial,
      what,
      salt,
    ]);
    const id = `i-${hashHex(text, 8)}`;
    if (!(id in taken)) return id;
  }
}

/** A pair that is repeated has its sides swapped: whoever prefers a side rather than an output is found out. */
function keyItem(unit: Unit, side: Arm | undefined, swap: boolean): KeyItem {
  const { case: id, trial } = unit;
  if (unit.arm !== undefined) return { case: id, arm: unit.arm, trial };
  const baselineLeft = (side === "baseline") !== swap;
  return baselineLeft
    ? { case: id, trial, left: "baseline", right: "candidate" }
    : { case: id, trial, left: "candidate", right: "baseline" };
}

/** A shuffle in which repeats stand apart from their originals; which of the two comes first is chance. */
function orderOf(rater: string, items: Readonly<Record<string, KeyItem>>, seed: string): string[] {
  const own = Object.keys(items)
    .filter((id) => items[id]?.raters?.includes(rater))
    .sort();
  const random = chance(`${seed} order ${rater}`);
  const enough = Math.min(own.length * APART.share, APART.items);
  let best = shuffled(own, random);
  let apart = closest(best, items);
  for (let attempt = 0; attempt < ATTEMPTS && apart < enough; attempt += 1) {
    const next = shuffled(own, random);
    const nextApart = closest(next, items);
    if (nextApart > apart) [best, apart] = [next, nextApart];
  }
  return best;
}

function closest(order: readonly string[], items: Readonly<Record<string, KeyItem>>): number {
  const at = new Map(order.map((id, place) => [id, place]));
  let least = Number.POSITIVE_INFINITY;
  for (const id of order) {
    const original = items[id]?.repeatOf;
    const other = original === undefined ? undefined : at.get(original);
    if (other !== undefined) least = Math.min(least, Math.abs((at.get(id) ?? 0) - other));
  }
  return least;
}
