/** The most that Excel and Google Sheets keep of a cell, in UTF-16 code units; Excel cuts the rest without a word. */
export const CELL_LIMIT = 32_767;

/**
 * What a spreadsheet takes for a formula: `=`, `+`, `-`, `@` and their full-width forms, also after blanks or
 * invisible characters that some programs trim; and a leading tab, carriage return or line feed.
 * See OWASP, "CSV Injection".
 */
export const FORMULA = "(?:[\\s\\u200B-\\u200F\\u2060\\uFEFF\\u0000-\\u001F]*[=+\\-@＝＋－＠]|[\\t\\r\\n])";
const TO_NEUTRALISE = new RegExp(`^'*${FORMULA}`);
const NEUTRALISED = new RegExp(`^'+${FORMULA}`);

/** Puts `'` before a text that a spreadsheet would run. One that has such quotes already gets one more, so that `restore` is exact. */
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
