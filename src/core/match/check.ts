import { regexProblem } from "./regex.ts";
import { isMatcher, MATCHERS, type MatcherName } from "./value.ts";
import { isObject, field } from "../text/json.ts";

/** What is wrong with expected arguments, found when a case is read. `key` is relative to the value handed in. */
export interface MatcherProblem {
  readonly key: readonly (string | number)[];
  readonly message: string;
}

/** Wrong or misspelt matchers anywhere inside expected arguments. */
export function checkMatchers(
  value: unknown,
  key: readonly (string | number)[] = [],
): readonly MatcherProblem[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => checkMatchers(item, [...key, at]));
  if (!isObject(value)) return [];
  const dollars = Object.keys(value).filter((name) => name.startsWith("$"));
  const unknown = dollars.filter((name) => !MATCHERS.some((known) => known === name));
  if (unknown.length > 0) {
    const known = MATCHERS.join(", ");
    return unknown.map((name) => ({
      key: [...key, name],
      message: `unknown matcher ${name}; there are ${known}`,
    }));
  }
  if (dollars.length > 0 && !isMatcher(value)) {
    return [{ key, message: `matchers (${dollars.join(", ")}) and plain keys can't stand in one object` }];
  }
  return Object.keys(value).flatMap((name) => {
    const inner = field(value, name);
    const wrong = matcherProblem(name, inner);
    if (wrong !== null) return [{ key: [...key, name], message: wrong }];
    return checkMatchers(inner, [...key, name]);
  });
}

function matcherProblem(name: string, value: unknown): string | null {
  const matcher = MATCHERS.find((known) => known === name);
  return matcher === undefined ? null : valueProblem(matcher, value);
}

function valueProblem(name: MatcherName, value: unknown): string | null {
  switch (name) {
    case "$any":
      return value === true ? null : "$any takes true";
    case "$absent":
      return typeof value === "boolean" ? null : "$absent takes true or false";
    case "$regex":
      return typeof value === "string" ? regexProblem(value) : "$regex takes a text";
    case "$oneOf":
      return Array.isArray(value) && value.length > 0 ? null : "$oneOf takes a list with at least one value";
    case "$gte":
    case "$lte":
      return typeof value === "number" && Number.isFinite(value) ? null : `${name} takes a number`;
    case "$contains":
      return null;
  }
}
