import { metricName } from "../../compare/metric-kind.ts";
import type { Case } from "../../nouns/case.ts";
import type { TrialLine } from "../../nouns/run.ts";
import { ARMS, type Arm } from "../../nouns/score.ts";
import { firstDifference, type ShownTurn } from "../first-difference.ts";
import type { ArmSample, CaseSample, ReportInput } from "../input.ts";
import { type ChangedCase, changedCases } from "../shared.ts";
import { failedTrial } from "../../summary/passes.ts";
import { rowOf } from "../../summary/rows.ts";
import { count } from "../../text/count.ts";
import { argumentsText } from "../transcript.ts";
import { code, h, type Html } from "./markup.ts";
import type { Section } from "./section.ts";
import { cutText, evidenceItem, failedChecks, transcript } from "./transcript.ts";
import { marks } from "./marks.ts";

/** Cases that changed and cases that failed before, each with the transcripts that show it. */
export function closerLooks(input: ReportInput): Section[] {
  const changed = changedCases(input.summary);
  const ids = new Set(changed.map(({ id }) => id));
  const failing = [...input.samples.keys()].filter((id) => !ids.has(id)).sort();
  const more = input.withoutSample.length;
  const bound =
    more === 0
      ? null
      : h(
          "p",
          { class: "soft small" },
          `${more} more cases of these kinds are not shown here; their trials stand in trials.jsonl, and evalkit show RUN CASE prints them.`,
        );
  return [
    section(
      "changed",
      "Cases that changed",
      changed.map((one) => changedCard(input, one)),
      "No case changed sides.",
      null,
    ),
    ...(failing.length === 0 && bound === null
      ? []
      : [
          section(
            "failing",
            "Cases that fail, changed or not",
            failing.map((id) => failingCard(input, id)),
            "",
            bound,
          ),
        ]),
  ];
}

function section(
  id: string,
  title: string,
  cards: readonly Html[],
  none: string,
  bound: Html | null,
): Section {
  const empty = cards.length === 0 && none !== "" ? h("p", {}, none) : null;
  return { id, title, body: h("div", {}, empty, cards, bound) };
}

function changedCard(input: ReportInput, { id, to, metrics }: ChangedCase): Html {
  const badge =
    to === "fail"
      ? h("span", { class: "badge bad" }, "pass → fail")
      : h("span", { class: "badge good" }, "fail → pass");
  const sample = input.samples.get(id);
  const pair = sample === undefined ? null : pairOf(sample, to);
  const by = h("span", { class: "soft small" }, ` by ${metrics.map(metricName).join(" and ")}`);
  return card(input, id, [badge, " ", code(id), by], sample, [
    pair === null ? null : difference(pair),
    pair === null ? null : h("h4", {}, `Failed checks of the ${to === "fail" ? "candidate" : "baseline"}`),
    pair === null ? null : failures(to === "fail" ? pair.candidate : pair.baseline),
  ]);
}

function failingCard(input: ReportInput, id: string): Html {
  const sample = input.samples.get(id);
  const parts = ARMS.flatMap((arm) => {
    const line = sample?.[arm].failing ?? null;
    return line === null
      ? []
      : [h("h4", {}, `Failed checks of the ${arm}, trial ${line.trial}`), failures(line)];
  });
  return card(input, id, [code(id)], sample, parts);
}

function card(
  input: ReportInput,
  id: string,
  title: readonly (Html | string)[],
  sample: CaseSample | undefined,
  parts: readonly (Html | null)[],
): Html {
  const definition = input.record.cases.find((one) => one.id === id)?.case ?? null;
  const turns = definition?.turns.map(({ user }) => user) ?? [];
  const transcripts =
    sample === undefined
      ? [h("p", { class: "soft" }, "No transcript is shown here.")]
      : samplesOf(sample, turns);
  return h(
    "section",
    { class: "card" },
    h("h3", {}, title),
    about(definition),
    counts(input, id),
    parts,
    transcripts,
  );
}

function about(definition: Case | null): Html {
  if (definition === null) return h("p", { class: "soft" }, "What this case expects is not recorded.");
  const named = definition.title === definition.id ? null : h("p", {}, definition.title);
  const intent = definition.intent.trim();
  const expected =
    intent === ""
      ? h("p", { class: "soft" }, "No intent is written for this case.")
      : h("p", {}, h("b", {}, "Expected: "), cutText(intent, 1000));
  return h("div", {}, named, expected);
}

/** The trials that show a change: the one that passes and the one that fails. */
function pairOf(sample: CaseSample, to: ChangedCase["to"]): Readonly<Record<Arm, TrialLine>> | null {
  const pick = ({ passing, failing }: ArmSample, wanted: "pass" | "fail"): TrialLine | null =>
    wanted === "pass" ? (passing ?? failing) : (failing ?? passing);
  const baseline = pick(sample.baseline, to === "fail" ? "pass" : "fail");
  const candidate = pick(sample.candidate, to);
  return baseline === null || candidate === null ? null : { baseline, candidate };
}

function difference({ baseline, candidate }: Readonly<Record<Arm, TrialLine>>): Html {
  const found = firstDifference(baseline, candidate);
  if (found === null)
    return h(
      "p",
      {},
      "Calls and answers of the two trials are the same: what differs is the world after them.",
    );
  const before =
    found.same === 0
      ? ""
      : ` (${count(found.same, "turn")} before it ${found.same === 1 ? "is" : "are"} the same)`;
  return h(
    "div",
    {},
    h("h4", {}, `First turn that differs: turn ${found.turn}${before}`),
    h(
      "div",
      { class: "sides" },
      side("baseline", baseline.trial, found.baseline),
      side("candidate", candidate.trial, found.candidate),
    ),
  );
}

function side(arm: Arm, trial: number, turn: ShownTurn | null): Html {
  return h(
    "div",
    { class: "side" },
    h("h4", {}, `${arm}, trial ${trial}`),
    turn === null ? h("p", { class: "soft" }, "had ended") : turnHtml(turn),
  );
}

function turnHtml({ content, calls }: ShownTurn): Html {
  const said = content.trim() === "" ? null : h("p", { class: "said", dir: "auto" }, cutText(content, 1200));
  const made = calls.map((call) =>
    h("pre", {}, `${call.name} ${cutText(argumentsText(call.arguments), 800)}`),
  );
  const nothing = said === null && made.length === 0 ? h("p", { class: "soft" }, "(an empty answer)") : null;
  return h("div", {}, said, made, nothing);
}

function failures(line: TrialLine): Html {
  const failed = failedChecks(line);
  if (failed.length === 0) return h("p", { class: "soft small" }, "No check failed in the trial shown.");
  const more = failed.length - 8;
  return h(
    "ul",
    { class: "small" },
    failed.slice(0, 8).map(evidenceItem),
    more > 0 ? h("li", {}, `and ${more} more`) : null,
  );
}

function samplesOf(sample: CaseSample, turns: readonly string[]): Html[] {
  return ARMS.flatMap((arm) =>
    (["passing", "failing"] as const).flatMap((kind) => {
      const line = sample[arm][kind];
      return line === null
        ? []
        : [transcript(line, turns, `${arm}, trial ${line.trial}: ${kindWords(kind, line)}`)];
    }),
  );
}

function kindWords(kind: "passing" | "failing", line: TrialLine): string {
  return kind === "failing" && failedTrial(rowOf(line)) === null
    ? "a trial that is not scored, with a failed check"
    : `a ${kind} trial`;
}

function counts(input: ReportInput, id: string): Html {
  const arms = ARMS.map((arm) => {
    const own = input.trials.filter((one) => one.case === id && one.arm === arm);
    return h("span", {}, `${arm} `, marks(own), " ");
  });
  return h("p", { class: "small" }, arms);
}
