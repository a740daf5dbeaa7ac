import { field, isObject, parseJson } from "../text/json.ts";

/** Marks that chat templates put around a call; seen in the text, they say that the server did not read it as one. */
const MARKS =
  /<tool_call>|<\|tool_call(?:s_begin)?\|?>|<\|tool▁calls?▁begin\|>|\[TOOL_CALLS\]|<\|python_tag\|>|<function=[\w.-]+>|<function_call>|<\|action_start\|>|<tools?_use>|<invoke name=|\bto=functions\.\w|(?:^|\n)Action: *[\w.-]+\s*\nAction Input:/;
const FENCE = /```(?:json|tool_call|tool_code|function)?[^\S\n]*\n([\s\S]*?)```/g;

/**
 * Whether a reply's text holds a tool call that the server left unread. Such a call is never executed: the note says
 * that the server, not the prompt, is at fault.
 */
export function hasCallInText(content: string): boolean {
  if (content.length === 0) return false;
  if (MARKS.test(content)) return true;
  const trimmed = content.trim();
  if (looksLikeCall(trimmed)) return true;
  for (const block of trimmed.matchAll(FENCE)) if (looksLikeCall((block[1] ?? "").trim())) return true;
  return false;
}

/** A JSON object (or list of them) with a name and an object of arguments, and nothing that is not of a call. */
function looksLikeCall(text: string): boolean {
  if (!/^[{[]/.test(text) || text.length > 20_000) return false;
  const value = parseJson(text);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  const inner = field(first, "function");
  const call = isObject(inner) ? inner : first;
  const args = field(call, "arguments") ?? field(call, "parameters");
  return typeof field(call, "name") === "string" && isObject(args);
}
