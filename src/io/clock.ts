import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../run/ports.ts";

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  iso: () => new Date().toISOString(),
  sleep: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
};
