import * as z from "zod";
import type { Path } from "./path.ts";

type Schema = z.core.$ZodType;

/** The schema without its defaults, optionals, nullables and pipes: what a person has to write. */
export function bare(schema: Schema): Schema {
  let at = schema;
  for (;;) {
    if (at instanceof z.ZodDefault || at instanceof z.ZodPrefault || at instanceof z.ZodOptional)
      at = at.unwrap();
    else if (at instanceof z.ZodNullable) at = at.unwrap();
    else if (at instanceof z.ZodPipe) at = at.in;
    else return at;
  }
}

/** Keys that a map may hold at a path of a schema; unions give the keys of all their alternatives. */
export function knownKeys(schema: Schema, path: Path): readonly string[] {
  const keys = new Set<string>();
  for (const found of schemasAt(schema, path)) {
    if (found instanceof z.ZodObject) for (const key of Object.keys(found.shape)) keys.add(key);
  }
  return [...keys];
}

/** Every alternative that a schema has at a path, wrappers taken off. */
export function schemasAt(schema: Schema, path: Path): readonly Schema[] {
  let level = alternatives(schema);
  for (const part of path) level = level.flatMap((one) => inside(one, part)).flatMap(alternatives);
  return level;
}

function alternatives(schema: Schema): readonly Schema[] {
  const at = bare(schema);
  return at instanceof z.ZodUnion ? at.options.flatMap(alternatives) : [at];
}

function inside(schema: Schema, part: string | number): readonly Schema[] {
  if (schema instanceof z.ZodObject) {
    const found: Schema | undefined = schema.shape[part];
    return found === undefined ? [] : [found];
  }
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodTuple) {
    const found = schema.def.items[Number(part)];
    return found === undefined ? [] : [found];
  }
  return [];
}

/** What a schema wants, in words: `a text`, `a list`, `one of all, none`, `a map with the key answer`. */
export function wanted(schema: Schema): string {
  const at = bare(schema);
  if (at instanceof z.ZodEnum) return `one of ${at.options.join(", ")}`;
  if (at instanceof z.ZodObject) {
    const keys = requiredKeys(at);
    return keys.length === 0 ? "a map" : `a map with ${keys.join(", ")}`;
  }
  if (at instanceof z.ZodUnion) return at.options.map(wanted).join(" or ");
  return typeWords(at._zod.def.type);
}

/** Keys of an object schema that can't be left out. */
export function requiredKeys(schema: Schema): readonly string[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const shape: Readonly<Record<string, Schema>> = schema.shape;
  return Object.keys(shape).filter((key) => !z.safeParse(shape[key] ?? z.never(), undefined).success);
}

/** zod's word for a type as a person would say it. */
export function typeWords(type: string): string {
  const words: Readonly<Record<string, string>> = {
    string: "a text",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    array: "a list",
    tuple: "a list",
    object: "a map",
    record: "a map",
    null: "nothing",
  };
  return words[type] ?? type;
}

/** What came, in words that can stand after "got". */
export function gotWords(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "string")
    return `the text ${JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)}`;
  return typeof value === "number" ? `the number ${value}` : String(value);
}
