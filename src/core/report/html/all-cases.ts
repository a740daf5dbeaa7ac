import type { Arm } from "../../nouns/score.ts";
import type { CaseSummary } from "../../nouns/summary.ts";
import { NO_DATA, valueText } from "../figures.ts";
import type { ReportInput, TrialCell } from "../input.ts";
import { code, h, type Html } from "./markup.ts";
import type { Section } from "./section.ts";
import { cutText } from "./transcript.ts";
import { marks } from "./marks.ts";

const SHOWN_CASES = 500;

/** Every case with its means in both arms; folded where there are many. */
export function allCases(input: ReportInput): Section {
  const { cases } = input.summary;
  const byCase = new Map<string, TrialCell[]>();
  for (const one of input.trials) {
    const known = byCase.get(one.case);
    if (known === undefined) byCase.set(one.case, [one]);
    else known.push(one);
  }
  const intents = new Map(input.record.cases.map((one) => [one.id, one.case?.intent.trim() ?? ""]));
  const rows = cases
    .slice(0, SHOWN_CASES)
    .map((one) => caseRow(one, byCase.get(one.id) ?? [], intents.get(one.id) ?? ""));
  const headings = ["case", "baseline", "candidate", "task completion", "tool-call accuracy", "turns"];
  const table = h(
    "table",
    { class: "stack" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        headings.map((name) => h("th", {}, name)),
      ),
    ),
    h("tbody", {}, rows),
  );
  const more = cases.length - SHOWN_CASES;
  const left = more > 0 ? h("p", { class: "soft small" }, `${more} more cases stand in summary.json.`) : null;
  const legend = h(
    "p",
    { class: "soft small" },
    "One sign a trial: ✓ passed, ✗ failed, ! broken by the provider or the harness, · without a score, ⊘ without a score though a check failed. Values: baseline → candidate.",
  );
  const open = cases.length <= 60 ? true : null;
  return {
    id: "cases",
    title: `All ${cases.length} cases`,
    body: h(
      "details",
      { class: "card", open },
      h("summary", {}, "Case by case"),
      regression(byCase),
      legend,
      h("div", { class: "scroll" }, table),
      left,
    ),
  };
}

function caseRow(
  { id, baseline, candidate }: CaseSummary,
  trials: readonly TrialCell[],
  intent: string,
): Html {
  const of = (arm: Arm) => marks(trials.filter((one) => one.arm === arm));
  const value = (metric: "taskCompletion" | "toolCallAccuracy" | "turns"): string => {
    const [before, after] = [baseline?.[metric] ?? null, candidate?.[metric] ?? null];
    if (before === null && after === null) return NO_DATA;
    return `${valueText(metric, before)} → ${valueText(metric, after)}`;
  };
  return h(
    "tr",
    {},
    h(
      "td",
      { class: "id" },
      code(id),
      intent === "" ? null : h("div", { class: "soft small" }, cutText(intent, 300)),
    ),
    h("td", { "data-label": "baseline" }, of("baseline")),
    h("td", { "data-label": "candidate" }, of("candidate")),
    h("td", { class: "value", "data-label": "task completion" }, value("taskCompletion")),
    h("td", { class: "value", "data-label": "tool-call accuracy" }, value("toolCallAccuracy")),
    h("td", { class: "value", "data-label": "turns" }, value("turns")),
  );
}

/** Whether what was fine still is, in a sentence. */
function regression(byCase: ReadonlyMap<string, readonly TrialCell[]>): Html {
  const fine = (arm: Arm, trials: readonly TrialCell[]): boolean => {
    const own = trials.filter((one) => one.arm === arm && one.passed !== null);
    return own.length > 0 && own.every((one) => one.passed);
  };
  const before = [...byCase.values()].filter((trials) => fine("baseline", trials));
  const still = before.filter((trials) => fine("candidate", trials)).length;
  const unknown = before.filter((trials) =>
    trials.every((one) => one.arm !== "candidate" || one.passed === null),
  ).length;
  const rest = unknown === 0 ? "" : ` Unknown in the candidate: ${unknown}.`;
  return h(
    "p",
    {},
    `${before.length} cases passed in every trial of the baseline; ${still} of them in every trial of the candidate, too.${rest}`,
  );
}
