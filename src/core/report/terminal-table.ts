import Table from "cli-table3";
import { columnsOf } from "./width.ts";

/** Nothing but two blanks between columns: what is left of a frame would only take room. */
const NO_FRAME = {
  ...{ top: "", "top-mid": "", "top-left": "", "top-right": "" },
  ...{ bottom: "", "bottom-mid": "", "bottom-left": "", "bottom-right": "" },
  ...{ left: "", "left-mid": "", mid: "", "mid-mid": "", right: "", "right-mid": "", middle: "  " },
};

/** Rows of equal length, the first being the heading; numbers to the right. Plain lines, without colours. */
export function tableLines(rows: readonly (readonly string[])[], right: ReadonlySet<number>): string[] {
  const [head = [], ...body] = rows;
  const widths = head.map((_, at) => Math.max(...rows.map((row) => columnsOf(row[at] ?? ""))));
  const table = new Table({
    chars: NO_FRAME,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    colWidths: widths,
    colAligns: head.map((_, at) => (right.has(at) ? "right" : "left")),
  });
  table.push(
    [...head],
    widths.map((width) => "─".repeat(width)),
    ...body.map((row) => [...row]),
  );
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd());
}
