/** Beyond a day no server means what it says: a broken clock or a placeholder. */
const SENSIBLE_SECONDS = 86_400;

/**
 * Seconds that a server asks to wait, or null where it does not say so in a form that makes sense: then the caller backs
 * off by itself. Reads `retry-after-ms`, and `retry-after` as seconds (decimals too) or as an HTTP date held against
 * `nowMs` (ms since 1970). Junk, negative values and dates in the past are null, so that no wait is zero by accident.
 */
export function retryAfterSeconds(header: (name: string) => string | null, nowMs: number): number | null {
  const ms = numberOf(header("retry-after-ms"));
  if (ms !== null) return sensible(ms / 1000);
  const text = header("retry-after")?.trim() ?? "";
  const seconds = numberOf(text);
  if (seconds !== null) return sensible(seconds);
  const date = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : sensible((date - nowMs) / 1000);
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

function sensible(seconds: number): number | null {
  return seconds > 0 && seconds <= SENSIBLE_SECONDS ? seconds : null;
}

const IN_WORDS =
  /\b(?:try again|retry)(?: your request)? (?:in|after) (?:(\d+) ?h(?:ours?)?)? ?(?:(\d+) ?m(?:in(?:utes?)?)?(?!s))? ?(?:(\d+(?:\.\d+)?) ?(ms|milliseconds?|s|sec|seconds?)\b)?/i;

/** The same as servers say it in their error's words: "Please try again in 1m2.5s", "Please retry after 26 seconds". */
export function retryAfterInWords(said: string): number | null {
  const found = IN_WORDS.exec(said);
  if (found === null) return null;
  const [, hours = "0", minutes = "0", amount = "0", unit = "s"] = found;
  const seconds = unit.toLowerCase().startsWith("m") ? Number(amount) / 1000 : Number(amount);
  return sensible(Number(hours) * 3600 + Number(minutes) * 60 + seconds);
}
