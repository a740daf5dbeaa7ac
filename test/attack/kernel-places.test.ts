import { expect, test } from "vitest";
import { evalkit } from "../support/in-process.ts";
import { repository } from "../support/project.ts";
import { reply, startStub } from "../support/stub-server.ts";
import { BETTER, PROJECT } from "./support.ts";

test("no folder is made where the kernel keeps no files: there mkdir may never come back", async () => {
  const stub = await startStub(() => reply("bright"));
  const cwd = repository(PROJECT, { better: BETTER });
  const run = ["run", "--baseline", "main", "--candidate", "better", "--base-url", stub.url, "--model", "m"];
  for (const [flag, path] of [
    ["--recordings", "/proc/self/recorded"],
    ["--reports", "/dev/reports"],
    ["--reports", "/sys/../sys/reports"],
  ] as const) {
    const { code, err } = await evalkit(cwd, ...run, flag, path);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("is a place of the kernel: no folder can be made there"),
    ]);
    expect(err).toContain("name a folder on a disk");
  }
  expect(stub.requests).toHaveLength(0);
  await evalkit(cwd, ...run, "--run-id", "r");
  const sheet = await evalkit(cwd, "sheet", "export", "r", "--out", "/proc/sheets");
  expect([sheet.code, sheet.err]).toEqual([
    2,
    expect.stringContaining("/proc/sheets is a place of the kernel"),
  ]);
});
