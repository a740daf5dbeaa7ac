import { type Random, randomFrom } from "../stats/random.ts";

/**
 * Chance drawn from a text: the same seed gives the same sheets on every machine. Not for secrets: what keeps a
 * rater from working out an item's arm is that the seed stands in key.json alone.
 */

/** 53-bit hash of a text (cyrb53, public domain, by bryc), an integer from 0 to 2^53 − 1. */
export function hash53(text: string, seed = 0): number {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}

/** `digits` hexadecimal digits (at most 13) of the text's hash. */
export function hashHex(text: string, digits: number): string {
  return hash53(text).toString(16).padStart(14, "0").slice(-digits);
}

/** Numbers in [0, 1) drawn from a text. */
export function chance(seed: string): Random {
  return randomFrom(hash53(seed) >>> 0);
}
