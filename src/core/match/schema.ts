import { type OutputUnit, Validator } from "@cfworker/json-schema";
import { messageOf } from "../text/thrown.ts";
import { namesIn, RE2_FORMAT, safeSchema, stepCounter } from "./safe-schema.ts";

/** Checks a value; gives what is wrong with it, at most three lines, empty if nothing is. */
export type SchemaCheck = (value: unknown) => readonly string[];

/**
 * Compiles a JSON Schema (draft 2020-12). Schema and value are both untrusted: patterns are matched by RE2 in linear time
 * instead of the engine's own backtracking, and the steps are counted. Throws when the schema can't be used at all.
 */
export function compileSchema(schema: unknown): SchemaCheck {
  const safe = safeSchema(schema);
  let step = stepCounter();
  const validatorFor = (names: readonly string[]) =>
    new Validator(
      safe.for(names, () => step()),
      "2020-12",
      false,
    );
  const always = safe.needsNames ? null : validatorFor([]);
  return (value) => {
    step = stepCounter();
    try {
      const names = safe.needsNames || safe.needsUnique ? namesIn(value, safe) : [];
      return messages((always ?? validatorFor(names)).validate(value).errors);
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

/** The faults at the leaves: `subschema is invalid` above them says nothing. */
function messages(errors: readonly OutputUnit[]): readonly string[] {
  const leaves = errors.filter(
    (error) => !/^(properties|patternProperties|items|prefixItems|allOf|\$ref)$/.test(error.keyword),
  );
  const lines = (leaves.length > 0 ? leaves : errors).map((error) => {
    const place = error.instanceLocation === "#" ? "" : `${error.instanceLocation.replace(/^#\//, "")}: `;
    return `${place}${error.error.replace(`format "${RE2_FORMAT}`, 'pattern "').replace(/\.$/, "")}`;
  });
  return [...new Set(lines)].slice(0, 3);
}
