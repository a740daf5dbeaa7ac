/** Columns that a text takes on a terminal: two for East Asian wide signs and pictures, never too few. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const sign of text) columns += isWide(sign.codePointAt(0) ?? 0) ? 2 : 1;
  return columns;
}

/** Blocks that hold wide signs; whole blocks, since a column too many does no harm and one too few breaks the table. */
function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x231a && code <= 0x23ff) ||
    (code >= 0x25aa && code <= 0x27bf) ||
    (code >= 0x2900 && code <= 0x2bff) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xa960 && code <= 0xa97f) ||
    (code >= 0xac00 && code <= 0xd7ff) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe10 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xffef) ||
    code >= 0x16fe0
  );
}

/** The text in at most `width` columns, its middle left out: both ends of an id tell more than its start alone. */
export function cutMiddle(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  const signs = [...text];
  const room = Math.max(0, width - 1);
  const head = takeColumns(signs, Math.ceil(room / 2));
  const tail = takeColumns(signs.toReversed(), Math.floor(room / 2)).toReversed();
  return `${head.join("")}…${tail.join("")}`;
}

/** The text in at most `width` columns, its end left out. */
export function cutEnd(text: string, width: number): string {
  return columnsOf(text) <= width ? text : `${takeColumns([...text], Math.max(0, width - 1)).join("")}…`;
}

/** Lines of at most `width` columns, broken at blanks, and inside a word only where it is longer than a line. */
export function wrap(text: string, width: number, indent = ""): string[] {
  const lines: string[] = [];
  let line = "";
  const limit = (): number => Math.max(2, width - (lines.length === 0 ? 0 : columnsOf(indent)));
  const push = (): void => {
    lines.push(lines.length === 0 ? line : indent + line);
    line = "";
  };
  // A percent sign stays with its number.
  for (const word of text.split(/ (?!%)/)) {
    if (line !== "" && columnsOf(line) + 1 + columnsOf(word) > limit()) push();
    line = line === "" ? word : `${line} ${word}`;
    while (columnsOf(line) > limit()) {
      const head = takeColumns([...line], limit());
      const rest = line.slice(head.join("").length);
      line = head.join("");
      push();
      line = rest;
    }
  }
  if (line !== "" || lines.length === 0) push();
  return lines;
}

function takeColumns(signs: readonly string[], width: number): string[] {
  const taken: string[] = [];
  let columns = 0;
  for (const sign of signs) {
    columns += columnsOf(sign);
    if (columns > width) break;
    taken.push(sign);
  }
  return taken;
}
