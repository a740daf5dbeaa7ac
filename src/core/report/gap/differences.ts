import { metricName } from "../../compare/metric-kind.ts";
import type { Case } from "../../nouns/case.ts";
import type { TrialLine } from "../../nouns/run.ts";
import type { FirstDifference, ShownTurn } from "../first-difference.ts";
import { firstDifference } from "../first-difference.ts";
import type { CaseSample, ReportInput } from "../input.ts";
import { type ChangedCase, changedCases, unchangedWords } from "../shared.ts";
import { argumentsText } from "../transcript.ts";
import { markdownText } from "../escape.ts";
import { checkList } from "./quote.ts";
import { codeCell, id, ids, markdownTable } from "./words.ts";

const SHOWN = 25;

/** The first differing turn of each case that changed: a trial of each arm side by side, and the checks that failed. */
export function differencesBlock(input: ReportInput): string {
  const changed = changedCases(input.summary);
  if (changed.length === 0) return unchangedWords(input.summary);
  const others = changed.slice(SHOWN).map((one) => one.id);
  return [
    ...changed.slice(0, SHOWN).map((one) => changedCase(one, input)),
    ...(others.length === 0
      ? []
      : [`Changed as well: ${ids(others)}. report.html and evalkit show tell of them.`]),
  ].join("\n\n");
}

function changedCase({ id: name, to, metrics }: ChangedCase, input: ReportInput): string {
  const definition = input.record.cases.find((entry) => entry.id === name)?.case ?? null;
  const change = to === "fail" ? "passed before, fails now" : "failed before, passes now";
  const head = `**${id(name)}** ${change} (${metrics.map(metricName).join(", ")})`;
  const sample = input.samples.get(name);
  return [
    head,
    ...intentOf(definition),
    ...(sample === undefined ? [NO_SAMPLE] : comparison(sample, to)),
  ].join("\n\n");
}

const NO_SAMPLE = "No transcript of it was kept for this report; evalkit show prints its trials.";

function intentOf(definition: Case | null): string[] {
  const intent = definition?.intent.trim() ?? "";
  return intent === "" ? [] : [`Expected: ${markdownText(intent)}`];
}

function comparison(sample: CaseSample, to: ChangedCase["to"]): string[] {
  const [before, after] =
    to === "fail"
      ? [
          sample.baseline.passing ?? sample.baseline.failing,
          sample.candidate.failing ?? sample.candidate.passing,
        ]
      : [
          sample.baseline.failing ?? sample.baseline.passing,
          sample.candidate.passing ?? sample.candidate.failing,
        ];
  if (before === null || after === null) return ["One of the arms has no trial that ended."];
  if (before.events.length + after.events.length === 0)
    return ["There is no transcript: these results were made elsewhere."];
  const found = firstDifference(before, after);
  const failing = to === "fail" ? after : before;
  const checks = checkList(failing);
  return [
    found === null
      ? "No turn of these two trials differs in its calls, nor the answer: what differs shows in the failed checks."
      : sideBySide(found, before, after),
    ...(checks.length === 0
      ? []
      : [`Failed checks of ${failing.arm} trial ${failing.trial}:`, checks.join("\n")]),
  ];
}

function sideBySide(
  { turn, baseline, candidate, same }: FirstDifference,
  before: TrialLine,
  after: TrialLine,
): string {
  const [left, right] = [turnCells(baseline), turnCells(candidate)];
  const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, at) => [
    left[at] ?? "",
    right[at] ?? "",
  ]);
  const sameTurns = same === 1 ? "Turn 1 is" : `Turns 1 to ${same} are`;
  const agree = same === 0 ? "The first turn differs" : `${sameTurns} the same; turn ${turn} differs`;
  return [
    `${agree}:`,
    "",
    markdownTable([`baseline, trial ${before.trial}`, `candidate, trial ${after.trial}`], rows),
  ].join("\n");
}

function turnCells(turn: ShownTurn | null): string[] {
  if (turn === null) return ["*(ended before)*"];
  const calls = turn.calls
    .slice(0, 10)
    .map((call) => `calls ${codeCell(`${call.name} ${argumentsText(call.arguments)}`)}`);
  const more = turn.calls.length > 10 ? [`… and ${turn.calls.length - 10} more calls`] : [];
  const text = turn.content.trim();
  return [...(text === "" && calls.length > 0 ? [] : [`says ${codeCell(text)}`]), ...calls, ...more];
}
