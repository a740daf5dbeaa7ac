import { ARMS, type Arm, type TrialKey } from "../nouns/score.ts";
import { shuffled } from "../stats/random.ts";
import { chance } from "./chance.ts";
import type { Kind } from "./key.ts";

/** One output, or one pair of outputs, that people may score. `arm` is absent in a pair. */
export interface Unit {
  readonly case: string;
  readonly trial: number;
  readonly arm?: Arm;
}

/** A case and trial as one text, for maps. */
export function blockId(unit: { readonly case: string; readonly trial: number }): string {
  return JSON.stringify([unit.case, unit.trial]);
}

/**
 * All units of the trials at hand, in blocks: both arms of one case and trial belong together, so that one rater sees
 * both and their severity falls out of the difference. A pair needs both arms.
 */
export function blocksOf(trials: readonly TrialKey[], kind: Kind): readonly (readonly Unit[])[] {
  const blocks = new Map<string, TrialKey[]>();
  for (const trial of trials) {
    const id = blockId(trial);
    blocks.set(id, [...(blocks.get(id) ?? []), trial]);
  }
  return [...blocks.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, block]) => unitsOf(block, kind))
    .filter((block) => block.length > 0);
}

function unitsOf(block: readonly TrialKey[], kind: Kind): Unit[] {
  const present = ARMS.filter((arm) => block.some((trial) => trial.arm === arm));
  const [first] = block;
  if (first === undefined) return [];
  const place = { case: first.case, trial: first.trial };
  if (kind === "pair") return present.length === 2 ? [place] : [];
  return present.map((arm) => ({ ...place, arm }));
}

/**
 * The blocks in the order of the draw: round after round one block of each case, cases and trials shuffled. Cut after
 * `sample` units, so that no case has more than one block more than another (as far as it has trials).
 */
export function drawBlocks(
  blocks: readonly (readonly Unit[])[],
  sample: number | null,
  seed: string,
): readonly (readonly Unit[])[] {
  const random = chance(`${seed} draw`);
  const byCase = new Map<string, (readonly Unit[])[]>();
  for (const block of shuffled(blocks, random)) {
    const id = block[0]?.case ?? "";
    byCase.set(id, [...(byCase.get(id) ?? []), shuffled(block, random)]);
  }
  const cases = shuffled([...byCase.keys()].sort(), random);
  const rounds = Math.max(0, ...[...byCase.values()].map((own) => own.length));
  const drawn: (readonly Unit[])[] = [];
  let left = sample ?? Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    for (const id of cases) {
      const block = byCase.get(id)?.[round];
      if (block === undefined || left <= 0) continue;
      drawn.push(block.slice(0, left));
      left -= block.length;
    }
  }
  return drawn;
}

/**
 * Which arm stands left, by block id. Within a case the sides alternate over its trials; which side a case starts
 * with is balanced over every two cases. So neither a case nor the sheet leans to a side by more than one.
 */
export function sidesOf(units: readonly Unit[], seed: string): ReadonlyMap<string, Arm> {
  const random = chance(`${seed} sides`);
  const byCase = new Map<string, Unit[]>();
  for (const unit of units) byCase.set(unit.case, [...(byCase.get(unit.case) ?? []), unit]);
  const cases = shuffled([...byCase.keys()].sort(), random).map((id) => byCase.get(id) ?? []);
  // Cases with an odd number of trials lean by one; they are paired among themselves.
  const isOdd = (own: readonly Unit[]): boolean => own.length % 2 === 1;
  const sides = new Map<string, Arm>();
  let start = 0;
  [...cases.filter(isOdd), ...cases.filter((own) => !isOdd(own))].forEach((own, at) => {
    start = at % 2 === 0 ? Math.floor(random() * 2) : 1 - start;
    shuffled(own, random).forEach((unit, nth) => {
      sides.set(blockId(unit), (start + nth) % 2 === 0 ? "baseline" : "candidate");
    });
  });
  return sides;
}
