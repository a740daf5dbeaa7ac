import { RE2JS } from "re2js";
import { messageOf } from "../text/thrown.ts";

/** Longest pattern that is taken. */
const MAX_PATTERN = 1000;
/** Compiled patterns are kept: the same few are asked in every trial. */
const MAX_KEPT = 500;
const kept = new Map<string, RE2JS>();

/**
 * Compiles an RE2 pattern (linear time on any input). Throws with a reason for what is not RE2, such as lookaheads and
 * backreferences: patterns come from cases and from models, and a backtracking engine could be made to hang by them.
 */
export function compileRegex(pattern: string, ignoreCase = false): RE2JS {
  if (pattern.length > MAX_PATTERN) throw new Error(`pattern is longer than ${MAX_PATTERN} characters`);
  const key = `${ignoreCase ? "i" : "-"}${pattern}`;
  const found = kept.get(key);
  if (found !== undefined) return found;
  const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(key, compiled);
  return compiled;
}

/** Why a pattern can't be used, or null. */
export function regexProblem(pattern: string): string | null {
  try {
    compileRegex(pattern);
    return null;
  } catch (error) {
    const why = messageOf(error);
    return `not a regular expression in RE2 syntax (no lookaround, no backreferences): ${why}`;
  }
}

/** Whether the pattern is found anywhere in the text. A pattern that can't be compiled is found nowhere. */
export function regexFinds(pattern: string, text: string, ignoreCase = false): boolean {
  try {
    return compileRegex(pattern, ignoreCase).test(text);
  } catch {
    return false;
  }
}
