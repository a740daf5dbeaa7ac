import { marked } from "marked";
import { expect, test } from "vitest";
import {
  htmlAttribute,
  htmlText,
  inertLine,
  markdownCell,
  markdownCode,
  markdownCodeCell,
  markdownFence,
  markdownText,
  oneLine,
  terminalText,
  workflowData,
  workflowProperty,
  xmlText,
} from "../../src/core/report/escape.ts";
import { ATTACKS } from "./attacks.ts";

/** The text of rendered Markdown: tags taken out, entities and invisible breaks of mentions undone. */
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&#8203;", "")
    .replaceAll("\u200b", "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ")
    .trim();
const render = (markdown: string) => marked.parse(markdown, { async: false });
const tagsOf = (html: string) =>
  [...new Set([...html.matchAll(/<\/?([a-z0-9]+)/g)].map(([, tag]) => tag))].sort();

test.each(ATTACKS)("Markdown text shows %j as it is and makes nothing of it", (attack) => {
  const html = render(`before ${markdownText(attack)} after`);
  expect(tagsOf(html)).toEqual(["p"]);
  expect(textOf(html)).toBe(`before ${oneLine(attack)} after`.replace(/\s+/g, " "));
  expect(tagsOf(render(markdownText(attack)))).toEqual(oneLine(attack) === "" ? [] : ["p"]);
});

test.each(ATTACKS)("a Markdown table keeps its shape around %j", (attack) => {
  const html = render(
    `| a | b |\n| --- | --- |\n| ${markdownCell(attack)} | ${markdownCodeCell(attack)} |\n| 1 | 2 |`,
  );
  expect(html.match(/<tr>/g)).toHaveLength(3);
  expect(html.match(/<td>/g)).toHaveLength(4);
  const allowed = new Set(["code", "em", "table", "tbody", "td", "th", "thead", "tr"]);
  expect(tagsOf(html).filter((tag) => !allowed.has(tag ?? ""))).toEqual([]);
});

test.each(ATTACKS)("a code span and a fence hold %j whole", (attack) => {
  const span = render(`x ${markdownCode(attack)} y`);
  expect(textOf(span)).toBe(`x ${oneLine(attack) || "(empty)"} y`);
  const fence = render(`${markdownFence(attack, "text")}\n\nafter`);
  expect(tagsOf(fence)).toEqual(["code", "p", "pre"]);
  expect(fence.trimEnd().endsWith("<p>after</p>")).toBe(true);
});

test.each(ATTACKS)("HTML and XML hold %j as text", (attack) => {
  for (const escaped of [htmlText(attack), htmlAttribute(attack), xmlText(attack)])
    expect(escaped).not.toMatch(/[<>"'`]|&(?!#\d+;)/);
  expect(htmlAttribute(attack)).not.toMatch(/[\n\t]/);
  expect(xmlText(attack)).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u);
});

test.each(ATTACKS)("neither terminal nor runner obeys %j", (attack) => {
  expect(terminalText(attack)).not.toMatch(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
  );
  for (const line of terminalText(attack).split("\n")) expect(inertLine(line)).not.toMatch(/^\s*::|##\[/);
  expect(workflowData(attack)).not.toMatch(/[\r\n]/);
  expect(workflowProperty(attack)).not.toMatch(/[\r\n:,]/);
});
