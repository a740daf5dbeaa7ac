import { chownSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { evalkit } from "../support/in-process.ts";
import { git, repository } from "../support/project.ts";
import { BASE } from "./support.ts";

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
