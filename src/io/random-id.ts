import { randomBytes } from "node:crypto";

/** A run id that sorts by time and never meets another's: `20261201-143005-7f3a`. */
export function newRunId(now: Date): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return `${stamp}-${randomBytes(2).toString("hex")}`;
}
