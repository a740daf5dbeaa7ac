import { type Problem, problem } from "../nouns/problem.ts";

/** Files by how they begin: what people take for the CSV file, and what to do instead. */
const STARTS: readonly (readonly [RegExp, string, string])[] = [
  [/^PK\x03\x04/, "a workbook (.xlsx, .ods, .numbers)", "open it and save the sheet as CSV (UTF-8)"],
  [/^\xD0\xCF\x11\xE0/, "an old workbook (.xls)", "open it and save the sheet as CSV (UTF-8)"],
  [/^%PDF/, "a PDF", "give the CSV file that the rater filled in"],
  [/^\x1F\x8B/, "a packed file", "unpack it first"],
  [
    /^\s*<(?:!doctype|html|\?xml)/i,
    "a web page or XML",
    "open it in a browser and use its button to save the CSV file",
  ],
  [/^\s*\{\s*"/, "JSON", "the key goes to --key; the CSV file that the rater filled in goes here"],
];

/** Why a file is no CSV file, told by its first bytes; null where it may be one. */
export function foreignFile(file: string, bytes: Uint8Array): Problem | null {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 100)).replace(/^\xEF\xBB\xBF/, "");
  const found = STARTS.find(([pattern]) => pattern.test(start));
  return found === undefined
    ? null
    : problem("not-csv", { file }, `this is ${found[1]}, not a CSV file`, found[2]);
}

/** A NUL byte is in no text that a spreadsheet saves: the file is damaged or none of ours. */
export function nulProblem(file: string, text: string): Problem | null {
  const at = text.indexOf("\0");
  if (at < 0) return null;
  const line = text.slice(0, at).split(/\r\n|\r|\n/).length;
  return problem(
    "not-csv",
    { file, line },
    "the file holds a NUL byte: it is damaged, or no CSV file",
    "save it again from the spreadsheet as CSV (UTF-8)",
  );
}
