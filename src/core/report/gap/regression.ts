import type { ReportInput } from "../input.ts";
import { failedChecks } from "./quote.ts";
import { type CaseTallies, caseTallies, tallyWords } from "./tallies.ts";
import { codeCell, ids, leftOut, markdownTable } from "./words.ts";
import { count } from "../../text/count.ts";

const SHOWN = 100;

/** Whether what was fine still is: cases that passed in every trial of the baseline. Unknown is said to be unknown. */
export function regressionBlock(input: ReportInput): string {
  const { baseline, candidate } = input.record.arms;
  if (baseline === null || candidate === null) return "One version only: nothing can have got worse.";
  const all = caseTallies(input);
  const fine = all.filter(({ baseline: { passed, failed } }) => passed > 0 && failed === 0);
  if (fine.length === 0)
    return [
      "No case passed in every trial of the baseline, so there was nothing to lose.",
      ...openTable(all, input),
      ...criticalLine(all),
    ].join("\n\n");
  const lost = fine.filter((one) => one.candidate.failed > 0);
  const unknown = fine.filter(({ candidate: { passed, failed } }) => passed + failed === 0);
  const kept = fine.length - lost.length - unknown.length;
  return [
    `${count(fine.length, "case")} passed in every trial of the baseline; ${kept} of them in every trial of the candidate, too.`,
    ...(lost.length === 0 ? [] : [lostTable(lost)]),
    ...leftOut(SHOWN, lost.length, "case", "report.html lists them all"),
    ...(unknown.length === 0
      ? []
      : [`Unknown, since no trial of the candidate has a verdict: ${ids(unknown.map((one) => one.id))}.`]),
    ...openTable(all, input),
    ...criticalLine(all),
  ].join("\n\n");
}

function lostTable(lost: readonly CaseTallies[]): string {
  return markdownTable(
    ["was fine", "baseline", "candidate"],
    lost
      .slice(0, SHOWN)
      .map((one) => [codeCell(one.id), tallyWords(one.baseline), tallyWords(one.candidate)]),
  );
}

/** No metric holds these: their trials have no verdict, and yet a check failed. */
function openTable(all: readonly CaseTallies[], { samples }: ReportInput): string[] {
  const open = all.filter((one) => one.candidate.openFailed > 0);
  if (open.length === 0) return [];
  const rows = open.slice(0, SHOWN).map((one) => {
    const line = samples.get(one.id)?.candidate.failing ?? null;
    const [failed] = line === null ? [] : failedChecks(line);
    const seen = failed === undefined ? "" : codeCell(`${failed.check}: ${failed.detail}`);
    return [codeCell(one.id), tallyWords(one.baseline), tallyWords(one.candidate), seen];
  });
  return [
    `Not scored, since a judge gave no verdict, though another check failed (${count(open.length, "case")}, in no metric above):`,
    markdownTable(["not scored", "baseline", "candidate", "a failed check of the candidate"], rows),
    ...leftOut(SHOWN, open.length, "case", "report.html lists them all"),
  ];
}

function criticalLine(all: readonly CaseTallies[]): string[] {
  const critical = all.filter(({ definition }) => definition?.critical === true);
  if (critical.length === 0) return [];
  const failed = critical.filter((one) => one.candidate.failed + one.candidate.openFailed > 0);
  return [
    failed.length === 0
      ? `None of the ${count(critical.length, "critical case")} failed in the candidate.`
      : `Critical cases that failed in the candidate: ${ids(failed.map((one) => one.id))}.`,
  ];
}
