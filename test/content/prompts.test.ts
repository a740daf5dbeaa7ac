import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { beforeAll, expect, test } from "vitest";
import { APPROVALS } from "../../src/core/nouns/case.ts";
import { ROLES, type Role, type Variant } from "../../src/core/nouns/variant.ts";
import { assemblePrompt } from "../../src/core/prompt/assemble.ts";
import { renderIndex } from "../../src/core/skill/index-text.ts";
import { openVariant } from "../../src/io/variants.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
let shipped: Variant;
beforeAll(async () => {
  shipped = await openVariant(root, "dir:.", {
    prompts: "prompts",
    skills: "skills",
    profile: "layered",
    delivery: null,
    personality: "calm",
    tierDir: ".evalkit",
    userDir: null,
    env: {},
  });
});
const assembled = (role: Role, approval: (typeof APPROVALS)[number]) =>
  assemblePrompt(shipped, { role, approval, context: "", handoff: "", skills: shipped.skills, values: {} });

test("every role and approval assembles without a note, in 2,000 to 4,000 tokens", () => {
  for (const role of ROLES) {
    for (const approval of APPROVALS) {
      const prompt = assembled(role, approval);
      expect(prompt.notes).toEqual([]);
      expect(encode(prompt.text).length, `${role} under ${approval}`).toBeGreaterThanOrEqual(2_000);
      expect(encode(prompt.text).length, `${role} under ${approval}`).toBeLessThanOrEqual(4_000);
    }
  }
});

test("role first, then the language, then the order of rules", () => {
  const { text } = assembled("agent", "auto");
  expect(text.startsWith("You are the coding agent")).toBe(true);
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
  expect(headings.slice(0, 3)).toEqual(["Language", "Order of rules", "Which tool"]);
  expect(new Set(headings).size).toBe(headings.length);
});

test("modes that answer in JSON state exactly the keys that the loop reads", () => {
  const sample = (file: string): unknown => {
    const line = read(`prompts/modes/${file}.md`)
      .split("\n")
      .find((text) => text.startsWith("{"));
    return JSON.parse(line ?? "");
  };
  const task = {
    id: expect.any(String),
    description: expect.any(String),
    type: expect.any(String),
    dependencies: [],
  };
  expect(sample("planner")).toEqual({ summary: expect.any(String), tasks: [task] });
  expect(sample("team-planner")).toEqual({ summary: expect.any(String), steps: [task] });
  expect(sample("team-reviewer")).toEqual({
    approved: false,
    summary: expect.any(String),
    issues: [expect.any(String)],
    suggestions: [expect.any(String)],
  });
});

test("the built-in skills load without a note and fit into the index", () => {
  expect(shipped.skillCounts).toEqual({ found: 3, loaded: 3, refused: 0 });
  expect(shipped.notes).toEqual([]);
  const index = renderIndex(shipped.skills);
  expect(Buffer.byteLength(index.text)).toBeLessThan(4_096);
  expect([...index.shortened, ...index.omitted]).toEqual([]);
});

test("the site notes that web-access names are those that it brings", () => {
  const folder = "skills/web-access/references";
  const body = read("skills/web-access/SKILL.md");
  const named = [...body.matchAll(/`([\w.-]+\.md)`/g)].map(([, name]) => name).sort();
  const brought = readdirSync(join(root, folder)).sort();
  expect(named).toEqual(brought);
  expect(brought.length).toBeGreaterThanOrEqual(6);
  for (const name of brought) {
    const note = read(join(folder, name));
    for (const heading of ["## Traits", "## What works", "## Traps", "## Fields worth having"])
      expect(note, name).toContain(heading);
  }
});

test("no layer is missing, and none stands there unused", () => {
  const used = new Set([
    "base.md",
    "personalities/calm.md",
    "context/context-management.md",
    ...ROLES.map((role) => `modes/${role}.md`),
    ...APPROVALS.map((approval) => `approvals/${approval}.md`),
  ]);
  const there = readdirSync(join(root, "prompts"), { recursive: true })
    .map(String)
    .filter((path) => path.endsWith(".md"));
  expect(new Set(there)).toEqual(used);
  expect(existsSync(join(root, "prompts/base.md"))).toBe(true);
});
