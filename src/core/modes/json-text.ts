import { jsonObjects, timesKey } from "../text/json-objects.ts";
import { deeperThan, parseJson } from "../text/json.ts";

const MAX_DEPTH = 50;

/**
 * What a model's text says as a JSON object with `key`: the whole text, or the one such object between its words, in a
 * fence or not. Braces in the words are passed over. Undefined where there is none, or where two say different things: a
 * quoted example must not be taken for the answer. A text that is JSON of another form is given as it is, for its fault
 * to be told.
 */
export function jsonIn(text: string, key: string): unknown {
  const whole = parsed(text);
  const found = jsonObjects(text);
  if (found.some(({ source, value }) => Object.hasOwn(value, key) && timesKey(source, key) > 1))
    return undefined;
  if (whole !== undefined) return whole;
  const said = found.filter(({ value }) => Object.hasOwn(value, key)).map(({ value }) => value);
  if (new Set(said.map((value) => JSON.stringify(value))).size > 1) return undefined;
  return said[0] ?? (found.length === 1 ? found[0]?.value : undefined);
}

function parsed(text: string): unknown {
  const value = parseJson(text);
  return deeperThan(value, MAX_DEPTH) ? undefined : value;
}
