import { format, type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { regexFinds } from "./regex.ts";
import { isObject, field } from "../text/json.ts";
import { messageOf } from "../text/thrown.ts";

/** Checks a value; gives what is wrong with it, at most three lines, empty if nothing is. */
export type SchemaCheck = (value: unknown) => readonly string[];

/** Keywords whose values are schemas by name, a list of schemas, or one schema: the places where `pattern` may stand. */
const BY_NAME = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const SINGLE = [
  "items",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "contains",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
];
const RE2_FORMAT = "evalkit-re2:";

/**
 * Compiles a JSON Schema (draft 2020-12). `pattern` is matched by RE2 in linear time instead of the engine's own
 * backtracking, because both pattern and text are untrusted. Throws when the schema can't be used at all.
 */
export function compileSchema(schema: unknown): SchemaCheck {
  const given = safeSchema(schema);
  const validator = new Validator(typeof given === "boolean" ? given : { ...given }, "2020-12", false);
  return (value) => {
    try {
      return messages(validator.validate(value).errors);
    } catch (error) {
      // Unresolvable or endless references show only now; `validate` of cases tries each schema once beforehand.
      return [`the schema can't be applied: ${messageOf(error)}`];
    }
  };
}

/** Why a schema can't be used, or null. */
export function schemaProblem(schema: unknown): string | null {
  try {
    return compileSchema(schema)({}).find((line) => line.startsWith("the schema can't be applied")) ?? null;
  } catch (error) {
    return messageOf(error);
  }
}

function safeSchema(schema: unknown): Schema | boolean {
  if (typeof schema === "boolean") return schema;
  if (!isObject(schema)) throw new Error("a JSON Schema is an object or a boolean");
  const copy: Schema = { ...schema };
  for (const key of BY_NAME) {
    const inner = field(schema, key);
    if (isObject(inner)) {
      copy[key] = Object.fromEntries(Object.entries(inner).map(([name, value]) => [name, safeSchema(value)]));
    }
  }
  for (const key of LISTS) {
    const inner = field(schema, key);
    if (Array.isArray(inner)) copy[key] = inner.map(safeSchema);
  }
  for (const key of SINGLE) {
    const inner = field(schema, key);
    if (inner !== undefined && !Array.isArray(inner)) copy[key] = safeSchema(inner);
  }
  return withLinearPattern(copy);
}

/** Moves `pattern` into a format of its field, which the validator looks up by name. */
function withLinearPattern(schema: Schema): Schema {
  const { pattern, ...rest } = schema;
  if (typeof pattern !== "string") return schema;
  const name = `${RE2_FORMAT}${pattern}`;
  format[name] = (text: string) => regexFinds(pattern, text);
  return { ...rest, allOf: [...(rest.allOf ?? []), { format: name }] };
}

/** The faults at the leaves: `subschema is invalid` above them says nothing. */
function messages(errors: readonly OutputUnit[]): readonly string[] {
  const leaves = errors.filter(
    (error) => !/^(properties|items|prefixItems|allOf|\$ref)$/.test(error.keyword),
  );
  const lines = (leaves.length > 0 ? leaves : errors).map((error) => {
    const place = error.instanceLocation === "#" ? "" : `${error.instanceLocation.replace(/^#\//, "")}: `;
    return `${place}${error.error.replace(`format "${RE2_FORMAT}`, 'pattern "').replace(/\.$/, "")}`;
  });
  return [...new Set(lines)].slice(0, 3);
}
