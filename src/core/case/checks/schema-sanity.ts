import { regexProblem } from "../../match/regex.ts";
import { schemaProblem } from "../../match/schema.ts";
import type { Path } from "../../text/path.ts";
import { isObject } from "../../text/json.ts";
import { didYouMean } from "../../text/nearest.ts";

/** What is wrong inside a JSON Schema; `path` is relative to it. */
export interface SchemaFault {
  readonly path: Path;
  readonly message: string;
}

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];
const BY_NAME = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const SINGLE = ["items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"];

/** Faults that a validator passes over in silence and that make a schema accept or refuse everything. */
export function schemaFaults(schema: unknown): readonly SchemaFault[] {
  const faults = faultsAt(schema, []);
  if (faults.length > 0) return faults;
  const whole = schemaProblem(schema);
  return whole === null ? [] : [{ path: [], message: `the JSON Schema can't be used: ${whole}` }];
}

function faultsAt(schema: unknown, path: Path): SchemaFault[] {
  if (typeof schema === "boolean") return [];
  if (!isObject(schema)) return [{ path, message: "a JSON Schema is a map, true or false" }];
  return Object.entries(schema).flatMap(([key, value]) => keyFaults(key, value, [...path, key]));
}

function keyFaults(key: string, value: unknown, path: Path): SchemaFault[] {
  if (key === "type") return typeFaults(value, path);
  if (key === "required") return listFault(value, path, "required takes a list of key names", isText);
  if (key === "enum") return listFault(value, path, "enum takes a list of values", () => true);
  if (key === "pattern") return patternFaults(value, path);
  if (key === "$ref") return refFaults(value, path);
  if (BY_NAME.includes(key)) return namedFaults(key, value, path);
  if (LISTS.includes(key)) {
    if (!Array.isArray(value)) return [{ path, message: `${key} takes a list of schemas` }];
    return value.flatMap((inner, at) => faultsAt(inner, [...path, at]));
  }
  return SINGLE.includes(key) ? faultsAt(value, path) : [];
}

function typeFaults(value: unknown, path: Path): SchemaFault[] {
  const names = Array.isArray(value) ? value : [value];
  return names
    .filter((name) => typeof name !== "string" || !TYPES.includes(name))
    .map((name) => {
      const guess = typeof name === "string" ? didYouMean(name, TYPES) : "";
      return {
        path,
        message: `no JSON Schema type: ${JSON.stringify(name)}.${guess} Types are ${TYPES.join(", ")}`,
      };
    });
}

function patternFaults(value: unknown, path: Path): SchemaFault[] {
  const wrong = typeof value === "string" ? regexProblem(value) : "pattern takes a text";
  return wrong === null ? [] : [{ path, message: wrong }];
}

function refFaults(value: unknown, path: Path): SchemaFault[] {
  const local = typeof value === "string" && value.startsWith("#");
  return local ? [] : [{ path, message: "only references inside the schema itself (#/…) are followed" }];
}

function namedFaults(key: string, value: unknown, path: Path): SchemaFault[] {
  if (!isObject(value)) return [{ path, message: `${key} takes a map of schemas` }];
  return Object.entries(value).flatMap(([name, inner]) => faultsAt(inner, [...path, name]));
}

function listFault(
  value: unknown,
  path: Path,
  message: string,
  fits: (item: unknown) => boolean,
): SchemaFault[] {
  return Array.isArray(value) && value.every(fits) ? [] : [{ path, message }];
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
