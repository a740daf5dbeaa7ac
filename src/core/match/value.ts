import { regexFinds } from "./regex.ts";
import { isObject, field, sameJson, showJson } from "../text/json.ts";

/** Matchers that may stand in place of an expected value; several in one object must all hold. */
export const MATCHERS = ["$any", "$regex", "$contains", "$oneOf", "$gte", "$lte", "$absent"] as const;
export type MatcherName = (typeof MATCHERS)[number];

/** The place of a key that did not come. */
export const ABSENT = Symbol("absent");

/** One way in which a value is not the expected one. */
export interface Difference {
  /** Dotted path of the key, such as `filter.limit`. */
  readonly path: string;
  readonly expected: string;
  readonly came: string;
}

type Matcher = Readonly<Record<string, unknown>>;

/** Whether an expected value is made of matchers only. Any other object is taken literally. */
export function isMatcher(value: unknown): value is Matcher {
  if (!isObject(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => MATCHERS.some((name) => name === key));
}

/**
 * The first difference between an expected value and what came, or null. Matchers are honoured at any depth; objects
 * and arrays below a key must be equal as a whole (`$contains` asks for a part).
 */
export function differs(expected: unknown, actual: unknown, path: string): Difference | null {
  if (isMatcher(expected)) return holds(expected, actual) ? null : difference(expected, actual, path);
  if (actual === ABSENT) return difference(expected, actual, path);
  if (Array.isArray(expected)) return arrayDiffers(expected, actual, path);
  if (isObject(expected)) return objectDiffers(expected, actual, path);
  return sameJson(expected, actual) ? null : difference(expected, actual, path);
}

function arrayDiffers(expected: readonly unknown[], actual: unknown, path: string): Difference | null {
  if (!Array.isArray(actual) || actual.length !== expected.length) return difference(expected, actual, path);
  for (const [at, item] of expected.entries()) {
    const found = differs(item, actual[at], `${path}[${at}]`);
    if (found !== null) return found;
  }
  return null;
}

function objectDiffers(expected: Matcher, actual: unknown, path: string): Difference | null {
  if (!isObject(actual)) return difference(expected, actual, path);
  return keysDiffer(expected, actual, path)[0] ?? extraKeys(expected, actual, path)[0] ?? null;
}

/** Differences of the keys that `expected` names; other keys are free. */
export function keysDiffer(expected: Matcher, actual: Matcher, path = ""): readonly Difference[] {
  return Object.keys(expected)
    .map((key) => {
      const value = Object.hasOwn(actual, key) ? field(actual, key) : ABSENT;
      return differs(field(expected, key), value, join(path, key));
    })
    .filter((found) => found !== null);
}

/** Keys that came and are not named in `expected`. */
export function extraKeys(expected: Matcher, actual: Matcher, path = ""): readonly Difference[] {
  return Object.keys(actual)
    .filter((key) => !Object.hasOwn(expected, key))
    .map((key) => difference({ $absent: true }, field(actual, key), join(path, key)));
}

function holds(matcher: Matcher, actual: unknown): boolean {
  return MATCHERS.every(
    (name) => !Object.hasOwn(matcher, name) || holdsOne(name, field(matcher, name), actual),
  );
}

function holdsOne(name: MatcherName, wanted: unknown, actual: unknown): boolean {
  if (name === "$absent") return (actual === ABSENT) === (wanted === true);
  if (actual === ABSENT) return false;
  switch (name) {
    case "$any":
      return wanted === true;
    case "$regex":
      return typeof actual === "string" && typeof wanted === "string" && regexFinds(wanted, actual);
    case "$contains":
      return contains(wanted, actual);
    case "$oneOf":
      return Array.isArray(wanted) && wanted.some((item) => differs(item, actual, "") === null);
    case "$gte":
      return typeof actual === "number" && typeof wanted === "number" && actual >= wanted;
    case "$lte":
      return typeof actual === "number" && typeof wanted === "number" && actual <= wanted;
  }
}

/** A text contains a text, an array an item, an object the named keys. */
function contains(wanted: unknown, actual: unknown): boolean {
  if (typeof actual === "string") return typeof wanted === "string" && actual.includes(wanted);
  if (Array.isArray(actual)) return actual.some((item) => differs(wanted, item, "") === null);
  return isObject(actual) && isObject(wanted) && keysDiffer(wanted, actual).length === 0;
}

function difference(expected: unknown, actual: unknown, path: string): Difference {
  const nothing = isObject(expected) && field(expected, "$absent") === true;
  return {
    path,
    expected: nothing ? "nothing" : showJson(expected),
    came: actual === ABSENT ? "nothing" : `${showJson(actual)}${looksAlike(expected, actual)}`,
  };
}

/** Two texts that nobody can tell apart: a letter with its accent is one character or two. */
function looksAlike(expected: unknown, actual: unknown): string {
  const same =
    typeof expected === "string" &&
    typeof actual === "string" &&
    expected.normalize("NFC") === actual.normalize("NFC");
  return same ? " (the same letters in another Unicode form: NFC or NFD)" : "";
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
