import type { ShownItem } from "./sheet.ts";

/** Words a minute that a person reads with care, seconds to decide on an item, words after which people skim. */
const WORDS_A_MINUTE = 200;
const SECONDS_TO_DECIDE = 30;
const WORDS_READ = 1200;

/** About how many minutes a rater needs for these items; a guess that is meant for planning. */
export function minutesFor(items: readonly ShownItem[]): number {
  const seconds = items.map(({ cells }) => {
    const words = cells.reduce((sum, cell) => sum + wordCount(cell), 0);
    return SECONDS_TO_DECIDE + (Math.min(words, WORDS_READ) / WORDS_A_MINUTE) * 60;
  });
  return Math.max(1, Math.round(seconds.reduce((sum, one) => sum + one, 0) / 60));
}

/** Words between blanks; in scripts without blanks, two characters count as one. */
function wordCount(text: string): number {
  const dense = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  return (
    (text.match(/[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu)?.length ?? 0) + dense / 2
  );
}
