import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shippedSkills, unpackSkills } from "../../src/io/skills-cache.ts";
import { tempDir, writeFiles } from "../support/project.ts";

const shipped = () => {
  const from = tempDir();
  writeFiles(from, { "a/SKILL.md": "A", "a/references/r.md": "R", "a/node_modules/x.js": "no" });
  return from;
};

test("the same version is kept as it is; another one is cleared and unpacked again", async () => {
  const from = shipped();
  const cache = join(tempDir(), ".evalkit", "skills-cache");
  expect(await unpackSkills(from, cache, "1.0.0")).toEqual({ dir: cache, unpacked: true });
  expect(readdirSync(cache).sort()).toEqual([".version", "a"]);
  expect(existsSync(join(cache, "a/node_modules"))).toBe(false);
  writeFiles(cache, { "a/SKILL.md": "edited", "mine/SKILL.md": "mine" });
  expect((await unpackSkills(from, cache, "1.0.0")).unpacked).toBe(false);
  expect(readFileSync(join(cache, "a/SKILL.md"), "utf8")).toBe("edited");
  expect((await unpackSkills(from, cache, "1.0.1")).unpacked).toBe(true);
  expect(readFileSync(join(cache, "a/SKILL.md"), "utf8")).toBe("A");
  expect(existsSync(join(cache, "mine"))).toBe(false);
});

test("a cache without a version, or cut short, is unpacked again", async () => {
  const cache = join(tempDir(), ".evalkit", "skills-cache");
  await unpackSkills(shipped(), cache, "1");
  writeFiles(cache, { ".version": null, "a/SKILL.md": null });
  await unpackSkills(shipped(), cache, "1");
  expect(readFileSync(join(cache, "a/SKILL.md"), "utf8")).toBe("A");
});

test("many at once leave one whole cache and nothing beside it", async () => {
  const from = shipped();
  const home = tempDir();
  const cache = join(home, ".evalkit", "skills-cache");
  await Promise.all(Array.from({ length: 8 }, (_, at) => unpackSkills(from, cache, `2.0.${at % 2}`)));
  expect(readFileSync(join(cache, "a/references/r.md"), "utf8")).toBe("R");
  expect(readFileSync(join(cache, ".version"), "utf8")).toMatch(/^2\.0\.[01]\n$/);
  expect(readdirSync(join(home, ".evalkit"))).toEqual(["skills-cache"]);
});

test("a home that doesn't exist is not made", async () => {
  const home = join(tempDir(), "nobody");
  await expect(unpackSkills(shipped(), join(home, ".evalkit", "skills-cache"), "1")).rejects.toThrow();
  expect(existsSync(home)).toBe(false);
});

test("this package ships skills of its own", async () => {
  const from = await shippedSkills();
  expect(from === null ? [] : readdirSync(from)).toContain("web-access");
});
