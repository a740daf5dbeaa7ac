import { cut } from "../text/cut.ts";
import { type FoundObject, jsonObjects, timesKey } from "../text/json-objects.ts";

/** What a judge's reply says, or why it says nothing. */
export type ReadVerdict<Word extends string> =
  | { readonly word: Word; readonly reason: string }
  | { readonly word: null; readonly reason: string };

/** A judge may go on for as long as its server lets it; a verdict's reason stands in every report. */
const MAX_REASON = 2_000;
/** Finish reasons, as servers spell them, that say: there would have been more. */
const CUT_OFF = /^(?:length|max_?(?:output_)?tokens|content_filter|safety)$/i;
const THINKING = /<(think|thinking|thought)>[\s\S]*?(?:<\/\1>|$)/g;

/**
 * Reads a judge's reply: one JSON object with one of `words` as its `verdict`, alone or with a fence or prose around it.
 * Anything that can be read two ways is no verdict: objects, keys or prose that name different words, another word, a
 * reply that was cut off after the object. `finish` is the server's finish reason.
 */
export function readVerdict<Word extends string>(
  text: string,
  finish: string | null,
  words: readonly Word[],
): ReadVerdict<Word> {
  const whole = jsonObjects(text).find(({ source }) => source === text.trim());
  const spoken = whole === undefined ? text.replace(THINKING, "") : text;
  const objects = jsonObjects(spoken).filter(({ value }) => Object.hasOwn(value, "verdict"));
  const torn = finish !== null && CUT_OFF.test(finish);
  if (objects.length === 0) return none(text, torn ? "was cut off" : "is not a verdict");
  if (torn && whole === undefined) return none(text, "was cut off");
  if (objects.some(({ source }) => timesKey(source, "verdict") > 1)) return none(text, "gives two verdicts");
  const said = objects.map(({ value }) => words.find((word) => word === value.verdict));
  const [word] = said;
  if (word === undefined || said.includes(undefined)) return none(text, "is not a verdict");
  const others = words.filter((one) => one !== word);
  if (said.some((one) => one !== word) || names(around(spoken, objects), others)) {
    return none(text, "gives two verdicts");
  }
  const reason = objects.at(-1)?.value.reason;
  return { word, reason: typeof reason === "string" ? cut(reason, MAX_REASON) : "" };
}

function none(text: string, what: string): { word: null; reason: string } {
  return { word: null, reason: `the judge's reply ${what}: ${cut(text.trim() || "(empty)", 200)}` };
}

/** The text without its objects. */
function around(text: string, objects: readonly FoundObject[]): string {
  return objects.reduceRight(
    (rest, { start, source }) => `${rest.slice(0, start)} ${rest.slice(start + source.length)}`,
    text,
  );
}

/** Whether prose names one of the words as a verdict: in capitals, or after the word verdict. */
function names(prose: string, words: readonly string[]): boolean {
  const any = words.join("|");
  return (
    new RegExp(String.raw`\b(?:${any})\b`).test(prose) ||
    new RegExp(String.raw`\bverdict\b[^a-z\n]{0,10}(?:is\b[^a-z\n]{0,10})?(?:${any})\b`, "i").test(prose)
  );
}
