import { normalQuantile } from "./distribution.ts";
import type { Interval } from "./interval.ts";
import type { Discordance } from "./tango.ts";

/** Bonett and Price's interval of a paired difference (2012): Wald's after adding one pair to each discordant count. */
export function bonettPrice({ first, second, n }: Discordance, alpha: number): Interval & { centre: number } {
  const p10 = (first + 1) / (n + 2);
  const p01 = (second + 1) / (n + 2);
  const centre = p10 - p01;
  const half = normalQuantile(1 - alpha / 2) * Math.sqrt((p10 + p01 - centre * centre) / (n + 2));
  return { centre, low: Math.max(-1, centre - half), high: Math.min(1, centre + half) };
}
