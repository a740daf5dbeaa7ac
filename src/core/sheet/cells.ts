/** The most that Excel and Google Sheets keep of a cell, in UTF-16 code units; Excel cuts the rest without a word. */
export const CELL_LIMIT = 32_767;

/**
 * What a spreadsheet takes for a formula: `=`, `+`, `-`, `@` and their full-width forms, also after blanks or
 * invisible characters that some programs trim; and a leading tab, carriage return or line feed.
 * See OWASP, "CSV Injection".
 */
const FORMULA = "[\\s\\u200B-\\u200F\\u2060\\uFEFF\\u0000-\\u001F]*[=+\\-@＝＋－＠]|[\\t\\r\\n]";

/**
 * What a spreadsheet shows as another text than was written: `0012`, `1/2`, `10:30`, `1e5`, `3 Mar`, `5 pm` become
 * numbers, dates and times, and a rater would judge an answer that nobody gave. A plain whole number is shown as it is,
 * and must stay one, since scores are.
 */
const NUMERIC = [
  "(?!(?:0|[1-9]\\d{0,10})$)[^\\p{L}\\r\\n]{0,40}\\d[^\\p{L}\\r\\n]{0,40}$",
  "\\d[\\d.,]{0,20}e[+-]?\\d{1,4}$",
  "(?=[^\\r\\n]*\\d)(?:\\d{1,4}[ .,/-]*)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[ .,/-]*(?:\\d{1,4}[ ,]*){0,2}$",
  "\\d[\\d:. ]{0,12}[ap]\\.?m\\.?$",
].join("|");

/** Source of the pattern (flags `iu`) of texts that may not stand bare in a cell; the HTML sheet uses it too. */
export const UNSAFE = `(?:${FORMULA}|${NUMERIC})`;
const TO_NEUTRALISE = new RegExp(`^'*${UNSAFE}`, "iu");
const NEUTRALISED = new RegExp(`^'+${UNSAFE}`, "iu");

/**
 * Puts `'` before a text that a spreadsheet would run, or show as another. One that has such quotes already gets one
 * more, so that `restore` is exact.
 */
export function neutralise(text: string): string {
  return TO_NEUTRALISE.test(text) ? `'${text}` : text;
}

/** Undoes `neutralise` for every text. */
export function restore(cell: string): string {
  return NEUTRALISED.test(cell) ? cell.slice(1) : cell;
}

/** A text as a cell holds it: cut at whole characters to what a spreadsheet keeps, with a note of what is missing. */
export function bounded(text: string, limit = CELL_LIMIT - 1): string {
  if (text.length <= limit) return text;
  const note = `\n[cut here: the text has ${text.length} characters in all, more than a spreadsheet cell holds]`;
  const end = limit - note.length;
  const splits = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return text.slice(0, splits ? end - 1 : end) + note;
}

/** One CSV field after RFC 4180, quoted where it must be. */
export function csvField(cell: string): string {
  return /[",;|\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * A CSV file as Excel, LibreOffice and Google Sheets open it: UTF-8 with BOM (without one Excel takes it for the
 * machine's old code page), commas, CRLF, formulas neutralised.
 */
export function csvText(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => row.map((cell) => csvField(neutralise(cell))).join(","));
  return `\uFEFF${lines.join("\r\n")}\r\n`;
}
