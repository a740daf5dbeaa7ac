import { chownSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { evalkit } from "../support/in-process.ts";
import { git, repository, writeFiles } from "../support/project.ts";
import { BASE, skill } from "./support.ts";

const CASE = "turns: [{ user: Hi }]\nexpect: { completion: [{ answer: { contains: ok } }] }\n";
const project = () =>
  repository(
    { "prompts/base.md": BASE, "cases/a.yaml": CASE },
    { topic: { "prompts/base.md": `${BASE}More.\n` } },
  );
const assemble = (dir: string, variant: string) => evalkit(dir, "assemble", "--variant", variant);

describe("which commit is meant", () => {
  test("a branch and a tag of one name are never chosen between in silence", async () => {
    const dir = project();
    git(dir, "tag", "topic", "main");
    for (const variant of ["topic", "topic~0"]) {
      const { code, out, err } = await assemble(dir, variant);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toContain("is ambiguous: refs/tags/topic is ");
      expect(err).toContain(`refs/tags/${variant} or refs/heads/${variant}`);
    }
    expect((await assemble(dir, "refs/heads/topic")).out).toContain("More.");
    expect((await assemble(dir, "refs/tags/topic")).out).not.toContain("More.");
    git(dir, "config", "core.warnAmbiguousRefs", "false");
    expect((await assemble(dir, "topic")).code).toBe(2);
  });

  test("the same commit under both names is no question", async () => {
    const dir = project();
    git(dir, "tag", "-a", "topic", "-m", "same", "topic");
    expect((await assemble(dir, "topic")).out).toContain("More.");
  });

  test("a range is told to be one", async () => {
    const { code, err } = await assemble(project(), "main..topic");
    expect([code, err]).toEqual([2, expect.stringContaining('"main..topic" is a range, not a commit')]);
  });

  test.runIf(process.getuid?.() === 0)("a repository of another user: what git needs is said", async () => {
    const dir = project();
    for (const path of [".", ...readdirSync(dir)]) chownSync(join(dir, path), 12_345, 12_345);
    const { code, err } = await assemble(dir, "topic");
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`git config --global --add safe.directory ${dir}`),
    ]);
  });
});

describe("a working tree that git does not wholly look at", () => {
  const withSkill = () => {
    const dir = project();
    writeFiles(dir, { "skills/a/SKILL.md": skill("a"), "skills/b/SKILL.md": skill("b") });
    git(dir, "add", "-A");
    git(dir, "commit", "-qm", "Skills");
    return dir;
  };
  test("what a sparse checkout leaves out was not deleted: refused, and the commit is as it is", async () => {
    const dir = withSkill();
    git(dir, "sparse-checkout", "set", "cases", "prompts");
    const { code, out, err } = await assemble(dir, "worktree");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("a sparse checkout that leaves out skills/a/SKILL.md and 1 more file");
    expect(err).toContain("git sparse-checkout add");
    expect((await assemble(dir, "HEAD")).out).toContain("- a: About a");
    git(dir, "sparse-checkout", "disable");
    expect((await assemble(dir, "worktree")).out).toContain("- b: About b");
  });
  test("a change that git was told to overlook makes the tree no clean commit", async () => {
    const dir = withSkill();
    const source = async () => JSON.parse((await evalkit(dir, "assemble", "--json")).out).source;
    expect(await source()).toMatchObject({ dirty: false });
    git(dir, "update-index", "--assume-unchanged", "prompts/base.md");
    writeFiles(dir, { "prompts/base.md": `${BASE}Changed.\n` });
    expect(git(dir, "status", "--porcelain")).toBe("");
    expect(await source()).toMatchObject({ dirty: true });
  });
});

test("a commit that is found by its message", async () => {
  const dir = project();
  expect((await assemble(dir, ":/Change for topic")).out).toContain("More.");
});
