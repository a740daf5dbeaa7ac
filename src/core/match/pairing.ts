/** For each left item the right item it is paired with, or null. */
export type Pairing = readonly (number | null)[];

/** Which left item fits which right item. */
export type Fits = readonly (readonly boolean[])[];

/** Asks every pair once. */
export function fitsOf(left: number, right: number, fits: (left: number, right: number) => boolean): Fits {
  return Array.from({ length: left }, (_, l) => Array.from({ length: right }, (_, r) => fits(l, r)));
}

/**
 * A maximum bipartite matching by augmenting paths (Kuhn's method, searched breadth first so that no size overflows
 * the stack). Greedy pairing would give too few: an expectation that fits many calls can take the only one that
 * another fits. Time is at most left × (pairs that fit).
 */
export function maximumMatching(fits: Fits): Pairing {
  const leftOf = new Map<number, number>();
  const pairs: (number | null)[] = fits.map(() => null);
  for (const start of fits.keys()) augment(start, fits, pairs, leftOf);
  return pairs;
}

function augment(start: number, fits: Fits, pairs: (number | null)[], leftOf: Map<number, number>): void {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (let left = queue.shift(); left !== undefined; left = queue.shift()) {
    for (const [right, fit] of (fits[left] ?? []).entries()) {
      if (!fit || cameFrom.has(right)) continue;
      cameFrom.set(right, left);
      const next = leftOf.get(right);
      if (next === undefined) {
        flip(right, cameFrom, pairs, leftOf);
        return;
      }
      queue.push(next);
    }
  }
}

/** Turns the path that ends at the free item `end` around: each left item on it takes the right item it reached. */
function flip(
  end: number,
  cameFrom: ReadonlyMap<number, number>,
  pairs: (number | null)[],
  leftOf: Map<number, number>,
): void {
  for (let right: number | null = end; right !== null; ) {
    const left = cameFrom.get(right);
    if (left === undefined) return;
    const before: number | null = pairs[left] ?? null;
    pairs[left] = right;
    leftOf.set(right, left);
    right = before;
  }
}

/** The longest pairing that keeps the order on both sides (longest common subsequence by dynamic programming). */
export function orderedMatching(fits: Fits): Pairing {
  const left = fits.length;
  const right = fits[0]?.length ?? 0;
  const best = Array.from({ length: left + 1 }, () => new Int32Array(right + 1));
  for (let l = left - 1; l >= 0; l -= 1) {
    for (let r = right - 1; r >= 0; r -= 1) {
      const paired = fits[l]?.[r] ? 1 + at(best, l + 1, r + 1) : 0;
      best[l]?.fill(Math.max(paired, at(best, l + 1, r), at(best, l, r + 1)), r, r + 1);
    }
  }
  return walk(fits, best);
}

function walk(fits: Fits, best: readonly Int32Array[]): Pairing {
  const pairs: (number | null)[] = fits.map(() => null);
  const right = fits[0]?.length ?? 0;
  for (let l = 0, r = 0; l < fits.length && r < right; ) {
    if (fits[l]?.[r] && at(best, l, r) === 1 + at(best, l + 1, r + 1)) {
      pairs[l] = r;
      l += 1;
      r += 1;
    } else if (at(best, l, r) === at(best, l, r + 1)) r += 1;
    else l += 1;
  }
  return pairs;
}

function at(best: readonly Int32Array[], left: number, right: number): number {
  return best[left]?.[right] ?? 0;
}
