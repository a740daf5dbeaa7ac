import { format, type Schema } from "@cfworker/json-schema";
import { isObject } from "../text/json.ts";
import { regexFinds } from "./regex.ts";

/** Keywords whose values are schemas by name: a name is no keyword. */
const BY_NAME: ReadonlySet<string> = new Set([
  "properties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
/** Keywords whose values are data: they stay as they are. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** How a pattern stands in messages of the validator. */
export const RE2_FORMAT = "evalkit-re2:";
/** Schemas that are applied to one value; a text of 20 MB holds fewer values. */
const MAX_STEPS = 2_000_000;
/** The validator compares each item of a list with each other. */
const MAX_UNIQUE = 5_000;
/** Names of properties that are held against `patternProperties`. */
const MAX_NAMES = 2_000;

/** Not in the standard, and the validator's own expression never comes back from `http://aaaa…!`. */
format.url = (text: string) => /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text);

/** What a schema asks of a value before it can be applied. */
export interface SafeSchema {
  /** The schema for a value with these names of properties; each use is counted by `step`. */
  for(names: readonly string[], step: () => void): Schema | boolean;
  readonly needsNames: boolean;
  readonly needsUnique: boolean;
}

/** Makes a schema fit for untrusted values. Throws when it is none. */
export function safeSchema(schema: unknown): SafeSchema {
  if (typeof schema !== "boolean" && !isObject(schema))
    throw new Error("a JSON Schema is an object or a boolean");
  const text = JSON.stringify(schema);
  return {
    for: (names, step) => (typeof schema === "boolean" ? schema : new Rewriting(names, step).schema(schema)),
    needsNames: text.includes('"patternProperties"'),
    needsUnique: text.includes('"uniqueItems"'),
  };
}

/** Counts steps; throws where a schema that names itself again and again would go on for hours. */
export function stepCounter(): () => void {
  let steps = 0;
  return () => {
    steps += 1;
    if (steps > MAX_STEPS) throw new Error(`it would take more than ${MAX_STEPS.toLocaleString("en")} steps`);
  };
}

/** The names of all properties in a value. Throws where there are too many of them, or a list is too long to be compared. */
export function namesIn(value: unknown, { needsNames, needsUnique }: SafeSchema): readonly string[] {
  const names = new Set<string>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (Array.isArray(one)) {
      if (needsUnique && one.length > MAX_UNIQUE)
        throw new Error(`a list of ${one.length} items is too long for uniqueItems (at most ${MAX_UNIQUE})`);
      for (const item of one) waiting.push(item);
    } else if (isObject(one)) {
      for (const [name, inner] of Object.entries(one)) {
        if (needsNames) names.add(name);
        waiting.push(inner);
      }
      if (names.size > MAX_NAMES)
        throw new Error(`more than ${MAX_NAMES} names of properties are too many for patternProperties`);
    }
  }
  return [...names];
}

class Rewriting {
  readonly #names: readonly string[];
  readonly #step: () => void;

  constructor(names: readonly string[], step: () => void) {
    this.#names = names;
    this.#step = step;
  }

  schema(given: object): Schema {
    const copy: Schema = Object.fromEntries(
      Object.entries(given).map(([key, inner]: [string, unknown]) => [key, this.#keyword(key, inner)]),
    );
    // The validator reads this keyword of an older draft once each time it applies a schema.
    Object.defineProperty(copy, "$recursiveAnchor", {
      enumerable: false,
      get: () => {
        this.#step();
        return undefined;
      },
    });
    return withLinearPattern(copy);
  }

  #keyword(key: string, inner: unknown): unknown {
    if (DATA.has(key)) return inner;
    if (Array.isArray(inner)) return inner.map((one: unknown) => this.#inner(one));
    if (!isObject(inner)) return inner;
    const patterns = key === "patternProperties";
    if (!patterns && !BY_NAME.has(key)) return this.schema(inner);
    return Object.fromEntries(
      Object.entries(inner).map(([name, one]: [string, unknown], at) => [
        patterns ? this.#namesLike(name, at) : name,
        this.#inner(one),
      ]),
    );
  }

  #inner(one: unknown): unknown {
    return isObject(one) ? this.schema(one) : one;
  }

  /** The validator takes the names for patterns of a backtracking engine: it is given the names that RE2 finds. */
  #namesLike(pattern: string, at: number): string {
    const found = this.#names.filter((name) => regexFinds(pattern, name));
    const literals = found.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
    // Empty groups keep two patterns apart that find the same names.
    return `${"(?:)".repeat(at)}${literals.length === 0 ? "[^\\s\\S]" : `^(?:${literals.join("|")})$`}`;
  }
}

/** Moves `pattern` into a format of its field, which the validator looks up by name. */
function withLinearPattern(schema: Schema): Schema {
  const { pattern } = schema;
  if (typeof pattern !== "string") return schema;
  delete schema.pattern;
  const name = `${RE2_FORMAT}${pattern}`;
  format[name] = (text: string) => regexFinds(pattern, text);
  schema.allOf = [...(schema.allOf ?? []), { format: name }];
  return schema;
}
