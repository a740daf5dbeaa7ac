import { field, isObject, parseJson } from "../text/json.ts";

/** Which other format a results file has, in words; null for what may be evalkit's own. */
export function foreignFormat(text: string): string | null {
  const start = text.replace(/^\uFEFF/, "").trimStart();
  if (start.startsWith("PK\u0003\u0004")) return "a packed file (.eval, .xlsx or another zip)";
  if (start.startsWith("<")) return "XML or HTML";
  if (/^[A-Za-z_ "]+([,;\t][A-Za-z_ "]+)+\r?\n/.test(start)) return "a table (CSV)";
  if (start.startsWith("[")) return "one JSON array";
  const whole = start.startsWith("{") ? parseJson(start) : undefined;
  if (!isObject(whole) || Object.hasOwn(whole, "case")) return null;
  if (Object.hasOwn(whole, "evalId") || isObject(field(whole, "results"))) return "a result of promptfoo";
  if (isObject(field(whole, "eval")) && Object.hasOwn(whole, "status")) return "a log of Inspect AI";
  return "one JSON object";
}
