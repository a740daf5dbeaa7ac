import { beforeAll, expect, test } from "vitest";
import type { Case } from "../../src/core/nouns/case.ts";
import type { Variant } from "../../src/core/nouns/variant.ts";
import { faults, play, scripts, shippedCases, variantOf } from "./play.ts";

let cases: readonly Case[];
let shipped: Variant;
beforeAll(async () => {
  cases = await shippedCases();
  shipped = await variantOf();
});

test("at least 24 cases, each with an intent, an expectation and a script", () => {
  expect(cases.length).toBeGreaterThanOrEqual(24);
  expect(scripts.map((script) => script.case).sort()).toEqual(cases.map(({ id }) => id).sort());
  for (const one of cases) {
    expect(one.intent, one.id).toMatch(/^Guards /);
    expect(one.expect.completion, one.id).toBeDefined();
    expect(one.expect.tools, one.id).toBeDefined();
  }
});

test("every theme has cases of its own", () => {
  const tags = new Map<string, number>();
  for (const tag of cases.flatMap((one) => one.tags)) tags.set(tag, (tags.get(tag) ?? 0) + 1);
  const themes = [
    "web-access",
    "tool-choice",
    "safety",
    "language",
    "skills",
    "errors",
    "plan",
    "team",
    "approvals",
    "multi-turn",
  ];
  for (const theme of themes) expect(tags.get(theme) ?? 0, theme).toBeGreaterThanOrEqual(2);
  expect(cases.some((one) => one.critical)).toBe(true);
});

test("a good agent passes every case in all that is scored", async () => {
  const lines = await play("good", cases, shipped);
  const failing = cases.map(({ id }) => [id, ...faults(lines.get(id))]).filter((one) => one.length > 1);
  expect(failing).toEqual([]);
});

test("an agent that knows none of the rules fails every case", async () => {
  const lines = await play("naive", cases, shipped);
  const passing = cases.filter(({ id }) => faults(lines.get(id)).length === 0).map(({ id }) => id);
  expect(passing).toEqual([]);
  // Badly behaved, not broken: a trial that fails through the harness would prove nothing.
  expect([...lines.values()].filter((line) => line.status === "broken")).toEqual([]);
});
