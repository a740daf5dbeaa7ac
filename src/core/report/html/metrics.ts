import { isShare, metricName } from "../../compare/metric-kind.ts";
import type { Comparison, Verdict } from "../../nouns/summary.ts";
import { intervalLevel } from "../../sequential/level.ts";
import { levelText } from "../../text/figures.ts";
import type { ReportInput } from "../input.ts";
import { footnotes, type MetricRow, metricRows } from "../rows.ts";
import { judgeWords } from "../shared.ts";
import { h, type Html } from "./markup.ts";
import type { Section } from "./section.ts";

const TONES: Readonly<Record<Verdict, string>> = {
  better: "good",
  worse: "bad",
  same: "plain",
  unsure: "doubt",
};

/** One row a metric with its interval drawn, and the notes that belong to the figures. */
export function metricSection({ record, summary }: ReportInput): Section {
  const rows = metricRows(summary);
  const { notes, marksOf } = footnotes(rows);
  const paired = summary.arms.baseline !== null && summary.arms.candidate !== null;
  const level = levelText(intervalLevel(record, summary));
  const headings = paired
    ? ["metric", "baseline", "candidate", `difference (${level} interval)`, "against no change", "verdict"]
    : ["metric", "baseline", "candidate"];
  const body = rows.map((row) => {
    const comparison = summary.comparisons.find((one) => metricName(one.metric) === row.name);
    return metricRow(row, marksOf(row), paired, comparison, record.policy.margin);
  });
  const table = h(
    "table",
    { class: "stack" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        headings.map((name, at) => h("th", { class: numeric(at) }, name)),
      ),
    ),
    h("tbody", {}, body),
  );
  const marked = notes.map((note, at) => h("li", { value: at + 1 }, note));
  const explained = notes.length === 0 ? null : h("ol", { class: "small soft" }, marked);
  const judge = judgeWords(summary);
  const nothing = h("p", {}, "No metric has data: no trial ended with a score.");
  return {
    id: "metrics",
    title: "What happened",
    body: h(
      "div",
      { class: "card" },
      h("div", { class: "scroll" }, rows.length === 0 ? nothing : table),
      explained,
      judge === null ? null : h("p", { class: "small soft" }, `The judge, ${judge}.`),
    ),
  };
}

function numeric(column: number): string | null {
  return column >= 1 && column <= 3 ? "num" : null;
}

function metricRow(
  row: MetricRow,
  marks: readonly number[],
  paired: boolean,
  comparison: Comparison | undefined,
  margin: number,
): Html {
  const cells = [
    h("td", { class: "id" }, row.name),
    h("td", { class: "num", "data-label": "baseline" }, row.baseline),
    h("td", { class: "num", "data-label": "candidate" }, row.candidate),
  ];
  if (!paired) return h("tr", {}, cells);
  const interval = row.interval === null ? "" : ` (${row.interval})`;
  const verdict = row.verdict === null ? h("span", { class: "soft" }, "no data") : badge(row.verdict);
  const noted = marks.length === 0 ? null : h("sup", { class: "soft" }, ` ${marks.join(", ")}`);
  return h("tr", {}, [
    ...cells,
    h("td", { class: "num", "data-label": "difference" }, `${row.difference}${interval}`),
    h(
      "td",
      {},
      comparison === undefined || row.verdict === null ? null : chart(comparison, row.verdict, margin),
    ),
    h("td", {}, verdict, noted),
  ]);
}

function badge(verdict: Verdict): Html {
  return h("span", { class: `badge ${TONES[verdict]}` }, verdict);
}

const WIDTH = 160;
const HEIGHT = 24;

/**
 * The interval of a difference against the line of no change, each row on its own scale; the shaded band is the margin
 * of shares. The figures beside it say the same, so it is hidden from readers who listen.
 */
function chart({ difference, low, high, metric }: Comparison, verdict: Verdict, margin: number): Html | null {
  if (difference === null || low === null || high === null) return null;
  const band = isShare(metric) ? margin : 0;
  const reach = Math.max(Math.abs(low), Math.abs(high), Math.abs(difference), band * 1.5, 1e-9) * 1.1;
  const x = (value: number): number => Number((WIDTH / 2 + (value / reach) * (WIDTH / 2)).toFixed(2));
  const mid = HEIGHT / 2;
  return h(
    "svg",
    { class: `interval tone-${TONES[verdict]}`, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    band === 0
      ? null
      : h("rect", { class: "band", x: x(-band), y: 2, width: x(band) - x(-band), height: HEIGHT - 4 }),
    h("line", { class: "zero", x1: WIDTH / 2, x2: WIDTH / 2, y1: 1, y2: HEIGHT - 1 }),
    h("line", { class: "range", x1: x(low), x2: x(high), y1: mid, y2: mid }),
    h("circle", { class: "point", cx: x(difference), cy: mid, r: 4.5 }),
  );
}
