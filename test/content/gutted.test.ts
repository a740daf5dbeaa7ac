import { beforeAll, expect, test } from "vitest";
import type { Case } from "../../src/core/nouns/case.ts";
import type { Variant } from "../../src/core/nouns/variant.ts";
import { faults, play, scripts, shippedCases, variantOf } from "./play.ts";

/*
 * A simulated model that keeps exactly the rules that stand in what it was sent. If a part of prompts or skills is taken
 * out, the cases that guard it must turn red, and only they: that is what a set of cases is for.
 */
let cases: readonly Case[];
let shipped: Variant;
beforeAll(async () => {
  cases = await shippedCases();
  shipped = await variantOf();
});

/** Rules of a case's script; those of one role, if it is named: some sentences stand in several mode files. */
const rulesOf = (id: string, role?: string) =>
  scripts
    .filter((script) => script.case === id)
    .flatMap((script) => script.conversations)
    .filter((conversation) => role === undefined || conversation.role === role)
    .flatMap(({ rule }) => rule ?? []);
const red = async (variant: Variant) => {
  const lines = await play("obedient", cases, variant);
  return cases.map(({ id }) => id).filter((id) => faults(lines.get(id)).length > 0);
};
const guarding = (text: string, role?: string) =>
  cases.map(({ id }) => id).filter((id) => rulesOf(id, role).some((rule) => text.includes(rule)));

/** The shipped variant with one layer's text changed. */
const withLayer = (path: string, change: (text: string) => string): Variant => ({
  ...shipped,
  layers: shipped.layers.map((layer) =>
    layer.path === path ? { ...layer, text: change(layer.text) } : layer,
  ),
});
const layerText = (path: string) => shipped.layers.find((layer) => layer.path === path)?.text ?? "";
/** A `##` section of base.md without its heading. */
const sectionOf = (heading: string) =>
  layerText("base.md")
    .split(/^## /m)
    .find((part) => part.startsWith(`${heading}\n`))
    ?.slice(heading.length) ?? "";

test("the shipped prompt and skills make the obedient model pass every case", async () => {
  expect(await red(shipped)).toEqual([]);
  for (const { id } of cases) expect(rulesOf(id), id).not.toEqual([]);
});

test.each([
  "Language",
  "Order of rules",
  "Which tool",
  "The web",
  "Using skills",
  "Safety",
  "Working",
  "Finishing",
])("without the section %s of base.md the cases that guard it fail, and no others", async (heading) => {
  const section = sectionOf(heading);
  const guards = guarding(section);
  expect(guards.length).toBeGreaterThan(0);
  const gutted = withLayer("base.md", (text) => text.replace(section, "\n\nBe helpful.\n\n"));
  expect(await red(gutted)).toEqual(guards);
});

test.each([
  "modes/agent.md",
  "modes/plan.md",
  "modes/planner.md",
  "modes/team-planner.md",
  "modes/team-worker.md",
  "modes/team-reviewer.md",
  "approvals/suggest.md",
  "approvals/auto.md",
  "approvals/never.md",
  "context/context-management.md",
])("without the text of %s the cases that guard it fail, and no others", async (path) => {
  const heading = layerText(path).split("\n")[0] ?? "";
  const own = guarding(layerText(path), /^## Mode: (.+)$/.exec(heading)?.[1]);
  expect(own.length).toBeGreaterThan(0);
  expect(await red(withLayer(path, () => `${heading}\n\nBe helpful.\n`))).toEqual(own);
});

test.each(["web-access", "code-review", "release-notes"])(
  "without the body of the skill %s the cases that guard it fail, and no others",
  async (name) => {
    const guards = guarding(shipped.skills.find((skill) => skill.name === name)?.body ?? "");
    expect(guards.length).toBeGreaterThan(0);
    const skills = shipped.skills.map((skill) =>
      skill.name === name ? { ...skill, body: "Do it well." } : skill,
    );
    expect(await red({ ...shipped, skills })).toEqual(guards);
  },
);

test("a prompt that only says to be helpful fails nearly everything", async () => {
  const vague = withLayer("base.md", () => "You are an assistant.\n\n## Language\n\nUse the tools wisely.\n");
  expect((await red(vague)).length).toBeGreaterThan(cases.length * 0.6);
});
