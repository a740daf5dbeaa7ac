import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, tempDir } from "../support/project.ts";

const root = join(import.meta.dirname, "../..");

function demo(dir: string) {
  const ran = spawnSync(process.execPath, [join(root, "scripts/demo.mjs"), "--recorded", `--into=${dir}`], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

test("the demo replays a real model's replies, finds the better prompt, and can be run again", () => {
  const dir = join(tempDir(), "demo");
  for (const _again of [1, 2]) {
    const { code, out } = demo(dir);
    expect(code, out).toBe(0);
    expect(out).toContain("evalkit run --baseline main --candidate branch");
    expect(out).toContain("SmolLM2-135M-Instruct");
    expect(out).toContain("Exit code 0 (passed)");
    const [run = "", ...more] = readdirSync(join(dir, "reports"));
    expect(more).toEqual([]);
    const summary = JSON.parse(readFileSync(join(dir, "reports", run, "summary.json"), "utf8"));
    expect(summary.arms.candidate.trials).toMatchObject({ planned: 72, broken: 0 });
    const accuracy = summary.comparisons.find((one: { metric: string }) => one.metric === "toolCallAccuracy");
    expect(accuracy).toMatchObject({ verdict: "better", cases: 24 });
    for (const file of ["report.md", "report.html"])
      expect(existsSync(join(dir, "reports", run, file))).toBe(true);
  }
  expect(git(dir, "log", "--format=%s", "regressed").trim().split("\n")).toEqual([
    "Drop the examples",
    "Say which tool belongs to which wish",
    "Home assistant: first prompt",
  ]);
});

test("dropping the examples is found to be a regression: exit code 1, from recordings alone", () => {
  const dir = join(tempDir(), "demo");
  expect(demo(dir).code).toBe(0);
  const args = [
    join(root, "dist/bin.js"),
    "run",
    "--baseline",
    "branch",
    "--candidate",
    "regressed",
    "--json",
  ];
  const env = { PATH: process.env.PATH, HOME: dir };
  const ran = spawnSync(process.execPath, args, { cwd: dir, encoding: "utf8", env });
  expect(ran.status, ran.stderr).toBe(1);
  expect(JSON.parse(ran.stdout).gate.verdict).toBe("failed");
});
