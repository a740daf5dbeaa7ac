/** A value that was quoted on the second pass. `line` counts from 1 within the header. */
export interface RepairedValue {
  readonly line: number;
  readonly key: string;
  readonly value: string;
}

/** `key: text`, maybe in a list and indented, whose text is plain: no quote, bracket, anchor or block sign in front. */
const PLAIN = /^((\s*(?:- +)*)([\w.$-]+):[ \t]+)([^\s"'[\]{}|>&*!%@`#].*)$/;
const MAX_REPAIRS = 20;

/**
 * Quotes plain values that hold `: ` (or end in `:`), which YAML takes for a nested map: `description: Plans trips.
 * Use for: day tours`. Only lines where the parser stumbled over exactly that are touched; line numbers stay the same.
 */
export function repairColons(
  header: string,
  firstError: (header: string) => { readonly line: number; readonly code: string } | null,
): { readonly text: string; readonly values: readonly RepairedValue[] } {
  const values: RepairedValue[] = [];
  let text = header;
  for (let round = 0; round < MAX_REPAIRS; round += 1) {
    const error = firstError(text);
    if (error === null) break;
    const fixed = error.code === "BLOCK_AS_IMPLICIT_KEY" ? quoteLine(text, error.line) : null;
    if (fixed === null) break;
    values.push(fixed.value);
    text = fixed.text;
  }
  return { text, values };
}

function quoteLine(header: string, line: number): { text: string; value: RepairedValue } | null {
  const lines = header.split("\n");
  const found = PLAIN.exec(lines[line - 1] ?? "");
  if (found === null) return null;
  const [, head = "", indent = "", key = "", first = ""] = found;
  let end = line;
  while (end < lines.length && continues(lines[end] ?? "", indent.length)) end += 1;
  const rest = lines.slice(line, end);
  // A comment ends a plain line in YAML, here as everywhere.
  const value = [first, ...rest].map((part) => part.replace(/\s+#.*$/, "").trim()).join(" ");
  if (!/:(?:\s|$)/.test(value)) return null;
  lines.splice(line - 1, end - line + 1, `${head}${JSON.stringify(value)}`, ...rest.map(() => ""));
  return { text: lines.join("\n"), value: { line, key, value } };
}

/** A line further in than its key goes on with the value. */
function continues(line: string, indent: number): boolean {
  return line.trim() !== "" && line.search(/\S/) > indent;
}
