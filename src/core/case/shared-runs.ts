import type { Case } from "../nouns/case.ts";
import { type Problem, warning } from "../nouns/problem.ts";
import { cut } from "../text/cut.ts";
import type { Variant } from "../nouns/variant.ts";

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

/** The runs of `LONG` words of every text and where they stand; made once for all cases of a suite. */
interface RunIndex {
  readonly texts: readonly { readonly name: string; readonly words: readonly string[] }[];
  readonly starts: ReadonlyMap<string, readonly { readonly text: number; readonly at: number }[]>;
}
const indexes = new WeakMap<ReadonlyMap<string, string>, RunIndex>();

/**
 * The longest run of at least eight words that a case shares with each text. A case that tells the agent what the skill
 * teaches helps the arm without the skill, so the difference shrinks.
 */
export function sharedRuns(caseText: string, texts: ReadonlyMap<string, string>): SharedRun[] {
  const words = wordsOf(caseText);
  if (words.length < LONG) return [];
  const index = indexOf(texts);
  const best = new Map<number, readonly string[]>();
  for (let at = 0; at + LONG <= words.length; at += 1) {
    for (const start of index.starts.get(words.slice(at, at + LONG).join(" ")) ?? []) {
      const other = index.texts[start.text]?.words ?? [];
      // Inside a run that began earlier: it was measured from there.
      if (at > 0 && start.at > 0 && words[at - 1] === other[start.at - 1]) continue;
      let length = LONG;
      while (at + length < words.length && words[at + length] === other[start.at + length]) length += 1;
      if (length > (best.get(start.text)?.length ?? 0)) best.set(start.text, words.slice(at, at + length));
    }
  }
  return [...best]
    .sort(([a], [b]) => a - b)
    .map(([text, run]) => ({ name: index.texts[text]?.name ?? "", words: run.length, text: run.join(" ") }));
}

function indexOf(texts: ReadonlyMap<string, string>): RunIndex {
  const known = indexes.get(texts);
  if (known !== undefined) return known;
  const starts = new Map<string, { text: number; at: number }[]>();
  const split = [...texts].map(([name, text]) => ({ name, words: wordsOf(text) }));
  split.forEach(({ words }, text) => {
    for (let at = 0; at + LONG <= words.length; at += 1) {
      const key = words.slice(at, at + LONG).join(" ");
      const there = starts.get(key);
      if (there === undefined) starts.set(key, [{ text, at }]);
      else if (there.length < MAX_STARTS) there.push({ text, at });
    }
  });
  const made = { texts: split, starts };
  indexes.set(texts, made);
  return made;
}

/** Scripts that put no blanks between words: a whole sentence would be one word. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

function wordsOf(text: string): string[] {
  const found =
    text
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu)
      ?.slice(0, MAX_WORDS) ?? [];
  return found
    .flatMap((word) =>
      UNSPACED.test(word) ? [...segmenter.segment(word)].map(({ segment }) => segment) : [word],
    )
    .slice(0, MAX_WORDS);
}

/** The texts under test by file: layers and skill bodies of the versions. */
export function textsUnderTest(
  variants: readonly Pick<Variant, "layers" | "skills">[],
): ReadonlyMap<string, string> {
  return new Map(
    variants.flatMap(({ layers, skills }) => [
      ...layers.map(({ file, text }): [string, string] => [file, text]),
      ...skills.map(({ file, body }): [string, string] => [file, body]),
    ]),
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
      `case ${one.id} shares ${words} words in a row with ${name}: "${cut(text, 120)}"`,
      "an agent without that text is told what it says, so the difference shrinks; say it in other words",
    ),
  );
}
