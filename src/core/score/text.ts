import { regexFinds } from "../match/regex.ts";
import type { Evidence } from "../nouns/score.ts";
import { cut } from "../text/cut.ts";

/** What a text may be asked for; the shared part of answer, file and output checks. */
export interface TextRules {
  readonly equals?: string | undefined;
  readonly contains?: string | readonly string[] | undefined;
  readonly notContains?: string | readonly string[] | undefined;
  readonly regex?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
}

/** One piece of evidence for each rule and each text in it. `place` names the check, such as `completion[0].answer`. */
export function textEvidence(place: string, rules: TextRules, text: string): readonly Evidence[] {
  const fold = (value: string): string => (rules.ignoreCase === true ? value.toLowerCase() : value);
  const held = fold(text);
  const evidence: Evidence[] = [];
  const add = (rule: string, wanted: string, passed: boolean): void => {
    const check = `${place} ${rule} ${JSON.stringify(cut(wanted, 80))}`;
    evidence.push({ check, passed, detail: passed ? "" : seen(text) });
  };
  if (rules.equals !== undefined) add("equals", rules.equals, sameText(held, fold(rules.equals)));
  for (const one of listOf(rules.contains)) add("contains", one, held.includes(fold(one)));
  for (const one of listOf(rules.notContains)) add("does not contain", one, !held.includes(fold(one)));
  if (rules.regex !== undefined) {
    add("matches", rules.regex, regexFinds(rules.regex, text, rules.ignoreCase === true));
  }
  return evidence;
}

/** Equal but for blanks and line ends at either end: `echo ok` prints a line end that nobody writes into a case. */
export function sameText(a: string, b: string): boolean {
  return a.trim() === b.trim();
}

function seen(text: string): string {
  return text === "" ? "the text is empty" : `came: ${cut(text, 300)}`;
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}
