import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "./support/project.ts";

const root = join(import.meta.dirname, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");

test("the library's example in the README runs as it stands and gives a verdict", () => {
  const code = /```js\n([\s\S]+?)```/.exec(readme)?.[1] ?? "";
  const rows = Array.from({ length: 12 }, (_, n) =>
    ["baseline", "candidate"].map((arm) =>
      JSON.stringify({ case: `c${n}`, arm, trial: 1, taskCompletion: arm === "baseline" ? 1 : 0 }),
    ),
  );
  const file = join(tempDir(), "example.mjs");
  const library = JSON.stringify(join(root, "dist/index.js"));
  writeFileSync(
    file,
    `const text = ${JSON.stringify(rows.flat().join("\n"))};\n${code.replace('"evalkit"', library)}`,
  );
  expect(execFileSync(process.execPath, [file], { encoding: "utf8" })).toBe("failed\n");
});

test("every file that the README links to is there", () => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((found) => found[1] ?? "");
  expect(links.length).toBeGreaterThan(8);
  for (const link of links) expect(() => readFileSync(join(root, link)), link).not.toThrow();
});

test("every command in the README's table is one of the program's", () => {
  const listed = [...readme.matchAll(/^\| ((?:`[a-z -]+`(?:, )?)+) \|/gm)].flatMap((row) => [
    ...(row[1] ?? "").matchAll(/`([a-z-]+)/g),
  ]);
  const known = readFileSync(join(root, "src/cli/commands.ts"), "utf8");
  expect(listed.length).toBeGreaterThan(15);
  for (const [, name] of listed) expect(known).toContain(`name: "${name}"`);
});
