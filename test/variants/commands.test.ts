import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseSkillState } from "../../src/core/skill/state.ts";
import { switchSkill } from "../../src/io/skill-state.ts";
import { cli, commit, type Files, git, repository, tempDir, writeFiles } from "../support/project.ts";

const skillText = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\nBody of ${name}.\n`;
const FILES: Files = {
  "prompts/base.md": "# Base\n\n## Language\n\nEnglish.\n",
  "prompts/personalities/calm.md": "Calm.\n",
  "prompts/modes/agent.md": "Agent.\n",
  "prompts/modes/plan.md": "Task: {{taskDescription}}\n",
  "prompts/approvals/auto.md": "Auto.\n",
  "prompts/context/context-management.md": "Context.\n",
  ".evalkit/prompts/modes/agent.md": "Project agent.\n",
  "skills/web/SKILL.md": skillText("web", "The web: pages and searches"),
  "pkg/sub/readme": "",
};
const root = repository(FILES, { edited: { "prompts/base.md": "# New\n\n## Language\n\nEnglish.\n" } });
const run = (cwd: string, ...args: string[]) => cli(args, { cwd });

describe("evalkit assemble", () => {
  test("the prompt goes to stdout, its layers with what they replace to stderr", async () => {
    const { code, stdout, stderr } = await run(join(root, "pkg/sub"), "assemble", "--context", "Uses pnpm.");
    expect(stdout).toBe(
      "# Base\n\n## Language\n\nEnglish.\n\nCalm.\n\nProject agent.\n\nAuto.\n\n## Project Context\n\nUses pnpm.\n\n" +
        "## Skills\n\n- web: The web: pages and searches\n\nContext.\n",
    );
    expect(stderr).toMatch(
      / {2}modes\/agent\.md +project +15 B +~\d+ {2}[0-9a-f]{12}\n {4}from \.evalkit\/prompts\/modes\/agent\.md\n {4}replaces prompts\/modes\/agent\.md\n/,
    );
    expect(stderr).toContain("tokens (estimate by o200k_base)");
    expect(stderr).toContain("skills/web/SKILL.md:3: warning: the plain value of description holds");
    expect(code).toBe(0);
  });

  test("--json prints only JSON, with prompt, layers, sections, skills and notes", async () => {
    const { code, stdout, stderr } = await run(root, "assemble", "--variant", "edited", "--json");
    const report = JSON.parse(stdout);
    expect([code, stderr]).toEqual([0, ""]);
    expect(report.prompt.startsWith("# New\n")).toBe(true);
    expect(report.layers.map((layer: { path: string }) => layer.path)).toEqual([
      "base.md",
      "personalities/calm.md",
      "modes/agent.md",
      "approvals/auto.md",
      "context/context-management.md",
    ]);
    expect(report.layers[0]).toMatchObject({
      tier: "builtin",
      file: "prompts/base.md",
      replaces: [],
      bytes: 29,
    });
    expect(report.layers[0].digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(report.source).toEqual({
      kind: "git",
      rev: "edited",
      commit: git(root, "rev-parse", "edited").trim(),
    });
  });

  test("another mode; placeholders show their names or the values given", async () => {
    expect((await run(root, "assemble", "--mode", "plan")).stdout).toContain("Task: <taskDescription>");
    expect(
      (await run(root, "assemble", "--mode", "plan", "--value", "taskDescription=a=b")).stdout,
    ).toContain("Task: a=b");
  });

  test.each([
    [["--mode", "plann"], "Did you mean plan?"],
    [["--approval", "nevr"], "Did you mean never?"],
    [["--variant", "edted"], "did you mean edited?"],
    [["--value", "x"], "expected NAME=TEXT"],
    [["--mode", "planner"], "modes/planner.md is missing"],
    [["--varient", "main"], "--variant"],
  ])("%j is answered, exit 2", async (args, said) => {
    const { code, stdout, stderr } = await run(root, "assemble", ...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(said);
  });

  test("a repository without prompts is told what was looked for", async () => {
    const { code, stderr } = await run(repository({ a: "" }), "assemble");
    expect(code).toBe(2);
    expect(stderr).toContain("looked for .evalkit/prompts/base.md, prompts/base.md");
    expect(stderr).toContain("evalkit init");
  });
});

describe("evalkit skills", () => {
  test("lists skills with tier, file, state and counts; refused ones by name", async () => {
    const dir = repository({
      ...FILES,
      "skills/bad/SKILL.md": "---js\n---\n",
      ".evalkit/skills/web/SKILL.md": skillText("web", "Ours."),
    });
    const { code, stdout, stderr } = await run(dir, "skills");
    expect(stdout).toBe(
      "web  on   project  .evalkit/skills/web/SKILL.md\n  Ours.\n  replaces skills/web/SKILL.md\n3 found, 2 loaded, 1 refused\n",
    );
    expect(stderr).toContain(
      'skills/bad/SKILL.md:1: warning: skill refused: the skill opens its front matter with "---js"',
    );
    expect(code).toBe(0);
    expect(JSON.parse((await run(dir, "skills", "list", "--json")).stdout)).toMatchObject({
      found: 3,
      refused: 1,
      skills: [{ name: "web", tier: "project" }],
    });
  });

  test("skills that are there and all refused are bad input", async () => {
    const { code, stderr } = await run(repository({ "skills/x/skill.md": "x" }), "skills");
    expect(code).toBe(2);
    expect(stderr).toContain("rename it to SKILL.md");
  });

  test("skills that are switched off at once are all off", async () => {
    const dir = tempDir();
    const names = ["a", "b", "c", "d", "e"];
    await Promise.all(names.map((name) => switchSkill(dir, ".evalkit", name, false)));
    const state = readFileSync(join(dir, ".evalkit/skills.json"), "utf8");
    expect(parseSkillState("skills.json", state)).toEqual(names);
    expect(readdirSync(join(dir, ".evalkit"))).toEqual(["skills.json"]);
  });

  test("nothing is made where nothing changes; a state that can't be read is not written over", async () => {
    const dir = tempDir();
    await switchSkill(dir, ".evalkit", "a", true);
    expect(existsSync(join(dir, ".evalkit"))).toBe(false);
    mkdirSync(join(dir, ".evalkit/skills.json"), { recursive: true });
    await expect(switchSkill(dir, ".evalkit", "a", false)).rejects.toThrow(
      "the skill state can't be read (EISDIR)",
    );
  });

  test("off and on change the working tree's state and nothing in git", async () => {
    const dir = repository(FILES);
    expect((await run(dir, "skills", "off", "web")).code).toBe(0);
    expect(readFileSync(join(dir, ".evalkit/skills.json"), "utf8")).toBe(
      '{\n  "disabled": [\n    "web"\n  ]\n}\n',
    );
    expect((await run(dir, "skills")).stdout).toContain("web  off");
    expect((await run(dir, "skills", "--variant", "main")).stdout).toContain("web  on");
    expect((await run(dir, "assemble")).stdout).not.toContain("## Skills");
    expect((await run(join(dir, "pkg/sub"), "skills", "on", "web")).code).toBe(0);
    expect((await run(dir, "skills")).stdout).toContain("web  on");
  });

  test("nothing is written through a tier folder that is a link", async () => {
    const outside = tempDir();
    const dir = repository({ ...FILES, ".evalkit/prompts/modes/agent.md": null });
    symlinkSync(outside, join(dir, ".evalkit"));
    commit(dir, {}, "The tier's folder is a link");
    expect((await run(dir, "skills", "off", "web")).code).toBe(2);
    expect(existsSync(join(outside, "skills.json"))).toBe(false);
  });

  test("shows one skill; unknown names and commands are answered with the nearest", async () => {
    expect((await run(root, "skills", "show", "web")).stdout).toBe("Body of web.\n");
    for (const args of [["show", "wbe"], ["off", "wbe"], ["lst"], ["of", "web"]]) {
      const { code, stderr } = await run(root, "skills", ...args);
      expect(code).toBe(2);
      expect(stderr).toMatch(/[Dd]id you mean|list, show, on, off/);
    }
  });

  test("evalkit's own skills are unpacked into the home folder, once", async () => {
    const home = tempDir();
    const first = await cli(["skills"], { cwd: root, env: { HOME: home } });
    expect(first.stderr).toContain("evalkit's own skills are unpacked");
    expect(existsSync(join(home, ".evalkit/skills-cache/web-access/SKILL.md"))).toBe(true);
    writeFiles(home, { ".evalkit/skills-cache/web-access/SKILL.md": "kept" });
    const second = await cli(["skills"], { cwd: root, env: { HOME: home } });
    expect(second.stderr).not.toContain("unpacked");
    expect(second.stdout).toBe(first.stdout);
    expect(readFileSync(join(home, ".evalkit/skills-cache/web-access/SKILL.md"), "utf8")).toBe("kept");
  });
});

test("config, environment and flags say where prompts and skills lie", async () => {
  const dir = repository({
    "evalkit.yaml": "prompts: agent/prompts\nskills: agent/skills\ntierDir: .paicli\n",
    "agent/prompts/base.md": "## Language\n",
    "agent/skills/a/SKILL.md": skillText("a", "A."),
    ".paicli/prompts/modes/agent.md": "PaiCLI agent.\n",
  });
  expect((await run(dir, "assemble")).stdout).toBe("## Language\n\nPaiCLI agent.\n\n## Skills\n\n- a: A.\n");
  expect((await run(dir, "assemble", "--profile", "two-layer")).stdout).toBe(
    "## Language\n\nSkills available:\n- a: A.\n",
  );
  const other = await cli(["assemble"], { cwd: dir, env: { EVALKIT_TIER_DIR: ".other" } });
  expect(other.stdout).toBe("## Language\n\n## Skills\n\n- a: A.\n");
  expect((await run(dir, "assemble", "--profile", "layred")).code).toBe(2);
});
