import type { Case } from "../nouns/case.ts";
import { type Problem, warning } from "../nouns/problem.ts";

/** Words in a row that case and text under test have in common. */
export interface SharedRun {
  /** Name of the text, such as a layer's or skill's file. */
  readonly name: string;
  readonly words: number;
  /** The run as it stands in the case, in lower case, blanks between words. */
  readonly text: string;
}

/** Bounds for texts that repeat a few words over and over. */
const MAX_STARTS = 20;
const MAX_WORDS = 10_000;
/** From this many words on, a common run is no accident. */
const LONG = 8;

/**
 * The longest run of at least `least` words that a case shares with each text. A case that tells the agent what the
 * skill teaches helps the arm without the skill, so the difference shrinks.
 */
export function sharedRuns(caseText: string, texts: ReadonlyMap<string, string>, least = LONG): SharedRun[] {
  const words = wordsOf(caseText);
  if (words.length < least) return [];
  const starts = new Map<string, number[]>();
  for (let at = 0; at + least <= words.length; at += 1) {
    const key = words.slice(at, at + least).join(" ");
    const known = starts.get(key);
    if (known === undefined) starts.set(key, [at]);
    else if (known.length < MAX_STARTS) known.push(at);
  }
  return [...texts].flatMap(([name, text]) => {
    const run = longestRun(words, wordsOf(text), starts, least);
    return run === null ? [] : [{ name, words: run.length, text: run.join(" ") }];
  });
}

function longestRun(
  words: readonly string[],
  other: readonly string[],
  starts: ReadonlyMap<string, readonly number[]>,
  least: number,
): readonly string[] | null {
  let best: readonly string[] | null = null;
  for (let at = 0; at + least <= other.length; at += 1) {
    for (const start of starts.get(other.slice(at, at + least).join(" ")) ?? []) {
      // Inside a run that began earlier: it was measured from there.
      if (start > 0 && at > 0 && words[start - 1] === other[at - 1]) continue;
      let length = least;
      while (start + length < words.length && words[start + length] === other[at + length]) length += 1;
      if (best === null || length > best.length) best = words.slice(start, start + length);
    }
  }
  return best;
}

function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.slice(0, MAX_WORDS) ?? []
  );
}

/** A warning for each text under test that a case quotes in what the user says or in its context and handoff. */
export function leakWarnings(one: Case, texts: ReadonlyMap<string, string>): Problem[] {
  const said = [one.context, one.handoff, ...one.turns.map(({ user }) => user)].join("\n\u0000\n");
  const { file, line } = one.source;
  return sharedRuns(said, texts).map(({ name, words, text }) =>
    warning(
      "case-quotes-prompt",
      { file, line },
      `case ${one.id} shares ${words} words in a row with ${name}: "${text.slice(0, 120)}"`,
      "an agent without that text is told what it says, so the difference shrinks; say it in other words",
    ),
  );
}
