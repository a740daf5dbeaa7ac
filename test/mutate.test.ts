import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scripts, shippedCases } from "./content/play.ts";
import { startObedient } from "./support/obedient-server.ts";
import { cli, repository } from "./support/project.ts";

const root = join(import.meta.dirname, "..");

/** A repository with the shipped prompts, skills and cases. */
function shippedProject(): string {
  const cwd = repository({ "evalkit.yaml": "model: stub-model\ntrials: 1\n" });
  for (const folder of ["prompts", "skills", "cases"])
    cpSync(join(root, folder), join(cwd, folder), { recursive: true });
  return cwd;
}

test("--list names the mutants and runs nothing", async () => {
  const listed = await cli(["mutate", "--list", "--json"], { cwd: shippedProject() });
  const names = JSON.parse(listed.stdout).map((one: { name: string }) => one.name);
  expect(listed.code).toBe(0);
  expect(names).toEqual(
    expect.arrayContaining(["base-safety", "layer-modes-agent", "skill-web-access", "tool-web-fetch"]),
  );
  expect(names).not.toContain("base-language");
});

test("a section that cases guard is noticed, a blurred tool that the simulated model never reads survives", async () => {
  const openings = new Map((await shippedCases()).map((one) => [one.id, one.turns[0]?.user ?? ""]));
  const stub = await startObedient("obedient", scripts, openings);
  const cwd = shippedProject();
  const args = ["mutate", "--mutants", "base-safety", "tool-web-fetch", "--run-id", "m1", "--quiet"];
  const run = await cli(args, { cwd, env: { OPENAI_BASE_URL: stub.url } });

  expect(run.stderr).not.toContain("error");
  expect(run.code).toBe(0);
  expect(run.stdout).toMatch(/^fails the gate +section "Safety" of base.md left out: \S+/m);
  expect(run.stdout).toMatch(/^SURVIVED +description of web_fetch blurred$/m);
  expect(run.stdout).toContain("1 of 2 mutants noticed");
  const report = JSON.parse(readFileSync(join(cwd, "reports/m1/mutants.json"), "utf8"));
  expect(report.mutants[0].cases.length).toBeGreaterThan(0);
  expect(report.blind.length).toBeGreaterThan(0);
});

test("a glob that names no mutant is bad input", async () => {
  const run = await cli(["mutate", "--list", "--mutants", "zzz*"], { cwd: shippedProject() });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("zzz*");
});
