import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/nouns/problem.ts";
import type { Layer, Role, Skill } from "../../src/core/nouns/variant.ts";
import { assemblePrompt, type PromptInput, type PromptVariant } from "../../src/core/prompt/assemble.ts";
import { hasLanguageSection } from "../../src/core/prompt/language.ts";
import { tokenCounter } from "../../src/core/prompt/tokens.ts";
import { visible } from "../../src/core/text/visible.ts";

const layer = (path: string, text: string): Layer => ({
  path,
  tier: "builtin",
  file: `prompts/${path}`,
  replaces: [],
  text,
  bytes: Buffer.byteLength(text),
  digest: "sha256:0",
});
const FILES = {
  "base.md": "# Base\n\n## Language\n\nEnglish.\n",
  "personalities/calm.md": "Calm.\n\n",
  "modes/agent.md": "\nAgent.\n",
  "modes/plan.md": "Task {{taskType}}: {{ taskDescription }}.",
  "approvals/auto.md": "Auto.",
  "approvals/never.md": "Never.",
  "context/context-management.md": "Mind the context.",
};
const variant = (
  files: Readonly<Record<string, string>> = FILES,
  more: Partial<PromptVariant> = {},
): PromptVariant => ({
  profile: "layered",
  delivery: "next-user-message",
  personality: "calm",
  layers: Object.entries(files).map(([path, text]) => layer(path, text)),
  ...more,
});
const skill = (name: string, enabled = true): Skill => ({
  name,
  description: `About ${name}.`,
  tags: ["t"],
  tier: "builtin",
  file: "",
  replaces: [],
  body: `Body of ${name}.`,
  files: [],
  enabled,
  digest: "",
});
const input = (more: Partial<PromptInput> = {}): PromptInput => ({
  role: "agent",
  approval: "auto",
  context: "",
  handoff: "",
  skills: [],
  values: {},
  ...more,
});
const problems = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof InputError) return error.problems;
    throw error;
  }
  return [];
};

describe("profile layered", () => {
  test("sections in their fixed order, trimmed, one blank line between", () => {
    const prompt = assemblePrompt(
      variant(),
      input({ context: "Uses pnpm.\n", handoff: "Done so far.", skills: [skill("a"), skill("b", false)] }),
    );
    expect(prompt.text).toBe(
      [
        "# Base\n\n## Language\n\nEnglish.",
        "Calm.",
        "Agent.",
        "Auto.",
        "## Project Context\n\nUses pnpm.",
        "## Skills\n\n- a: About a. [t]",
        "Mind the context.",
        "## Handoff\n\nDone so far.",
      ].join("\n\n"),
    );
    expect(prompt.sections.map((section) => section.kind)).toEqual([
      "base",
      "personality",
      "mode",
      "approval",
      "context",
      "skills",
      "context-management",
      "handoff",
    ]);
    expect(prompt.notes).toEqual([]);
  });

  test("what is empty is left out with its heading", () => {
    const { text } = assemblePrompt(
      variant({ ...FILES, "modes/agent.md": " \n" }),
      input({ context: " \n", skills: [skill("a", false)] }),
    );
    expect(text).toBe("# Base\n\n## Language\n\nEnglish.\n\nCalm.\n\nAuto.\n\nMind the context.");
  });

  test("delivery system-prompt: every enabled body stands below the index", () => {
    const { text } = assemblePrompt(
      variant(FILES, { delivery: "system-prompt" }),
      input({ skills: [skill("a"), skill("b"), skill("c", false)] }),
    );
    expect(text).toContain(
      "- b: About b. [t]\n\n## Loaded skill: a\n\nBody of a.\n\n## Loaded skill: b\n\nBody of b.\n\nMind",
    );
    expect(text).not.toContain("Body of c.");
  });

  test("an agent's missing layers are left out with a note, another role's mode is required", () => {
    const bare = variant({ "base.md": FILES["base.md"] });
    expect(assemblePrompt(bare, input()).notes.map((note) => note.where.file)).toEqual(
      ["personalities/calm.md", "modes/agent.md", "approvals/auto.md", "context/context-management.md"].sort(
        (a, b) => order(a) - order(b),
      ),
    );
    for (const role of ["plan", "planner", "team-planner", "team-worker", "team-reviewer"] satisfies Role[]) {
      expect(problems(() => assemblePrompt(bare, input({ role })))).toMatchObject([
        { code: "missing-layer", where: { file: `modes/${role}.md` } },
      ]);
    }
    expect(problems(() => assemblePrompt({ ...bare, personality: "brisk" }, input()))).toHaveLength(1);
  });

  test("a shortened index is told", () => {
    const long = { ...skill("a"), description: "x".repeat(9000) };
    expect(assemblePrompt(variant(), input({ skills: [long] })).notes).toMatchObject([
      { code: "index-shortened" },
    ]);
  });
});

const order = (path: string) =>
  ["personalities/calm.md", "modes/agent.md", "approvals/auto.md", "context/context-management.md"].indexOf(
    path,
  );

describe("profile two-layer", () => {
  const two = (more: Partial<PromptVariant> = {}) =>
    variant({ "base.md": "You code.\n" }, { profile: "two-layer", delivery: "tool-result", ...more });
  test("base.md, the list, nothing else, no Language check", () => {
    expect(assemblePrompt(two(), input({ skills: [skill("a")] })).text).toBe(
      "You code.\n\nSkills available:\n- a: About a. [t]",
    );
    expect(assemblePrompt(two(), input()).text).toBe("You code.\n\nSkills available:\n(no skills available)");
    expect(assemblePrompt(two(), input({ context: "Uses pnpm." })).notes).toMatchObject([
      { code: "section-left-out" },
    ]);
    expect(
      assemblePrompt(two({ delivery: "system-prompt" }), input({ skills: [skill("a")] })).text,
    ).toContain('\n\n<skill name="a">\nBody of a.\n</skill>');
  });
});

describe("the Language section", () => {
  test.each([
    ["## Language", true],
    ["text\n   ##  Language ##\nmore", true],
    ["### Language notes", false],
    ["## Languages", false],
    ["# Language", false],
    ["    ## Language", false],
    ["Say `## Language` here", false],
    ["```\n## Language\n```", false],
    ["~~~md\n## Language", false],
    ["````\n```\n## Language\n````\n## Language", true],
    ["```\n``` x\n## Language\n```", false],
    ["``` `x`\n## Language", true],
  ])("%j: %s", (text, found) => {
    expect(hasLanguageSection(text)).toBe(found);
  });

  test("must stand in base.md itself", () => {
    const other = variant({ "base.md": "# Base", "modes/agent.md": "## Language" });
    expect(problems(() => assemblePrompt(other, input()))).toMatchObject([
      { code: "no-language-section", where: { file: "prompts/base.md" } },
    ]);
  });
});

describe("placeholders", () => {
  const plan = (text: string, values: Record<string, string>) =>
    assemblePrompt(variant({ ...FILES, "modes/plan.md": text }), input({ role: "plan", values })).text;
  test("are filled in mode files, once: values are never rendered", () => {
    const values = { taskType: "css: a{#top} {% raw %} {{taskDescription}}", taskDescription: "d" };
    expect(plan("{{taskType}} and {{ taskDescription }}", values)).toContain(
      "css: a{#top} {% raw %} {{taskDescription}} and d",
    );
  });
  test("other braces are bytes, a backslash writes the literal ones", () => {
    const text = 'As {"title":"","items":[]}, {{#if}}, {% x %}, $y and \\{{name}}';
    expect(plan(text, {})).toContain('As {"title":"","items":[]}, {{#if}}, {% x %}, $y and {{name}}');
  });
  test("one that isn't declared or has no value names layer and line", () => {
    const errors = problems(() => plan("You work.\nIn {{workdir}} on {{goal}}", {}));
    expect(errors.map((error) => [error.where.file, error.where.line, error.where.column])).toEqual([
      ["prompts/modes/plan.md", 2, 4],
      ["prompts/modes/plan.md", 2, 19],
    ]);
  });
  test("names from the prototype are no values", () => {
    expect(problems(() => plan("{{constructor}}", {}))).toHaveLength(1);
  });
});

test("any layers and texts assemble or are refused by problems, never by a crash", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.constantFrom("## Language", "{{goal}}", "```\n## Language", "\n\n"),
  );
  const paths = fc.constantFrom(...Object.keys(FILES), "modes/planner.md");
  fc.assert(
    fc.property(
      fc.dictionary(paths, text),
      text,
      text,
      fc.constantFrom("agent", "plan", "planner" as Role),
      (files, context, handoff, role) => {
        const own = variant({ "base.md": "## Language", ...files });
        const found = problems(() => {
          const prompt = assemblePrompt(
            own,
            input({ role: role as Role, context, handoff, values: { goal: "g" } }),
          );
          const total =
            prompt.sections.reduce((sum, section) => sum + section.bytes, 0) +
            2 * (prompt.sections.length - 1);
          expect(Buffer.byteLength(prompt.text)).toBe(Math.max(0, total));
        });
        expect(found.every((problem) => problem.code !== "")).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

test("tokens are an estimate that takes any text", async () => {
  const count = await tokenCounter();
  expect(count("Hello world")).toBe(2);
  expect(count("<|endoftext|>")).toBeGreaterThan(1);
  expect(count("a".repeat(50_000))).toBeGreaterThan(1000);
});

test("control characters are shown, not sent to a terminal", () => {
  expect(visible("a\u001b[31mb\tc\nd\u009b\u202e")).toBe("a␛[31mb\tc\nd␡␡");
});
