import type { Settings } from "../../core/config/settings.ts";

/** Calls `halt` when the run's time limit is over; undefined where there is none. */
export function runTimer(settings: Settings, halt: (reason: string) => void): NodeJS.Timeout | undefined {
  const seconds = settings.limits.runSeconds;
  if (seconds === null) return undefined;
  return setTimeout(() => halt(`the run's time limit of ${seconds} s is over`), seconds * 1000).unref();
}
