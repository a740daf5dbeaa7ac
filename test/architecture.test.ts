import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

/** The architecture: which room may import which. `run` and `io` meet in run/ports.ts alone. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  core: ["core"],
  run: ["run", "core"],
  io: ["io", "core", "run/ports.ts"],
  cli: ["cli", "io", "run", "core"],
  "index.ts": ["cli", "io", "run", "core"],
};
/** What core may not know of: the world. And run: the machine. */
const WORLD = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bconsole\./;
const IMPORT = /(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

const src = join(import.meta.dirname, "../src");
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const code = new Map(files.map((file) => [file, readFileSync(join(src, file), "utf8")]));
const importsOf = (file: string) =>
  [...(code.get(file) ?? "").matchAll(IMPORT)].map((found) => found[1] ?? "");
const inside = (file: string, name: string) => relative(src, join(src, dirname(file), name));
const roomOf = (file: string) => file.split("/")[0] ?? "";

test("imports go bin → cli → run → core ← io", () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((name) => name.startsWith("."))
      .map((name) => inside(file, name))
      .filter(
        (target) =>
          !(ROOMS[roomOf(file)] ?? []).some((room) => target === room || target.startsWith(`${room}/`)),
      )
      .map((target) => `${file} → ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("core and run know no machine; core no clock, chance, process or console", () => {
  const machine = files.filter(
    (file) => /^(core|run)\//.test(file) && importsOf(file).some((name) => name.startsWith("node:")),
  );
  const world = files.filter((file) => file.startsWith("core/") && WORLD.test(code.get(file) ?? ""));
  expect({ machine, world }).toEqual({ machine: [], world: [] });
});

test("no import cycles", () => {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) throw new Error(`cycle: ${[...path, file].join(" → ")}`);
    if (done.has(file)) return;
    for (const name of importsOf(file)) if (name.startsWith(".")) visit(inside(file, name), [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
});
