import { deeperThan, parseJson } from "../text/json.ts";

const MAX_DEPTH = 50;

/**
 * The JSON value that a model's text holds: the whole text, the first code fence, or what stands between the first `{`
 * and the last `}`. Undefined where there is none.
 */
export function jsonIn(text: string): unknown {
  const fence = /```[a-zA-Z]*[ \t]*\n([\s\S]*?)```/.exec(text)?.[1];
  const braces = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  for (const part of [text, fence, braces]) {
    const value = part === undefined || part.trim() === "" ? undefined : parsed(part);
    if (value !== undefined) return value;
  }
  return undefined;
}

function parsed(text: string): unknown {
  const value = parseJson(text);
  return deeperThan(value, MAX_DEPTH) ? undefined : value;
}
