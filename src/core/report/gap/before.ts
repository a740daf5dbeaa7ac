import { markdownText } from "../escape.ts";
import type { ReportInput } from "../input.ts";
import { checkList, quotedTrial } from "./quote.ts";
import { type CaseTallies, caseTallies } from "./tallies.ts";
import { id, ids } from "./words.ts";
import { byText } from "../../text/order.ts";

/** Cases whose trial is quoted; the others are named. */
const QUOTED_CASES = 15;

/** What behaved badly before: cases with a failed trial in the baseline, the worst first, with quoted turns. */
export function beforeBlock(input: ReportInput): string {
  const { baseline } = input.record.arms;
  if (baseline === null) return "There is no baseline in this run.";
  const tallies = caseTallies(input);
  const bad = tallies.filter(({ baseline: own }) => own.failed > 0).sort(worstFirst);
  const judged = tallies.filter(({ baseline: own }) => own.failed + own.passed > 0).length;
  if (judged === 0) return "No data: no trial of the baseline ended with a verdict.";
  if (bad.length === 0)
    return `None of the ${judged} cases with a verdict failed in any trial of the baseline.`;
  const quotable = bad.filter((one) => input.samples.get(one.id)?.baseline.failing);
  const quoted = quotable.slice(0, QUOTED_CASES);
  const others = bad.filter((one) => !quoted.includes(one)).map((one) => one.id);
  return [
    `${bad.length} of ${judged} cases failed in at least one trial of the baseline.`,
    ...quoted.map((one) => badCase(one, input)),
    ...(others.length === 0 ? [] : [`Failed as well, without a quote here: ${ids(others)}.`]),
  ].join("\n\n");
}

function worstFirst(a: CaseTallies, b: CaseTallies): number {
  return share(b) - share(a) || byText(a.id, b.id);
}

function share({ baseline: { passed, failed } }: CaseTallies): number {
  return failed / (passed + failed);
}

function badCase({ id: name, definition, baseline }: CaseTallies, input: ReportInput): string {
  const trial = input.samples.get(name)?.baseline.failing;
  if (trial === null || trial === undefined) return "";
  const title = definition === null || definition.title === name ? "" : ` ${markdownText(definition.title)}`;
  return [
    `**${id(name)}**${title}`,
    `Failed in ${baseline.failed} of ${baseline.passed + baseline.failed} trials; trial ${trial.trial}:`,
    quotedTrial(trial, definition),
    checkList(trial).join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
