import { createColors } from "picocolors";
import { metricName } from "../compare/metric-kind.ts";
import type { RunRecord } from "../nouns/run.ts";
import { ARMS } from "../nouns/score.ts";
import type { Gate, Summary, Verdict } from "../nouns/summary.ts";
import { inertLine, oneLine } from "./escape.ts";
import { percent } from "./figures.ts";
import { intervalLevel } from "../sequential/level.ts";
import { levelText } from "../text/figures.ts";
import { footnotes, type MetricRow, metricRows } from "./rows.ts";
import {
  armWords,
  changedCases,
  judgeWords,
  madeElsewhere,
  modelSentence,
  modelWords,
  trialWords,
  unchangedWords,
} from "./shared.ts";
import { tableLines } from "./terminal-table.ts";
import { columnsOf, cutEnd, cutMiddle, wrap } from "./width.ts";
import { count } from "../text/count.ts";

type Colours = ReturnType<typeof createColors>;
/** How many changed cases, notes and reasons are named before the rest is counted. */
const NAMED = 20;
const NOTES = 8;
/** A note or reason may list hundreds of ids; the whole of it stands in report.md. */
const LONGEST = 700;

/**
 * What a run ends with on a terminal: who was compared, one row a metric, what explains the figures, which cases changed,
 * and last the verdict with its reasons. No line is wider than `width` columns; colours only where asked for.
 */
export function terminalReport(record: RunRecord, summary: Summary, width: number, colour: boolean): string {
  const colours = createColors(colour);
  const blocks = [
    heading(record, summary, width, colours),
    table(intervalLevel(record, summary), summary, width, colours),
    trials(summary, width),
    changes(summary, width, colours),
    runNotes(record, width),
    gate(summary.gate, width, colours),
  ];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.map(inertLine).join("\n"))
    .join("\n\n");
}

function heading(record: RunRecord, summary: Summary, width: number, colours: Colours): string[] {
  const arms = ARMS.flatMap((arm) => {
    const own = record.arms[arm];
    if (own === null) return [];
    const { variant, commit } = armWords(own);
    const tail = commit === null ? "" : ` (${commit})`;
    const room = Math.max(8, width - 11 - columnsOf(tail));
    return labelled(arm, `${cutMiddle(oneLine(variant), room)}${tail}`, width);
  });
  const kind = madeElsewhere(record) ? "results made elsewhere" : modelSentence(modelWords(record, summary));
  const cases = `${count(summary.cases.length, "case")}, ${count(record.trials, "trial")} a case and arm`;
  return [
    colours.bold(cutMiddle(`${record.aa ? "A/A run" : "run"} ${oneLine(record.runId)}`, width)),
    ...arms,
    ...labelled("model", oneLine(kind), width),
    ...labelled("cases", cases, width),
  ];
}

function labelled(label: string, text: string, width: number): string[] {
  return wrap(`${label.padEnd(9)}  ${text}`, width, " ".repeat(11)).map((line) => line.trimEnd());
}

function table(alpha: number, summary: Summary, width: number, colours: Colours): string[] {
  const rows = metricRows(summary);
  if (rows.length === 0) return wrap("No metric has data: no trial ended with a score.", width);
  const { notes, marksOf } = footnotes(rows);
  const marked = (row: MetricRow): string =>
    marksOf(row)
      .map((mark) => ` [${mark}]`)
      .join("");
  const paired = summary.arms.baseline !== null && summary.arms.candidate !== null;
  const lines = [true, false].map((beside) =>
    tableLines(cells(rows, marked, paired, beside), new Set([1, 2, 3])),
  );
  const fitting = lines.find((block) => block.every((line) => columnsOf(line) <= width));
  const body = fitting === undefined ? listed(rows, marked, width) : paint(fitting, colours);
  const units = `pts: percentage points; (a to b): ${levelText(alpha)} interval of the difference.`;
  const explained = notes
    .slice(0, NOTES)
    .flatMap((note, at) => wrap(`[${at + 1}] ${short(note)}`, width, "    "));
  return [
    ...body,
    "",
    ...(paired ? wrap(units, width) : []),
    ...explained,
    ...more(notes.length - NOTES, "note"),
  ];
}

function cells(
  rows: readonly MetricRow[],
  marked: (row: MetricRow) => string,
  paired: boolean,
  beside: boolean,
): string[][] {
  const head = ["metric", "baseline", "candidate", "difference", "verdict"];
  const body = rows.flatMap((row) => {
    const verdict = `${row.verdict ?? (paired ? "no data" : "–")}${marked(row)}`;
    const interval = row.interval === null ? "" : `(${row.interval})`;
    const first = [row.name, row.baseline, row.candidate];
    if (beside) return [[...first, `${row.difference} ${interval}`.trim(), verdict]];
    return [[...first, row.difference, verdict], ...(interval === "" ? [] : [["", "", "", interval, ""]])];
  });
  return [head, ...body];
}

/** Where even the narrow table is too wide: one paragraph a metric. */
function listed(rows: readonly MetricRow[], marked: (row: MetricRow) => string, width: number): string[] {
  return rows.flatMap((row) => {
    const interval = row.interval === null ? "" : ` (${row.interval})`;
    const text = `${row.name}: ${row.baseline} → ${row.candidate}, ${row.difference}${interval}: ${row.verdict ?? "no data"}${marked(row)}`;
    return wrap(text, width, "  ");
  });
}

function paint(lines: readonly string[], colours: Colours): string[] {
  const [head = "", ...body] = lines;
  const colourOf = (verdict: Verdict) => VERDICT_COLOUR[verdict];
  const painted = body.map((line) =>
    line.replace(/(better|worse|same|unsure)((?: \[\d+\])*)$/, (_, verdict: Verdict, marks: string) => {
      return `${colours[colourOf(verdict)](verdict)}${marks}`;
    }),
  );
  return [colours.bold(head), ...painted];
}

const VERDICT_COLOUR = { better: "green", worse: "red", same: "green", unsure: "yellow" } as const;

function trials(summary: Summary, width: number): string[] {
  const ended = ARMS.flatMap((arm) => {
    const own = summary.arms[arm];
    return own === null ? [] : labelled(arm, trialWords(own), width);
  });
  const rates = ARMS.flatMap((arm) => {
    const rate = Object.entries(summary.arms[arm]?.passHatK ?? {}).at(-1);
    return rate === undefined || rate[1] === null ? [] : [`${arm} ${percent(rate[1])} (k = ${rate[0]})`];
  });
  const all = rates.length === 0 ? [] : wrap(`all k trials of a case pass: ${rates.join(", ")}`, width, "  ");
  const judge = judgeWords(summary);
  return ["Trials", ...ended, ...(judge === null ? [] : labelled("judge", judge, width)), ...all];
}

function changes(summary: Summary, width: number, colours: Colours): string[] {
  if (summary.comparisons.length === 0) return [];
  const changed = changedCases(summary);
  if (changed.length === 0) return wrap(unchangedWords(summary), width);
  return (["fail", "pass"] as const).flatMap((to) => {
    const own = changed.filter((one) => one.to === to);
    if (own.length === 0) return [];
    const title = to === "fail" ? "Passed before, fail now" : "Failed before, pass now";
    const lines = own.slice(0, NAMED).map(({ id, metrics }) => {
      const why = `  ${metrics.map(metricName).join(", ")}`;
      const room = width - 2 - columnsOf(why);
      const name = oneLine(id);
      return room >= 20 ? `  ${cutMiddle(name, room)}${why}` : `  ${cutMiddle(name, width - 2)}`;
    });
    const paintTitle = to === "fail" ? colours.red : colours.green;
    return [paintTitle(`${title} (${own.length})`), ...lines, ...more(own.length - NAMED, "case")];
  });
}

function runNotes(record: RunRecord, width: number): string[] {
  const notes = [
    ...record.notes,
    ...ARMS.flatMap((arm) => (record.arms[arm]?.notes ?? []).map((note) => `${arm}: ${note}`)),
  ];
  if (notes.length === 0) return [];
  const lines = notes.slice(0, NOTES).flatMap((note) => wrap(`- ${short(note)}`, width, "  "));
  return ["Notes", ...lines, ...more(notes.length - NOTES, "note")];
}

const GATE_COLOUR = { passed: "green", failed: "red", undecided: "yellow" } as const;

function gate({ verdict, exitCode, reasons }: Gate, width: number, colours: Colours): string[] {
  const title = colours.bold(colours[GATE_COLOUR[verdict]](verdict));
  const lines = reasons.slice(0, NAMED).flatMap(({ message }) => wrap(`- ${short(message)}`, width, "  "));
  return [`Verdict: ${title} (exit code ${exitCode})`, ...lines, ...more(reasons.length - NAMED, "reason")];
}

function short(text: string): string {
  return cutEnd(oneLine(text), LONGEST);
}

function more(left: number, noun: string): string[] {
  return left > 0 ? [`  … and ${count(left, `more ${noun}`)} in report.md`] : [];
}
