import { compileSchema, type SchemaCheck } from "../match/schema.ts";
import type { AnswerCheck } from "../nouns/case.ts";
import type { Evidence } from "../nouns/score.ts";
import { textEvidence } from "./text.ts";
import { deeperThan, parseJson } from "../text/json.ts";

const EMPTY = "the answer is empty, and an empty answer does not satisfy a check, negative ones included";
const compiled = new WeakMap<object, SchemaCheck>();

/** Evidence of a check of the final answer; `note` is added to what failed. */
export function answerEvidence(
  place: string,
  check: AnswerCheck,
  answer: string,
  note: string | null,
): readonly Evidence[] {
  const evidence = [...textEvidence(place, check, answer), ...schemaEvidence(place, check, answer)];
  const judged =
    answer.trim() === "" ? evidence.map((one) => ({ ...one, passed: false, detail: EMPTY })) : evidence;
  return note === null
    ? judged
    : judged.map((one) => (one.passed ? one : { ...one, detail: `${one.detail}\n${note}` }));
}

function schemaEvidence(place: string, check: AnswerCheck, answer: string): readonly Evidence[] {
  if (check.jsonSchema === undefined) return [];
  const name = `${place} fits jsonSchema`;
  const value = jsonOf(answer);
  if (value === undefined) return [{ check: name, passed: false, detail: "the answer is not JSON" }];
  const faults = schemaOf(check.jsonSchema)(value);
  return [{ check: name, passed: faults.length === 0, detail: faults.join("; ") }];
}

/** The answer as JSON: bare, or the only thing inside one code fence. */
function jsonOf(answer: string): unknown {
  const fenced = /^```[a-zA-Z]*\n([\s\S]*?)\n?```$/.exec(answer.trim());
  const value = parseJson(fenced?.[1] ?? answer);
  return deeperThan(value, 100) ? undefined : value;
}

function schemaOf(schema: Readonly<Record<string, unknown>>): SchemaCheck {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const made = compileSchema(schema);
  compiled.set(schema, made);
  return made;
}
