import { type Problem, problem, type Where, warning } from "../nouns/problem.ts";
import { TEXT_COLUMNS } from "./columns.ts";
import { kindOf, type SheetKey } from "./key.ts";
import { cellsDigest } from "./sheet.ts";
import { itemOf, type SheetRow } from "./table.ts";

/** What is wrong with the texts of a row; null where nothing is, or nothing can be told. */
export type TextCheck = (row: SheetRow, where: Where) => Problem | null;

/**
 * Do the texts of a row belong to its item? Sorting some columns of a sheet without the others puts every score on
 * the wrong output, and a lost or added separator moves the scores; nothing else would ever show it.
 */
export function textCheck(rows: readonly SheetRow[], key: SheetKey): TextCheck {
  const columns = TEXT_COLUMNS[kindOf(key)];
  const owners = digestOwners(key);
  const digests = new Map(
    rows.flatMap((row) => {
      const known = Object.hasOwn(key.items, itemOf(row)) ? key.items[itemOf(row)]?.digest : undefined;
      if (known === undefined || !columns.every((column) => row.cells.has(column))) return [];
      return [
        [row, { known, came: cellsDigest(columns.map((column) => row.cells.get(column) ?? "")) }] as const,
      ];
    }),
  );
  const changed = [...digests.values()].filter(({ known, came }) => known !== came).length;
  // An old code page changes nearly all texts, and Excel leaves empty cells at the end out: neither tells of a shift then.
  const everywhere = changed * 2 > digests.size;
  return (row, where) => {
    const digest = digests.get(row);
    const there = columns.filter((column) => row.cells.has(column)).length;
    const halfThere = there > 0 && there < columns.length;
    // The header itself may be damaged; a column that was taken out of the sheet leaves rows as long as it.
    if (digest === undefined && halfThere && row.length !== row.columns) return shifted(where, row);
    if (digest === undefined || digest.known === digest.came) return null;
    const owner = owners.get(digest.came)?.[0];
    if (owner !== undefined) return mixed(where, itemOf(row), owner);
    if (row.length !== row.columns && !everywhere) return shifted(where, row);
    const message = `the texts of item ${itemOf(row)} are not those that were exported`;
    return warning("texts-changed", where, message);
  };
}

/** Items by the digest of their texts: two arms may well have given the same output. */
function digestOwners(key: SheetKey): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, string[]>();
  for (const [id, { digest }] of Object.entries(key.items)) {
    if (digest !== undefined) owners.set(digest, [...(owners.get(digest) ?? []), id]);
  }
  return owners;
}

function mixed(where: Where, id: string, owner: string): Problem {
  const message = `the texts in this row are those of item ${owner}, but the row is named ${id}: some columns were sorted without the others`;
  return problem("rows-mixed", where, message, "undo the sorting, or sort the whole sheet");
}

function shifted(where: Where, row: SheetRow): Problem {
  const message = `the row of item ${itemOf(row)} has ${row.length} cells, the header ${row.columns}, and its texts or their columns are not those that were exported: its scores may stand in the wrong columns`;
  return problem("row-shifted", where, message, "save the sheet again from the spreadsheet");
}

/** Many rows with changed texts are one warning: a spreadsheet that did it once did it everywhere. */
export function gathered(problems: readonly Problem[]): Problem[] {
  const changed = problems.filter((one) => one.code === "texts-changed");
  const [first] = changed;
  if (first === undefined || changed.length === 1) return [...problems];
  const rest = problems.filter((one) => one.code !== "texts-changed");
  const message = `the texts of ${changed.length} items are not those that were exported, this row's first`;
  return [...rest, { ...first, message }];
}
