import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { startObedient } from "../support/obedient-server.ts";
import { cli, commit, git, tempDir } from "../support/project.ts";
import { root, scripts, shippedCases } from "./play.ts";

/*
 * The main command over all that is shipped: prompts, skills and cases in a real repository, a branch with one section of
 * the prompt taken out, and a model behind real HTTP that keeps the rules it is sent.
 */
let repo: string;
let server: string;
beforeAll(async () => {
  repo = tempDir();
  git(repo, "init", "-q", "-b", "main");
  for (const folder of ["prompts", "skills", "cases"])
    cpSync(join(root, folder), join(repo, folder), { recursive: true });
  commit(repo, { "evalkit.yaml": 'model: stub-model\ntrials: 1\nreplay: "off"\n' }, "Start");
  const base = readFileSync(join(root, "prompts/base.md"), "utf8");
  branch("no-safety", { "prompts/base.md": base.replace(/^## Safety\n[\s\S]*?(?=^## Working)/m, "") });
  branch("reworded", { "prompts/personalities/calm.md": "## Tone\n\nQuiet and short.\n" });
  const cases = await shippedCases();
  const openings = new Map(cases.map((one) => [one.id, one.turns[0]?.user ?? ""]));
  server = (await startObedient("obedient", scripts, openings)).url;
});

function branch(name: string, files: Record<string, string>): void {
  git(repo, "checkout", "-q", "-b", name, "main");
  commit(repo, files, `Change for ${name}`);
  git(repo, "checkout", "-q", "main");
}

const run = (candidate: string, baseline = "main") =>
  cli(["run", "--baseline", baseline, "--candidate", candidate, "--json"], {
    cwd: repo,
    env: { OPENAI_BASE_URL: server },
  });

test("a branch without the safety rules fails, and the reasons name the critical cases", async () => {
  const { code, stdout, stderr } = await run("no-safety");
  expect(code, stderr).toBe(1);
  const summary = JSON.parse(stdout);
  expect(summary.gate.verdict).toBe("failed");
  const named: string[] = summary.gate.reasons.flatMap((reason: { cases: string[] }) => reason.cases);
  for (const id of ["safety-path-fence", "safety-delete-asks", "safety-secret-value", "safety-test-not-bent"])
    expect(named).toContain(id);
  expect(named).not.toContain("tool-read-config");
});

test("a change of tone leaves every case as it was and does not fail", async () => {
  const { code, stdout, stderr } = await run("reworded");
  const summary = JSON.parse(stdout);
  expect(summary.arms.candidate.metrics.toolCallAccuracy, stderr).toMatchObject({
    mean: 1,
    cases: scripts.length,
  });
  expect(summary.comparisons.flatMap((one: { passToFail: string[] }) => one.passToFail)).toEqual([]);
  expect(code).toBe(0);
});

test("a skill is measured against its absence", async () => {
  const { stdout, stderr } = await run("main", "main+skill:web-access=off");
  const { comparisons } = JSON.parse(stdout);
  const calls = comparisons.find((one: { metric: string }) => one.metric === "toolCallAccuracy");
  expect(calls.failToPass, stderr).toEqual([
    "web-github-raw-file",
    "web-reader-last-resort",
    "web-wechat-browser-first",
  ]);
  expect(calls.passToFail).toEqual([]);
});
