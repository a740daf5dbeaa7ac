/** A source of numbers in [0, 1). */
export type Random = () => number;

/**
 * Seeded pseudo-random numbers: xoshiro128** (Blackman, Vigna 2018), its state filled from the seed by splitmix32.
 * The same seed gives the same numbers on every machine.
 */
export function randomFrom(seed: number): Random {
  const fill = splitMix(seed >>> 0);
  let a = fill();
  let b = fill();
  let c = fill();
  let d = fill() | 1;
  return () => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return result / 4_294_967_296;
  };
}

function rotate(x: number, by: number): number {
  return (x << by) | (x >>> (32 - by));
}

function splitMix(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return z ^ (z >>> 16);
  };
}

/** A seed for one part of the work, so that parts do not share numbers: FNV-1a of the name over the seed. */
export function seedFor(seed: number, name: string): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** A copy in random order: sorted by a random key. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
