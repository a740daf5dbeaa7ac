import { readFileSync } from "node:fs";
import { parseInvoice } from "../invoice.ts";

/** Adds up what the carriers want for the day. */
export function nightlyTotal(file: string): number {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => parseInvoice(line).cents)
    .reduce((sum, cents) => sum + cents, 0);
}
