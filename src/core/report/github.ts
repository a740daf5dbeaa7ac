import { metricName } from "../compare/metric-kind.ts";
import type { RunRecord } from "../nouns/run.ts";
import { ARMS } from "../nouns/score.ts";
import type { Summary } from "../nouns/summary.ts";
import { cut } from "../text/cut.ts";
import { markdownCode, markdownText, workflowData, workflowProperty } from "./escape.ts";
import { intervalLevel } from "../sequential/level.ts";
import { levelText } from "../text/figures.ts";
import { footnotes, metricRows } from "./rows.ts";
import { armWords, changedCases, modelSentence, modelWords, trialWords } from "./shared.ts";

const SHOWN_CHANGES = 30;
/** GitHub keeps ten annotations of a step and drops the rest without a word. */
const SHOWN_ANNOTATIONS = 10;
const LONGEST = 700;

/** The short version for a CI job's page, in Markdown: verdict, reasons, table, changed cases. Ends with a line end. */
export function stepSummary(record: RunRecord, summary: Summary): string {
  const { gate } = summary;
  const parts = [
    [`## evalkit: ${gate.verdict} (exit code ${gate.exitCode})`],
    gate.reasons.map(({ message }) => `- ${markdownText(clip(message))}`),
    facts(record, summary),
    table(record, summary),
    changes(summary),
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n")}\n`;
}

function facts(record: RunRecord, summary: Summary): string[] {
  const arms = ARMS.flatMap((arm) => {
    const [own, counts] = [record.arms[arm], summary.arms[arm]];
    if (own === null || counts === null) return [];
    const { variant, commit } = armWords(own);
    const at = commit === null ? "" : ` at ${markdownCode(commit)}`;
    return [`- ${arm}: ${markdownCode(clip(variant))}${at}; ${markdownText(trialWords(counts))}`];
  });
  const model =
    record.kind === "import" ? [] : [`- model: ${markdownText(modelSentence(modelWords(record, summary)))}`];
  return ["Compared:", "", ...arms, ...model];
}

function table(record: RunRecord, summary: Summary): string[] {
  const rows = metricRows(summary);
  if (rows.length === 0) return ["No metric has data: no trial ended with a score."];
  const { notes, marksOf } = footnotes(rows);
  const lines = rows.map((row) => {
    const interval = row.interval === null ? "" : ` (${row.interval})`;
    const marks = marksOf(row).map((mark) => `<sup>${mark}</sup>`);
    const verdict = row.verdict === "worse" ? "**worse**" : (row.verdict ?? "no data");
    return `| ${row.name} | ${row.baseline} | ${row.candidate} | ${row.difference}${interval} | ${verdict}${marks.join(" ")} |`;
  });
  return [
    `| metric | baseline | candidate | difference (${levelText(intervalLevel(record, summary))} interval) | verdict |`,
    "| --- | ---: | ---: | ---: | --- |",
    ...lines,
    ...(notes.length === 0
      ? []
      : ["", ...notes.map((note, at) => `<sup>${at + 1}</sup> ${markdownText(clip(note))}  `)]),
  ];
}

function changes(summary: Summary): string[] {
  const changed = changedCases(summary);
  const shown = changed.slice(0, SHOWN_CHANGES).map(({ id, to, metrics }) => {
    const words = to === "fail" ? "**pass → fail**" : "fail → pass";
    return `- ${words}: ${markdownCode(clip(id))} (${metrics.map(metricName).join(", ")})`;
  });
  const more = changed.length - SHOWN_CHANGES;
  if (shown.length === 0) return [];
  return ["Cases that changed:", "", ...shown, ...(more > 0 ? [`- and ${more} more`] : [])];
}

/**
 * The verdict as annotations of a GitHub job: an error for each reason of a failed gate, a warning for each of an
 * undecided one; nothing for a passed one. Reasons that only explain are left out.
 */
export function annotations({ gate }: Summary): string[] {
  if (gate.verdict === "passed") return [];
  const command = gate.exitCode === 0 || gate.verdict === "undecided" ? "warning" : "error";
  const title = workflowProperty(`evalkit: ${gate.verdict}`);
  return gate.reasons
    .filter(({ code }) => !EXPLAINS.test(code))
    .slice(0, SHOWN_ANNOTATIONS)
    .map(({ message }) => `::${command} title=${title}::${workflowData(clip(message))}`);
}

/** Codes of reasons that decide nothing. */
const EXPLAINS = /-(same|better|allowed|skipped|void|within-limit)$|^cases-added$/;

function clip(text: string): string {
  return cut(text, LONGEST);
}
