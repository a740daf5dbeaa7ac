import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, tempDir, writeFiles } from "../support/project.ts";

/** Ten cases that all passed and now all fail. */
const RESULTS = Array.from({ length: 10 }, (_, at) =>
  (["baseline", "candidate"] as const).map((arm) =>
    JSON.stringify({ case: `c${at}`, arm, trial: 1, taskCompletion: arm === "baseline" ? 1 : 0 }),
  ),
)
  .flat()
  .join("\n");

test("import, gate and compare tell a GitHub job, each once; stdout stays theirs (BR-101)", async () => {
  const dir = tempDir();
  writeFiles(dir, { "results.jsonl": RESULTS });
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: join(dir, "page.md") };
  const commands = [
    ["import", "results.jsonl", "--run-id", "r", "--json"],
    ["gate", "r", "--json"],
    ["compare", "r#baseline", "r#candidate", "--json"],
  ];
  for (const [at, args] of commands.entries()) {
    const { code, stdout, stderr } = await cli(args, { cwd: dir, env });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ gate: { verdict: "failed" } });
    expect(stderr).toMatch(/^::error title=evalkit%3A failed::/m);
    expect(readFileSync(env.GITHUB_STEP_SUMMARY, "utf8").match(/^## evalkit: failed/gm)).toHaveLength(at + 1);
  }
});
