import { markdownText } from "./escape.ts";
import { auditBlock } from "./gap/audit.ts";
import { beforeBlock } from "./gap/before.ts";
import { changesBlock, whyBlock } from "./gap/changes.ts";
import { differencesBlock } from "./gap/differences.ts";
import { expectedBlock } from "./gap/expected.ts";
import { notesBlock } from "./gap/notes.ts";
import { peopleBlock } from "./gap/people.ts";
import { regressionBlock } from "./gap/regression.ts";
import { decisionBlock, factsBlock, resultsBlock } from "./gap/results.ts";
import type { ReportInput } from "./input.ts";
import { armWords, modelSentence, modelWords } from "./shared.ts";
import { type Filled, type Filling, fillTemplate, type Template } from "./template.ts";

type Placeholder = readonly [name: string, filling: (input: ReportInput) => string];

/** Placeholders that become a block. `docs/prompt-analysis-template.md` documents them. */
const BLOCKS: readonly Placeholder[] = [
  ["facts", factsBlock],
  ["decision", decisionBlock],
  ["before", beforeBlock],
  ["changes", changesBlock],
  ["why", whyBlock],
  ["expected", expectedBlock],
  ["results", resultsBlock],
  ["differences", differencesBlock],
  ["regression", regressionBlock],
  ["people", peopleBlock],
  ["audit", auditBlock],
  ["notes", notesBlock],
];

/** Placeholders that become a few words. */
const WORDS: readonly Placeholder[] = [
  ["run", ({ record }) => record.runId],
  ["date", ({ record }) => record.createdAt.slice(0, 10)],
  ["baseline", ({ record }) => armText(record.arms.baseline)],
  ["candidate", ({ record }) => armText(record.arms.candidate)],
  ["model", ({ record, summary }) => modelSentence(modelWords(record, summary))],
  ["verdict", ({ summary }) => summary.gate.verdict],
];

/** Fills a template from what a run left behind. Warnings name the template's file and line. */
export function gapReport(input: ReportInput, template: Template): Filled {
  const fillings = new Map<string, Filling>([
    ...BLOCKS.map(([name, make]): [string, Filling] => [name, { kind: "block", text: () => make(input) }]),
    ...WORDS.map(([name, make]): [string, Filling] => [
      name,
      { kind: "words", text: () => wordsFor(make(input)) },
    ]),
  ]);
  return fillTemplate(template, fillings);
}

/** Quotes as entities: somebody's template may put words into an attribute. */
function wordsFor(text: string): string {
  return markdownText(text).replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}

function armText(arm: ReportInput["record"]["arms"]["baseline"]): string {
  if (arm === null) return "nothing";
  const { variant, commit } = armWords(arm);
  return commit === null ? variant : `${variant} (${commit})`;
}
