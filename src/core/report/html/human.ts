import { humanLines } from "../../human/text.ts";
import type { ReportInput } from "../input.ts";
import { code, h, type Html } from "./markup.ts";
import type { Section } from "./section.ts";
import { cutText } from "./transcript.ts";

const SHOWN = 30;

/** What people said: first where they and the checks disagree, then their scores. Null where no sheet was imported. */
export function humanSection({ human, disagreements }: ReportInput): Section | null {
  if (human === null) return null;
  const lines = humanLines(human).map((line) => h("li", {}, line.trim()));
  return {
    id: "people",
    title: "What people said",
    body: h("div", { class: "card" }, against(disagreements), h("h3", {}, "Scores"), h("ul", {}, lines)),
  };
}

function against(disagreements: ReportInput["disagreements"]): Html | null {
  if (disagreements.length === 0) return null;
  const items = disagreements.slice(0, SHOWN).map(({ case: id, arm, trial, kind, accuracy, notes }) => {
    const words =
      kind === "too-mild"
        ? "the checks passed what people find wrong"
        : "the checks failed what people find right";
    const said = notes.length === 0 ? "" : ` “${cutText(notes.join("; "), 400)}”`;
    return h(
      "li",
      {},
      code(id),
      ` ${arm}, trial ${trial}: ${words} (accuracy ${accuracy.toFixed(1)}).${said}`,
    );
  });
  const left = disagreements.length - SHOWN;
  return h(
    "div",
    {},
    h("h3", {}, "Where people and checks disagree"),
    h("ul", {}, items),
    left > 0 ? h("p", {}, `and ${left} more`) : null,
  );
}
