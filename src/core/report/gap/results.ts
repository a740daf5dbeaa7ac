import { ARMS } from "../../nouns/score.ts";
import { markdownCode, markdownText } from "../escape.ts";
import { NO_DATA, percent } from "../figures.ts";
import { intervalLevel } from "../../sequential/level.ts";
import { levelText } from "../../text/figures.ts";
import type { ReportInput } from "../input.ts";
import { footnotes, type MetricRow, metricRows } from "../rows.ts";
import { armWords, judgeWords, madeElsewhere, modelSentence, modelWords, trialWords } from "../shared.ts";
import { clip, ids, markdownTable } from "./words.ts";

/** Who was compared. */
export function factsBlock({ record, summary }: ReportInput): string {
  const arms = ARMS.flatMap((arm) => {
    const own = record.arms[arm];
    const counts = summary.arms[arm];
    if (own === null) return [];
    const { variant, commit } = armWords(own);
    const at = commit === null ? "" : ` at ${markdownCode(commit)}`;
    const trials = counts === null ? "" : `; trials ${trialWords(counts)}`;
    return [`- ${arm}: ${markdownCode(variant)}${at}${trials}`];
  });
  const source = madeElsewhere(record)
    ? "results made elsewhere"
    : modelSentence(modelWords(record, summary));
  return [
    `- run: ${markdownCode(record.runId)} of ${markdownText(record.createdAt)}, evalkit ${markdownText(record.evalkit)}${record.aa ? ", **A/A**: both arms are the same" : ""}`,
    ...arms,
    `- model: ${markdownText(source)}`,
    `- cases: ${summary.cases.length}, trials a case and arm: ${record.trials}`,
  ].join("\n");
}

/** The verdict and what it rests on. */
export function decisionBlock({ summary: { gate } }: ReportInput): string {
  const reasons = gate.reasons.map(({ code, message, cases }) => {
    const unnamed = cases.filter((one) => !message.includes(one));
    const more = unnamed.length === 0 ? "" : ` Cases: ${ids(unnamed)}`;
    return `- ${markdownText(clip(message, 2000))} (${markdownText(code)})${more}`;
  });
  return [
    `**${gate.verdict}** (exit code ${gate.exitCode})`,
    ...(reasons.length === 0 ? [] : [reasons.join("\n")]),
  ].join("\n\n");
}

/** What happened: one row a metric, with what explains the figures. */
export function resultsBlock({ record, summary }: ReportInput): string {
  const rows = metricRows(summary);
  if (rows.length === 0) return "No data: no trial ended with a score.";
  const { notes, marksOf } = footnotes(rows);
  const marks = (row: MetricRow): string =>
    marksOf(row)
      .map((mark) => ` [${mark}]`)
      .join("");
  const table = markdownTable(
    [
      "metric",
      "baseline",
      "candidate",
      "difference",
      `${levelText(intervalLevel(record, summary))} interval`,
      "verdict",
    ],
    rows.map((row) => [
      row.name,
      row.baseline,
      row.candidate,
      row.difference,
      row.interval ?? (row.verdict === null ? NO_DATA : "none"),
      `${row.verdict ?? NO_DATA}${marks(row)}`,
    ]),
    new Set([1, 2, 3, 4]),
  );
  return [
    table,
    ...passLines(summary),
    ...judgeLines(summary),
    notes.map((note, at) => `[${at + 1}] ${markdownText(clip(note, 2000))}`).join("  \n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function judgeLines(summary: ReportInput["summary"]): string[] {
  const words = judgeWords(summary);
  return words === null ? [] : [`The judge, ${markdownText(words)}.`];
}

function passLines(summary: ReportInput["summary"]): string[] {
  const rates = ARMS.flatMap((arm) => {
    const own = summary.arms[arm];
    const [k, hat] = Object.entries(own?.passHatK ?? {}).at(-1) ?? [];
    const at = k === undefined ? null : (own?.passAtK[k] ?? null);
    return k === undefined || hat === null || hat === undefined
      ? []
      : [`${arm} ${percent(hat)} and ${percent(at)} (k = ${k})`];
  });
  return rates.length === 0
    ? []
    : [`All k trials of a case pass, and at least one does: ${rates.join("; ")}.`];
}
