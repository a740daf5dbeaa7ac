/**
 * CSV in the page: writes what `csvText` writes and reads what a spreadsheet made of it. The pattern of unsafe texts comes with
 * the page's data, so that page and import can't differ. Plain JavaScript for browsers.
 */
export const CSV_SCRIPT = String.raw`
const dangerous = new RegExp("^'*" + data.unsafe, "iu");
const guarded = new RegExp("^'+" + data.unsafe, "iu");

function toField(text) {
  const cell = dangerous.test(text) ? "'" + text : text;
  return /[",;|\t\r\n]|^\s|\s$/.test(cell) ? '"' + cell.replaceAll('"', '""') + '"' : cell;
}

function toCsv(rows) {
  return "\uFEFF" + rows.map((row) => row.map(toField).join(",") + "\r\n").join("");
}

function decode(bytes) {
  const wide = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null;
  return new TextDecoder(wide || "utf-8").decode(bytes).replace(/^\uFEFF/, "").replace(/^"?sep=.?"?[^\r\n]*(\r\n|\r|\n)/i, "");
}

function separatorOf(text) {
  const line = text.split(/[\r\n]/, 1)[0];
  const found = (separator) => line.split(separator).filter((name) => data.columns.includes(columnName(name))).length;
  return [",", ";", "\t", "|"].sort((a, b) => found(b) - found(a))[0];
}

function columnName(text) {
  return text.replaceAll('"', "").normalize("NFKC").replace(/[\s_]+/g, " ").trim().toLowerCase();
}

function fromCsv(text) {
  const separator = separatorOf(text);
  const rows = [[]];
  let cell = "";
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') { cell += '"'; at += 1; }
      else quoted = false;
    } else if (sign === '"' && cell === "") quoted = true;
    else if (sign === separator) { rows[rows.length - 1].push(cell); cell = ""; }
    else if (sign === "\n" || sign === "\r") {
      if (sign === "\r" && text[at + 1] === "\n") at += 1;
      rows[rows.length - 1].push(cell);
      cell = "";
      rows.push([]);
    } else cell += sign;
  }
  rows[rows.length - 1].push(cell);
  const names = rows[0].map(columnName);
  return rows.slice(1).map((row) => ({
    ...Object.fromEntries(names.map((name, at) => [name, restore(row[at] || "")])),
    " extra": row.length - names.length,
  }));
}

function restore(cell) {
  return guarded.test(cell) ? cell.slice(1) : cell;
}
`;
