import * as z from "zod";
import { type Problem, problem, type Where } from "../nouns/problem.ts";
import type { Path } from "./path.ts";
import { bare, gotWords, knownKeys, requiredKeys, schemasAt, typeWords, wanted } from "./schema-shape.ts";
import { isObject } from "./json.ts";
import { didYouMean } from "./nearest.ts";

type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType;

/** A value, the schema it was held against, and where its keys are written. */
export interface Checked {
  readonly schema: Schema;
  readonly value: unknown;
  where(path: Path): Where;
  /** How a key is spelled where it is written, if not as in the schema. */
  spell?(key: string): string;
}

/** Turns everything zod found wrong into problems with file, line, column, key, what was expected and what came. */
export function issueProblems(issues: readonly Issue[], checked: Checked): Problem[] {
  return issues.flatMap((issue) => one(issue, [], checked)).sort(byPlace);
}

/** Order of problems as a reader meets them in the file. */
export function byPlace(a: Problem, b: Problem): number {
  const lines = (a.where.line ?? 0) - (b.where.line ?? 0);
  return lines !== 0 ? lines : (a.where.column ?? 0) - (b.where.column ?? 0);
}

function one(issue: Issue, base: Path, checked: Checked): Problem[] {
  const path = [...base, ...pathOf(issue)];
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(path, key, checked));
  if (issue.code === "invalid_union") return unionProblems(issue.errors, path, checked);
  const value = valueAt(checked.value, path);
  if (value === undefined) return [missing(path, checked)];
  const { code, message, hint } = words(issue, value, path, checked);
  return [at(code, path, checked, message, hint)];
}

function words(
  issue: Issue,
  value: unknown,
  path: Path,
  checked: Checked,
): { code: string; message: string; hint?: string } {
  const got = gotWords(value);
  switch (issue.code) {
    case "invalid_type": {
      const hint = typeHint(issue.expected, value);
      return {
        code: "wrong-type",
        message: `expected ${typeWords(issue.expected)}, got ${got}`,
        ...(hint === undefined ? {} : { hint }),
      };
    }
    case "invalid_value": {
      const values = issue.values.map(String);
      const guess = typeof value === "string" ? didYouMean(value, values) : "";
      return {
        code: "wrong-value",
        message: `expected one of ${values.join(", ")}, got ${got}${guess === "" ? "" : `.${guess}`}`,
      };
    }
    case "too_small": {
      const bound = issue.inclusive === false ? "more than" : "at least";
      return { code: "wrong-value", message: sizeWords(bound, Number(issue.minimum), issue.origin, got) };
    }
    case "too_big": {
      const bound = issue.inclusive === false ? "less than" : "at most";
      return { code: "wrong-value", message: sizeWords(bound, Number(issue.maximum), issue.origin, got) };
    }
    case "invalid_key": {
      const key = JSON.stringify(String(path.at(-1) ?? ""));
      return {
        code: "wrong-value",
        message: `${issue.issues[0]?.message ?? "the key is not accepted"}, got the key ${key}`,
      };
    }
    default:
      return { code: "wrong-value", message: `${ownMessage(issue, path, checked)}, got ${got}` };
  }
}

function typeHint(expected: string, value: unknown): string | undefined {
  if (value === null) return "fill the key or leave it out";
  const scalar = typeof value === "number" || typeof value === "boolean";
  if (expected === "boolean" && typeof value === "string" && /^(yes|no|on|off)$/i.test(value))
    return "write true or false";
  if (expected === "string" && scalar) return `put it in quotes: "${value}"`;
  return undefined;
}

function sizeWords(bound: string, limit: number, origin: string, got: string): string {
  if (origin === "string") {
    return bound === "at least" && limit === 1
      ? "the text must not be empty"
      : `expected ${bound} ${limit} characters, got ${got}`;
  }
  if (origin === "array") return `expected ${bound} ${limit} item${limit === 1 ? "" : "s"} in the list`;
  return `expected ${bound} ${limit}, got ${got}`;
}

function ownMessage(issue: Issue, path: Path, checked: Checked): string {
  if (issue.message !== "" && !issue.message.startsWith("Invalid")) return issue.message;
  const options = schemasAt(checked.schema, path);
  return options.length === 0 ? "the value is not accepted" : `expected ${options.map(wanted).join(" or ")}`;
}

function unknownKey(path: Path, key: string, checked: Checked): Problem {
  const known = spelled(checked, knownKeys(checked.schema, path));
  const [name = key] = spelled(checked, [key]);
  const message = `unknown key ${JSON.stringify(name)}.${didYouMean(name, known)}`;
  const hint = known.length === 0 ? undefined : `known keys here: ${known.join(", ")}`;
  return at("unknown-key", [...path, key], checked, message, hint);
}

function missing(path: Path, checked: Checked): Problem {
  const wants = schemasAt(checked.schema, path).map(wanted).join(" or ");
  const name = JSON.stringify(String(path.at(-1) ?? ""));
  return at(
    "missing-key",
    path,
    checked,
    `the key ${name} is missing${wants === "" ? "" : `; it takes ${wants}`}`,
  );
}

/**
 * A value that fits none of the alternatives: the faults inside the one it was meant to be, or the list of alternatives
 * when that can't be told.
 */
function unionProblems(branches: readonly (readonly Issue[])[], path: Path, checked: Checked): Problem[] {
  const value = valueAt(checked.value, path);
  if (value === undefined) return [missing(path, checked)];
  const meant = branches.filter((issues) => !issues.some(isAboutTheWhole));
  if (meant.length === 1) return (meant[0] ?? []).flatMap((issue) => one(issue, path, checked));
  const options = alternativesAt(checked.schema, path);
  if (isObject(value) && options.some((option) => option instanceof z.ZodObject))
    return [mapMismatch(value, options, path, checked)];
  const wants = options.map(wanted).join(" or ");
  const words = options.flatMap((option) => (option instanceof z.ZodEnum ? option.options.map(String) : []));
  const guess = typeof value === "string" ? didYouMean(value, words) : "";
  const stop = guess === "" ? "" : `.${guess}`;
  return [at("wrong-type", path, checked, `expected ${wants}, got ${gotWords(value)}${stop}`)];
}

/** Whether an issue says that this alternative was not meant: wrong type, or keys missing or unknown at its own level. */
function isAboutTheWhole(issue: Issue): boolean {
  const depth = pathOf(issue).length;
  if (depth === 0) return issue.code !== "too_small" && issue.code !== "too_big";
  // zod tells a missing key from a wrong one in its message only, unless it is asked to repeat the whole input.
  return depth === 1 && issue.code === "invalid_type" && issue.message.endsWith("received undefined");
}

function mapMismatch(
  value: Readonly<Record<string, unknown>>,
  options: readonly Schema[],
  path: Path,
  checked: Checked,
): Problem {
  const objects = options.filter((option) => option instanceof z.ZodObject);
  const choices = objects.flatMap(requiredKeys);
  const own = Object.keys(value);
  const chosen = own.filter((key) => choices.includes(key));
  if (objects.length > 1 && chosen.length > 1) {
    const message = `holds ${chosen.join(" and ")} at once; expected exactly one of ${choices.join(", ")}`;
    return at("wrong-value", path, checked, message, "write each as an item of its own");
  }
  const known = objects.flatMap((option) => (option instanceof z.ZodObject ? Object.keys(option.shape) : []));
  const odd = own.find((key) => !known.includes(key));
  if (odd !== undefined) {
    const message = `unknown key ${JSON.stringify(odd)}.${didYouMean(odd, known)}`;
    return at("unknown-key", [...path, odd], checked, message, `known keys here: ${known.join(", ")}`);
  }
  const rule = objects.length > 1 ? "exactly one of " : "";
  return at(
    "wrong-value",
    path,
    checked,
    `expected a map with ${rule}${choices.join(", ")}, got ${own.length === 0 ? "an empty map" : own.join(", ")}`,
  );
}

function alternativesAt(schema: Schema, path: Path): readonly Schema[] {
  return schemasAt(schema, path).map(bare);
}

function at(code: string, path: Path, checked: Checked, message: string, hint?: string): Problem {
  return problem(code, checked.where(path), message, hint);
}

function spelled(checked: Checked, keys: readonly string[]): string[] {
  return keys.map((key) => checked.spell?.(key) ?? key);
}

function pathOf(issue: Issue): (string | number)[] {
  return issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
}

/** The value at a path of plain data, own properties only; `undefined` where there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, part)) return undefined;
    current = Reflect.get(current, part);
  }
  return current;
}
