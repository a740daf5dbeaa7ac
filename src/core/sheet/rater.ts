import { fail } from "../nouns/problem.ts";
import type { SheetKey } from "./key.ts";

/** A rater's name is a part of file names: letters, digits, `.`, `_`, `-`, at most 64, starting with a letter or digit. */
export const RATER_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u;

/** Two names that a person or a file system may take for the same. */
export function sameName(a: string, b: string): boolean {
  return folded(a) === folded(b);
}

function folded(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/** Raters as typed after `--raters`. Throws InputError on a bad name or two that can't be told apart. */
export function parseRaters(text: string): readonly string[] {
  const names = text
    .split(",")
    .map((name) => name.trim().normalize("NFC"))
    .filter((name) => name !== "");
  if (names.length === 0)
    fail("no-raters", { key: "--raters" }, "no rater is named", "for example --raters ann,bob");
  for (const name of names) checkRater(name);
  names.forEach((name, at) => {
    const twin = names.slice(0, at).find((other) => sameName(other, name));
    if (twin === undefined) return;
    fail(
      "rater-twice",
      { key: "--raters" },
      `the raters ${twin} and ${name} can't be told apart as file names`,
    );
  });
  return names;
}

/** Throws InputError unless the name can be a part of a file's name. */
export function checkRater(name: string): void {
  if (RATER_NAME.test(name)) return;
  fail(
    "rater-name",
    { key: "rater" },
    `${JSON.stringify(name)} can't be a rater's name`,
    "letters, digits, . _ and - only, starting with a letter or digit",
  );
}

/**
 * Whose sheet a file is, from its name: `sheet-ann.csv`, also as browsers and people rename it (`sheet-ann (1).csv`,
 * `Sheet-Ann-done.csv`). The key's own spelling counts. Throws InputError where the name tells nothing.
 */
export function raterOfFile(path: string, key: SheetKey): string {
  const base = (path.split(/[\\/]/).at(-1) ?? path).normalize("NFC").replace(/\.[^.]*$/, "");
  const name = base
    .replace(/^sheet[-_ ]/i, "")
    .replace(/\s*\(\d+\)$/, "")
    .trim();
  const raters = key.raters ?? [];
  const exact = raters.find((rater) => sameName(rater, name));
  if (exact !== undefined) return exact;
  const longest = [...raters].sort((a, b) => b.length - a.length);
  const start = longest.find(
    (rater) => folded(name).startsWith(folded(rater)) && !/^[\p{L}\p{N}]/u.test(name.slice(rater.length)),
  );
  if (start !== undefined) return start;
  if (raters.length > 0 || !RATER_NAME.test(name)) {
    const known = raters.length > 0 ? `; the key knows ${raters.join(", ")}` : "";
    fail(
      "unknown-rater",
      { file: path },
      `the file's name does not tell whose sheet it is${known}`,
      "give --rater NAME",
    );
  }
  return name;
}

/** Throws InputError when a rater's name is another's but for case or Unicode form: they would count as two people. */
export function checkCollision(rater: string, others: Iterable<string>): void {
  for (const other of others) {
    if (other !== rater && sameName(other, rater)) {
      fail(
        "rater-collides",
        { key: "rater" },
        `the rater ${rater} can't be told apart from ${other}, whose scores are there already`,
        `give --rater ${other} if it is the same person`,
      );
    }
  }
}
