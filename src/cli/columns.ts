import { visible } from "../core/text/visible.ts";

/** Rows as aligned columns two blanks apart; the last column is cut to the width, so that no line wraps. */
export function columns(rows: readonly (readonly string[])[], width: number): string[] {
  const clean = rows.map((row) => row.map((cell) => visible(cell).replace(/[\t\n]/g, " ")));
  const widths: number[] = [];
  for (const row of clean) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, [...cell].length);
  }
  return clean.map((row) => {
    const cells = row.map((cell, at) =>
      at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - [...cell].length),
    );
    const line = [...cells.join("  ")];
    return line.length > width ? `${line.slice(0, width - 1).join("")}…` : line.join("").trimEnd();
  });
}
