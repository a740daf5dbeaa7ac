import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { evalkit } from "../support/in-process.ts";
import { cli, commit, git, repository, tempDir, writeFiles } from "../support/project.ts";
import { BASE, fixture, listed, projectWith, readFixture, skill } from "./support.ts";

/** Where skills and layers are looked for, and what is never taken for one. */

/** A server that no test of this file gets to ask. */
const NOWHERE = ["--base-url", "http://127.0.0.1:9/v1"];

describe("discovery", () => {
  test("a skill's folder, node_modules and build folders hold no further skills (BR-027)", async () => {
    const dir = projectWith(["BR-027"], {
      "skills/node_modules/dep/SKILL.md": skill("dep"),
      "skills/dist/copy/SKILL.md": skill("copy"),
      "skills/build/SKILL.md": skill("build"),
      "skills/a/b/c/SKILL.md": skill("deep"),
    });
    const { skills, notes, found, refused } = await listed(dir);
    expect(skills.map(({ name }) => name)).toEqual(["build", "deep", "tool"]);
    expect([found, refused]).toEqual([4, 1]);
    expect(notes).toEqual(['skills/dist/copy/SKILL.md skill refused: it lies below a build folder, "dist"']);
  });

  test("a lone skill.md is no skill for any command, and none loaded is an error (BR-029)", async () => {
    const dir = projectWith([], {
      "skills/low/skill.md": skill("low"),
      "cases/a.yaml": "turns: [{ user: Hi. }]\nskills: [low]\n",
    });
    expect(await listed(dir)).toMatchObject({
      ...{ found: 1, loaded: 0, code: 2 },
      notes: ["skills/low/skill.md skill refused: it is not read as a skill"],
    });
    const validated = await evalkit(dir, "validate");
    expect(validated.code).toBe(2);
    expect(validated.err).toContain("rename it to SKILL.md");
    commit(dir, {}, "All");
    writeFiles(dir, { "prompts/base.md": `${BASE}More.\n` });
    const run = await evalkit(
      dir,
      "run",
      "--baseline",
      "main",
      "--candidate",
      "worktree",
      "--model",
      "m",
      ...NOWHERE,
    );
    expect(run.code).toBe(2);
    expect(run.err).toContain('"low"');
  });

  test("one name twice in a tier is an error with both paths (BR-031)", async () => {
    const { code, err } = await evalkit(projectWith(["BR-031"]), "skills");
    expect(code).toBe(2);
    expect(err).toContain("named same: skills/one/SKILL.md and skills/two/SKILL.md");
  });

  test("project beats user beats built-in, also from a folder below (BR-033)", async () => {
    const dir = repository({ "prompts/base.md": BASE, "pkg/sub/x": "" });
    cpSync(fixture("BR-033/builtin/skills"), join(dir, "skills"), { recursive: true });
    cpSync(fixture("BR-033/project"), dir, { recursive: true });
    const home = tempDir();
    cpSync(fixture("BR-033/user"), join(home, ".evalkit"), { recursive: true });
    const { stdout } = await cli(["skills", "--user-tier", "--json"], {
      cwd: join(dir, "pkg/sub"),
      env: { HOME: home },
    });
    const skills: unknown = JSON.parse(stdout).skills;
    expect(skills).toMatchObject([
      {
        description: "project copy",
        file: ".evalkit/skills/fmt/SKILL.md",
        replaces: ["skills/fmt/SKILL.md", join(home, ".evalkit/skills/fmt/SKILL.md")],
      },
    ]);
  });

  test("links out of the roots are refused, on disk and in git (BR-035)", async () => {
    const dir = projectWith([], { "skills/real/SKILL.md": skill("real") });
    execFileSync("sh", [fixture("BR-035/steps.sh")], { cwd: dir });
    execFileSync(
      "sh",
      ["-c", "ln -s /etc skills/etc; ln -s loop skills/loop; ln -s ../../.. skills/real/up"],
      {
        cwd: dir,
      },
    );
    git(dir, "add", "-A");
    git(dir, "commit", "-q", "-m", "Links");
    for (const variant of ["worktree", "main"]) {
      const { skills, notes } = await listed(dir, "--variant", variant);
      expect(skills.map(({ name }) => name)).toEqual(["real"]);
      expect(notes.join("\n")).toMatch(
        /skills\/x\/SKILL\.md skill refused: it is a link to "..\/..\/outside.txt"/,
      );
      expect(notes).toHaveLength(4);
    }
  });
});

describe("layers", () => {
  const withMode = (mode: string) => repository({ "prompts/base.md": BASE, "prompts/modes/plan.md": mode });

  test("only declared placeholders are filled, once; other braces are bytes (BR-037)", async () => {
    const mode = readFixture("BR-037/prompt.md")
      .replace("{{literal}}", "\\{{literal}}")
      .replace("input", "goal");
    const value = readFixture("BR-037/value.txt").trim();
    const dir = withMode(mode);
    const { out, code } = await evalkit(dir, "assemble", "--mode", "plan", "--value", `goal=${value}`);
    expect(code).toBe(0);
    expect(out).toContain('Answer as {"title":"","items":[]}.\nKeep {{literal}} unless asked.\n');
    expect(out).toContain(`User: ${value}`);
  });

  test("an unknown placeholder is an error with layer and line before anything is sent (BR-039)", async () => {
    const dir = withMode(readFixture("BR-039/prompt.md"));
    const { code, err } = await evalkit(dir, "assemble", "--mode", "plan");
    expect(code).toBe(2);
    expect(err).toContain("prompts/modes/plan.md:1:13: error: {{workdir}} can't be filled");
    expect(err).toContain("prompts/modes/plan.md:2:10: error: {{date}} can't be filled");
  });

  test("a Git LFS pointer is never taken for a prompt or a skill (BR-089)", async () => {
    const pointer = readFixture("BR-089/prompts/base.md");
    const dir = repository({ "prompts/base.md": pointer.replaceAll("\n", "\r\n") });
    for (const variant of ["main", "worktree"]) {
      const { code, err } = await evalkit(dir, "assemble", "--variant", variant);
      expect(code).toBe(2);
      expect(err).toContain("is a Git LFS pointer");
    }
    const { notes } = await listed(projectWith([], { "skills/s/SKILL.md": pointer }));
    expect(notes[0]).toMatch(/skill refused: .*Git LFS pointer/);
  });

  test("line ends and a BOM are no change (BR-091)", async () => {
    const [ref, work] = [readFixture("BR-091/ref.md"), readFixture("BR-091/work.md")];
    expect(work).not.toBe(ref);
    const dir = repository({
      "prompts/base.md": `${BASE}${ref}`,
      "skills/s/SKILL.md": skill("s"),
      "cases/a.yaml": "turns: [{ user: Hi. }]\n",
    });
    writeFiles(dir, {
      "prompts/base.md": `\uFEFF${BASE.replaceAll("\n", "\r\n")}${work}`,
      "skills/s/SKILL.md": skill("s").replaceAll("\n", "\r\n"),
    });
    const run = await evalkit(
      dir,
      "run",
      "--baseline",
      "main",
      "--candidate",
      "worktree",
      "--model",
      "m",
      ...NOWHERE,
    );
    expect(run.code).toBe(2);
    expect(run.err).toContain("hold the same prompts and skills");
  });
});

describe("names that are told apart by nobody", () => {
  const composed = "caf\u00e9";
  const decomposed = "cafe\u0301";
  test("é in one or in two characters is one skill, wherever it is named", async () => {
    const both = projectWith([], {
      "skills/a/SKILL.md": skill(composed),
      "skills/b/SKILL.md": skill(decomposed),
    });
    const twice = await evalkit(both, "skills");
    expect(twice.code).toBe(2);
    expect(twice.err).toContain(`named ${composed}: skills/a/SKILL.md and skills/b/SKILL.md`);
    const dir = projectWith([], {
      [`skills/${decomposed}/SKILL.md`]: "---\ndescription: Makes coffee\n---\n\nBody.\n",
      ".evalkit/skills.json": JSON.stringify({ disabled: [decomposed] }),
    });
    expect((await listed(dir)).skills).toMatchObject([{ name: composed, enabled: false }]);
    const on = await evalkit(dir, "assemble", "--variant", `worktree+skill:${decomposed}=on`);
    expect(on.out).toContain(`- ${composed}: Makes coffee`);
    expect((await evalkit(dir, "skills", "show", decomposed)).code).toBe(0);
  });
  test("names that differ by case alone are warned of", async () => {
    const { notes, loaded } = await listed(
      projectWith([], { "skills/a/SKILL.md": skill("Web"), "skills/b/SKILL.md": skill("web") }),
    );
    expect(loaded).toBe(2);
    expect(notes).toEqual([
      "skills/b/SKILL.md the skills Web (skills/a/SKILL.md) and web differ by case alone, so a model may load the wrong one",
    ]);
  });
});
