import { auditBlock } from "../gap/audit.ts";
import type { ReportInput } from "../input.ts";
import { h, type Html } from "./markup.ts";
import type { Section } from "./section.ts";

/** The audit's check list as it stands in report.md; its boxes are for people, so they are shown and not clickable. */
export function auditSection(input: ReportInput): Section {
  const items: { done: boolean | null; text: string; details: string[] }[] = [];
  for (const line of auditBlock(input).split("\n")) {
    const [, box, text = ""] = /^- \[([ x])\] (.*)$/.exec(line) ?? [];
    const detail = /^ {2}- (.*)$/.exec(line)?.[1];
    if (box !== undefined) items.push({ done: box === "x", text, details: [] });
    else if (detail !== undefined) items.at(-1)?.details.push(detail);
    else if (line.trim() !== "") items.push({ done: null, text: line, details: [] });
  }
  const list = items.map(({ done, text, details }) =>
    h(
      "li",
      {},
      sign(done),
      inline(text),
      details.length === 0
        ? null
        : h(
            "ul",
            {},
            details.map((one) => h("li", {}, inline(one))),
          ),
    ),
  );
  const legend = h("p", { class: "soft small" }, "✓ answered by facts; ○ for people to look at.");
  return {
    id: "audit",
    title: "Audit",
    body: h("div", { class: "card" }, legend, h("ul", { class: "plain" }, list)),
  };
}

function sign(done: boolean | null): Html | null {
  if (done === null) return null;
  return done ? h("span", { class: "tone-good" }, "✓ ") : h("span", { class: "tone-doubt" }, "○ ");
}

/**
 * Inline Markdown of our own making: text with escaped signs, code spans, strong text. What it does not know stays text,
 * and all of it is escaped for HTML again.
 */
export function inline(markdown: string): Html {
  const parts: (Html | string)[] = [];
  const known = /\\([!-/:-@[-`{-~])|(`+)( ?)([\s\S]*?[^`])\3\2(?!`)|\*\*([^*]+)\*\*|&#8203;|([\s\S])/g;
  for (const [whole, escaped, ticks, , code, strong, other] of markdown.matchAll(known)) {
    if (escaped !== undefined) parts.push(escaped);
    else if (ticks !== undefined && code !== undefined)
      parts.push(h("code", {}, code.replaceAll("\\|", "|")));
    else if (strong !== undefined) parts.push(h("b", {}, strong));
    else if (other !== undefined) parts.push(whole);
  }
  return h("span", {}, parts);
}
