import { deeperThan, isObject, parseJson } from "./json.ts";

const MAX_DEPTH = 50;
const STRING = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
const KEYS = new RegExp(String.raw`${STRING}(?:\s*:)?|[{}[\]]`, "gs");

/** A JSON object that stands in a text, and where. */
export interface FoundObject {
  readonly value: Readonly<Record<string, unknown>>;
  readonly source: string;
  readonly start: number;
}

/**
 * The JSON objects of a text, in order; those inside others are not told apart. What stands between braces that are no
 * object is not searched: an object there may be a quotation within one that is broken.
 */
export function jsonObjects(text: string): readonly FoundObject[] {
  const found: FoundObject[] = [];
  let end = 0;
  for (let start = text.indexOf("{"); start >= 0; start = text.indexOf("{", end)) {
    end = endOf(text, start);
    const source = text.slice(start, end);
    const value = parseJson(source);
    if (isObject(value) && !deeperThan(value, MAX_DEPTH)) found.push({ value, source, start });
  }
  return found;
}

/** How often a JSON object has a key itself: a parser keeps the last of two and says nothing. */
export function timesKey(source: string, key: string): number {
  let depth = 0;
  let times = 0;
  for (const [token = ""] of source.matchAll(KEYS)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (depth === 1 && token.endsWith(":") && parseJson(token.slice(0, -1)) === key) times += 1;
  }
  return times;
}

/** The end of the brackets that open at `start`, brackets in strings not counted; the text's end where they don't close. */
function endOf(text: string, start: number): number {
  const tokens = new RegExp(`${STRING}|[{}]`, "gs");
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    depth += token[0] === "{" ? 1 : token[0] === "}" ? -1 : 0;
    if (depth === 0) return tokens.lastIndex;
  }
  return text.length;
}
