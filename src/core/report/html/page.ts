import type { ReportInput } from "../input.ts";
import { auditSection } from "./audit.ts";
import { allCases } from "./all-cases.ts";
import { closerLooks } from "./closer-looks.ts";
import { head, verdictHead } from "./head.ts";
import { humanSection } from "./human.ts";
import { all, h } from "./markup.ts";
import { metricSection } from "./metrics.ts";
import { notesSection } from "./notes.ts";
import { settingsSection } from "./settings.ts";
import { changeSection } from "./texts.ts";

/**
 * report.html: one file that opens offline, without scripts, fonts or requests; its policy forbids them even if a text
 * of the run got past the escaping. All texts come from the run's own files.
 */
export function htmlReport(input: ReportInput): string {
  const sections = [
    metricSection(input),
    ...closerLooks(input),
    changeSection(input.record),
    humanSection(input),
    auditSection(input),
    allCases(input),
    notesSection(input),
    settingsSection(input.record),
  ].filter((section) => section !== null);
  const links = sections.map(({ id, title }) => h("a", { href: `#${id}` }, title));
  const body = sections.map((section) => [h("h2", { id: section.id }, section.title), section.body]);
  const main = h(
    "main",
    {},
    verdictHead(input),
    h("nav", { "aria-label": "Parts of this report" }, links),
    body.flat(),
  );
  return `<!doctype html>\n${h("html", { lang: "en" }, all(head(input), h("body", {}, main))).markup}\n`;
}
