import type { RunRecord } from "../../nouns/run.ts";
import { code, h, type Html } from "./markup.ts";
import type { Section } from "./section.ts";
import { cutText } from "./transcript.ts";

type Setting = RunRecord["settings"][number];

/** Every setting with where its value came from: first what somebody chose, then the defaults, folded. */
export function settingsSection({ settings, model, node, seed }: RunRecord): Section | null {
  if (settings.length === 0) return null;
  const chosen = settings.filter(({ from }) => from !== "default");
  const defaults = settings.filter(({ from }) => from === "default");
  const sent = Object.entries(model.request).map(([key, value]) => `${key} ${valueText(value)}`);
  const facts = [
    `random seed ${seed}, Node ${node.replace(/^v/, "")}`,
    ...(model.server === null ? [] : [`server ${model.server}`]),
    ...(sent.length === 0 ? [] : [`sent with every call: ${sent.join(", ")}`]),
  ];
  const rest = h(
    "details",
    {},
    h("summary", { class: "small" }, `${defaults.length} more at their defaults`),
    table(defaults),
  );
  return {
    id: "settings",
    title: "Settings, and where they came from",
    body: h(
      "div",
      { class: "card" },
      chosen.length === 0 ? h("p", {}, "All settings have their defaults.") : table(chosen),
      defaults.length === 0 ? null : rest,
      h("p", { class: "soft small" }, cutText(facts.join(" · "), 1000)),
    ),
  };
}

function table(settings: readonly Setting[]): Html {
  const names = ["setting", "value", "from"].map((name) => h("th", {}, name));
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      { class: "stack small" },
      h("thead", {}, h("tr", {}, names)),
      h("tbody", {}, settings.map(row)),
    ),
  );
}

function row({ key, value, from }: Setting): Html {
  return h(
    "tr",
    {},
    h("td", { class: "id" }, key),
    h("td", { "data-label": "value" }, code(cutText(valueText(value), 300))),
    h("td", { "data-label": "from" }, from),
  );
}

/** A value as a person writes it: lists without their brackets, nothing as such. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return "not set";
  if (typeof value === "string") return value === "" ? "(empty)" : value;
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(valueText).join(", ");
  return JSON.stringify(value);
}
