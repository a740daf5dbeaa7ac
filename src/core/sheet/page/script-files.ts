import { CSV_SCRIPT } from "./script-csv.ts";

/** Files that the page writes and loads. Plain JavaScript for browsers. */
export const FILES_SCRIPT = String.raw`
${CSV_SCRIPT}
function exportCsv() {
  const rows = data.items.map(({ item, cells }) =>
    [item, ...cells, ...data.fields.map((field) => valueOf(item, field.name)), valueOf(item, "note")]);
  const name = "sheet-" + data.rater + ".csv";
  const url = URL.createObjectURL(new Blob([toCsv([data.columns, ...rows])], { type: "text/csv;charset=utf-8" }));
  const link = make("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
  unsaved = false;
  const open = data.items.length - doneCount();
  say("Saved as " + name + (open === 0 ? ". Hand it back." : ", with " + open + " items still open."));
}

function valueFrom(field, text) {
  const value = (text || "").normalize("NFKC").trim().toLowerCase().replace(/^'/, "").replace(/^(\d+)[.,]0+$/, "$1");
  return value === "" || field.choices.some((choice) => choice.value === value) ? value : null;
}

// A separator too many or too few moves scores to other columns.
function isMoved(row, cells) {
  if (row[" extra"] === 0) return false;
  const bare = (text) => text.replace(/[\s'"\u2018\u2019\u201C\u201D]+/g, "");
  return row[" extra"] > 0 || cells.some((cell, at) => {
    const came = row[data.columns[at + 1]];
    return came !== undefined && bare(came) !== bare(cell);
  });
}

async function loadCsv(file) {
  const rows = fromCsv(decode(new Uint8Array(await file.arrayBuffer())));
  const changes = [];
  let own = 0;
  let foreign = 0;
  let unread = 0;
  let moved = 0;
  for (const row of rows) {
    const item = (row.item || "").trim().toLowerCase();
    if (!known.has(item)) { if (item !== "") foreign += 1; continue; }
    own += 1;
    if (isMoved(row, known.get(item).cells)) { moved += 1; continue; }
    for (const field of data.fields) {
      const value = valueFrom(field, row[field.name]);
      if (value === null) unread += 1;
      else if (value !== "" && value !== valueOf(item, field.name)) changes.push({ item, field: field.name, value });
    }
    if (row.note && row.note !== valueOf(item, "note")) changes.push({ item, field: "note", value: row.note });
  }
  if (own === 0) return warn("Nothing was loaded: " + file.name + " holds no item of this sheet. Choose the CSV file that this page or the CSV sheet of the same name gave you.");
  warn("");
  put(changes, true);
  shownItem = null;
  show();
  const notes = [
    ...(unread > 0 ? [unread + " scores could not be read and are left open"] : []),
    ...(moved > 0 ? [moved + " rows have cells too many or too few and are left out"] : []),
    ...(foreign > 0 ? [foreign + " rows are of another sheet"] : []),
  ];
  say("Loaded " + changes.length + " entries from " + file.name + ". " + notes.map((note) => note + ". ").join("") + "u takes them back.");
}
`;
