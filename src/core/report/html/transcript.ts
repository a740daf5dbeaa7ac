import type { TrialLine } from "../../nouns/run.ts";
import type { Evidence } from "../../nouns/score.ts";
import { wholeEnd } from "../../text/cut.ts";
import { argumentsText, endText, type Step, stepsOf } from "../transcript.ts";
import { code, h, type Html } from "./markup.ts";

/** A page is read by people: longer texts and transcripts are cut, and say by how much. */
const TEXT_LIMIT = 3000;
const STEP_LIMIT = 60;

/** A text of a trial, cut at `limit` characters between whole characters; the cut is told. */
export function cutText(text: string, limit = TEXT_LIMIT): string {
  if (text.length <= limit) return text;
  const end = wholeEnd(text, limit);
  return `${text.slice(0, end)}\n… ${text.length - end} more characters stand in trials.jsonl`;
}

/** One trial folded under its name: what was said and called, how it ended, and what the checks found. */
export function transcript(line: TrialLine, turns: readonly string[], title: string, open = false): Html {
  const steps = stepsOf(line, turns);
  const shown = steps.slice(0, STEP_LIMIT).map(stepHtml);
  const left = steps.length - STEP_LIMIT;
  const more =
    left > 0 ? h("p", { class: "soft small" }, `… ${left} more steps stand in trials.jsonl.`) : null;
  return h(
    "details",
    { open: open ? true : null },
    h("summary", {}, title),
    shown,
    more,
    h(
      "p",
      { class: "small soft" },
      `${endText(line.outcome)} · ${line.seconds.toFixed(1)} s · ${line.replies}`,
    ),
    scores(line),
  );
}

function stepHtml(step: Step): Html {
  switch (step.kind) {
    case "speaker":
      return h("h4", {}, step.role);
    case "user": {
      const skills = step.injected.length === 0 ? "" : ` (skills in front: ${step.injected.join(", ")})`;
      return stepBox("user", `user${skills}`, said(step.text));
    }
    case "says":
      return stepBox("says", `agent, turn ${step.turn}`, said(step.text));
    case "note":
      return h("div", { class: "step soft small" }, h("p", { class: "said" }, cutText(step.text)));
    case "call":
      return callBox(step);
  }
}

function callBox(step: Extract<Step, { kind: "call" }>): Html {
  const asked = step.approval === null ? "" : ` · asked for approval: ${step.approval}`;
  const error = step.result?.error === true;
  return stepBox(
    error ? "call error" : "call",
    `call, turn ${step.turn}${asked}`,
    h("div", {}, code(step.name), " ", code(cutText(argumentsText(step.arguments), 600))),
    resultHtml(step.result),
  );
}

/** Long results are folded: they are the world's words, not the agent's. */
function resultHtml(result: Extract<Step, { kind: "call" }>["result"]): Html {
  if (result === null) return h("p", { class: "soft small" }, "no result: the trial ended before");
  const name = result.error ? "error" : "result";
  const text = result.text === "" ? "(empty)" : cutText(result.text);
  if (text.length <= 240) return h("pre", {}, `${name}: ${text}`);
  return h(
    "details",
    {},
    h("summary", { class: "small" }, `${name}, ${result.text.length} characters`),
    h("pre", {}, text),
  );
}

function stepBox(kind: string, who: string, ...children: readonly Html[]): Html {
  return h("div", { class: `step ${kind}` }, h("div", { class: "who" }, who), children);
}

function said(text: string): Html {
  return h("p", { class: "said", dir: "auto" }, cutText(text));
}

/** Failed checks of a trial with what was seen instead; a check that several metrics rest on is named once. */
export function failedChecks(line: TrialLine): Evidence[] {
  const failed = new Map<string, Evidence>();
  for (const score of Object.values(line.scores)) {
    for (const one of score.evidence ?? []) if (!one.passed) failed.set(`${one.check}\n${one.detail}`, one);
  }
  return [...failed.values()];
}

function scores(line: TrialLine): Html | null {
  const failed = failedChecks(line);
  if (failed.length === 0) return null;
  return h("ul", { class: "small" }, failed.slice(0, 20).map(evidenceItem));
}

/** A failed check on a line of a list. */
export function evidenceItem({ check, detail }: Evidence): Html {
  return h(
    "li",
    {},
    h("span", { class: "tone-bad" }, "✗ "),
    code(cutText(check, 300)),
    " ",
    h("span", { class: "said" }, cutText(detail, 800)),
  );
}
