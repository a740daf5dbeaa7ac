import { NO_DATA } from "../figures.ts";
import type { TrialCell } from "../input.ts";
import { h, type Html } from "./markup.ts";

const SHOWN_MARKS = 20;

/** One sign a trial, and in words for those who listen. */
export function marks(trials: readonly TrialCell[]): Html {
  if (trials.length === 0) return h("span", { class: "soft" }, NO_DATA);
  const passed = trials.filter((one) => one.passed === true).length;
  const open = trials.filter((one) => one.openFailed !== null).length;
  const rest = open === 0 ? "" : `, ${open} not scored`;
  const label = `${passed} of ${trials.length} trials passed${rest}`;
  const more = trials.length > SHOWN_MARKS ? `… ${label}` : "";
  return h(
    "span",
    { class: "marks", role: "img", "aria-label": label, title: label },
    trials.slice(0, SHOWN_MARKS).map(mark),
    more,
  );
}

/** Made once: a report has one for every trial. */
const MARKS = {
  broken: h("span", { class: "tone-doubt" }, "!"),
  open: h("span", { class: "tone-bad" }, "⊘"),
  unscored: h("span", { class: "tone-soft" }, "·"),
  passed: h("span", { class: "tone-good" }, "✓"),
  failed: h("span", { class: "tone-bad" }, "✗"),
} as const;

function mark({ passed, status, openFailed }: TrialCell): Html {
  if (status === "broken") return MARKS.broken;
  if (passed === null) return (openFailed ?? 0) > 0 ? MARKS.open : MARKS.unscored;
  return passed ? MARKS.passed : MARKS.failed;
}
