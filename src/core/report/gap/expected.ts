import type { ReportInput } from "../input.ts";
import { changedCases } from "../shared.ts";
import { type CaseTallies, caseTallies, tallyWords } from "./tallies.ts";
import { cell, codeCell, leftOut, markdownTable } from "./words.ts";

const SHOWN = 200;

/** What was expected: the intent of each case beside how often it passed; those that changed come first. */
export function expectedBlock(input: ReportInput): string {
  const changed = new Set(changedCases(input.summary).map((one) => one.id));
  const all = caseTallies(input);
  if (all.length === 0) return "The run has no cases.";
  const ordered = [...all.filter((one) => changed.has(one.id)), ...all.filter((one) => !changed.has(one.id))];
  const rows = ordered.slice(0, SHOWN).map((one) => row(one, changed.has(one.id)));
  const table = markdownTable(["case", "expected", "baseline", "candidate"], rows);
  const without = all.filter(({ definition }) => (definition?.intent ?? "").trim() === "").length;
  return [
    table,
    ...leftOut(SHOWN, all.length, "case", "report.html lists them all"),
    ...(without === 0 ? [] : [`Cases without an intent: ${without} of ${all.length}.`]),
  ].join("\n\n");
}

function row(one: CaseTallies, changed: boolean): string[] {
  const intent = one.definition?.intent.trim() ?? "";
  const critical = one.definition?.critical === true ? " **critical**" : "";
  return [
    `${codeCell(one.id)}${changed ? " **changed**" : ""}${critical}`,
    intent === "" ? noIntent(one) : cell(intent),
    tallyWords(one.baseline),
    tallyWords(one.candidate),
  ];
}

/** A title often says what is wanted; one that is only the id says nothing. */
function noIntent({ id, definition }: CaseTallies): string {
  return definition === null || definition.title === id
    ? "(no intent)"
    : `(no intent) ${cell(definition.title)}`;
}
