import type { Case } from "../../nouns/case.ts";
import type { TrialLine } from "../../nouns/run.ts";
import type { Evidence } from "../../nouns/score.ts";
import { METRICS } from "../../nouns/score.ts";
import { markdownCode, markdownFence, markdownText } from "../escape.ts";
import { argumentsText, endText, type Step, stepsOf } from "../transcript.ts";
import { clip } from "./words.ts";

/** Steps of a trial that are quoted: its start and its end, where a trial mostly goes wrong. */
const SHOWN_STEPS = 24;

/** A trial's turns as they were, in a fence that no text of it can close. */
export function quotedTrial(line: TrialLine, definition: Case | null): string {
  const steps = stepsOf(line, definition?.turns.map((turn) => turn.user) ?? []).map(stepText);
  const middle = steps.length - SHOWN_STEPS;
  const half = SHOWN_STEPS / 2;
  const shown =
    middle <= 0 ? steps : [...steps.slice(0, half), `… ${middle} steps left out …`, ...steps.slice(-half)];
  const end = line.status === "finished" ? [] : [`[${endText(line.outcome)}]`];
  return markdownFence([...shown, ...end].join("\n"), "text");
}

function stepText(step: Step): string {
  switch (step.kind) {
    case "speaker":
      return `— ${step.role} —`;
    case "user":
      return `${step.injected.length === 0 ? "user" : `user (with ${step.injected.join(", ")})`}: ${clip(step.text)}`;
    case "says":
      return `turn ${step.turn}: ${clip(step.text)}`;
    case "call": {
      const asked = step.approval === null ? "" : ` [${step.approval}]`;
      const came = step.result === null ? "(no result)" : clip(step.result.text, 200);
      const failed = step.result?.error === true ? "error: " : "";
      return `turn ${step.turn} calls ${step.name} ${clip(argumentsText(step.arguments), 300)}${asked}\n  → ${failed}${came}`;
    }
    case "note":
      return `(${clip(step.text)})`;
  }
}

/** A check that did not hold. */
export interface FailedCheck extends Evidence {
  readonly metric: string;
}

/** The checks of a trial that did not hold, each once. */
export function failedChecks(line: TrialLine): readonly FailedCheck[] {
  const seen = new Map<string, FailedCheck>();
  for (const metric of METRICS) {
    const score = line.scores[metric];
    for (const one of score?.evidence ?? []) {
      if (!one.passed && !seen.has(one.check)) seen.set(one.check, { ...one, metric });
    }
  }
  return [...seen.values()];
}

/** Failed checks as a Markdown list, at most ten. */
export function checkList(line: TrialLine): string[] {
  const failed = failedChecks(line);
  const shown = failed
    .slice(0, 10)
    .map(({ check, detail }) => `- ${markdownCode(clip(check, 200))}: ${markdownText(clip(detail, 400))}`);
  return failed.length > 10 ? [...shown, `- … and ${failed.length - 10} more`] : shown;
}
