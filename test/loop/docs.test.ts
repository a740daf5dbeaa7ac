import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MATCHERS } from "../../src/core/match/value.ts";
import { BUILT_IN_TOOLS, MATCH_MODES, MODES } from "../../src/core/nouns/case.ts";
import { toolSpecsFor } from "../../src/run/tools/offered.ts";
import { caseOf, skillOf } from "./support.ts";

const text = readFileSync(join(import.meta.dirname, "../../docs/loop.md"), "utf8");

test("docs/loop.md names every mode, tool, match mode and matcher", () => {
  const names = [...MODES, ...BUILT_IN_TOOLS, ...MATCH_MODES, ...MATCHERS];
  expect(names.filter((name) => !text.includes(`\`${name}`))).toEqual([]);
});

test("every built-in tool is offered, describes itself and its parameters, and takes no others", () => {
  const specs = toolSpecsFor(caseOf(), { skills: [skillOf("a")], delivery: "next-user-message" });
  expect(specs.map((spec) => spec.function.name)).toEqual([...BUILT_IN_TOOLS]);
  for (const { function: tool } of specs) {
    expect(tool.description.length).toBeGreaterThan(60);
    expect(tool.parameters.additionalProperties).toBe(false);
    for (const parameter of Object.values(tool.parameters.properties as object)) {
      expect(parameter.description, tool.name).toMatch(/\.$/);
    }
  }
});
