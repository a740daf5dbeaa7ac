import { cut } from "../text/cut.ts";
import { PREFERENCES, type Preference } from "./columns.ts";

/** A score of 1 to 5, `x` for "cannot judge", or null for not scored yet. */
export type ScoreValue = 1 | 2 | 3 | 4 | 5 | "x" | null;
const SCORES = [1, 2, 3, 4, 5] as const;

/** A value, or why the cell can't be taken. */
export type Reading<T> = { readonly value: T } | { readonly wrong: string };

/**
 * Reads a score as people and spreadsheets write it: blanks around it, `5.0`, `5,0`, full-width digits, `x` or `X`,
 * an apostrophe that forced it to be text. 4.5, 0 and 6 are refused, never rounded.
 */
export function readScore(cell: string): Reading<ScoreValue> {
  const text = tidy(cell);
  if (text === "") return { value: null };
  if (text === "x") return { value: "x" };
  const number = /^(\d+)(?:[.,](\d+))?$/.exec(text);
  if (number === null) return { wrong: `${shown(cell)} is no score; a score is 1 to 5, x, or empty` };
  if (/[1-9]/.test(number[2] ?? ""))
    return { wrong: `${shown(cell)} is not a whole number; a score is 1, 2, 3, 4 or 5` };
  const value = SCORES.find((score) => score === Number(number[1]));
  return value === undefined ? { wrong: `${shown(cell)} is out of range; a score is 1 to 5` } : { value };
}

/** Reads `left`, `right`, `tie`, `x` or nothing. */
export function readPreference(cell: string): Reading<Preference | null> {
  const text = tidy(cell);
  if (text === "") return { value: null };
  const value = PREFERENCES.find((preference) => preference === text);
  return value === undefined ? { wrong: `${shown(cell)} is none of left, right, tie, x` } : { value };
}

/** NFKC makes full-width digits and letters, and no-break spaces, plain. */
function tidy(cell: string): string {
  return cell
    .normalize("NFKC")
    .replaceAll(/[\u200B-\u200F\uFEFF]/g, "")
    .trim()
    .replace(/^'/, "")
    .trim()
    .toLowerCase();
}

function shown(cell: string): string {
  return JSON.stringify(cut(cell, 40));
}
