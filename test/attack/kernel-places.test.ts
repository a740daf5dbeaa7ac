import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../src/io/make-folder.ts";
import { evalkit } from "../support/in-process.ts";
import { repository, tempDir } from "../support/project.ts";
import { reply, startStub } from "../support/stub-server.ts";
import { BETTER, PROJECT } from "./support.ts";

test("a folder where the kernel keeps no files is refused at once; a run goes on without its recordings", async () => {
  const stub = await startStub(() => reply("bright"));
  const cwd = repository(PROJECT, { better: BETTER });
  const run = ["run", "--baseline", "main", "--candidate", "better", "--base-url", stub.url, "--model", "m"];
  const refused = await evalkit(cwd, ...run, "--reports", "/proc/reports/deep");
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("no folder can be made there") });
  expect(stub.requests).toHaveLength(0);
  const unrecorded = await evalkit(cwd, ...run, "--run-id", "r", "--recordings", "/proc/recorded");
  expect(unrecorded.err).toContain("/proc");
  expect(stub.requests.length).toBeGreaterThan(0);
  expect(statSync(join(cwd, "reports/r/report.md")).isFile()).toBe(true);
  for (const out of ["/proc/sheets", "evalkit.yaml", "evalkit.yaml/below"]) {
    const sheet = await evalkit(cwd, "sheet", "export", "r", "--out", out);
    expect(sheet).toMatchObject({ code: 2, err: expect.stringContaining("choose another --out") });
  }
  await evalkit(cwd, "sheet", "export", "r", "--out", "a/b/sheets");
  expect(statSync(join(cwd, "a/b/sheets/key.json")).mode & 0o777).toBe(0o600);
});

test("folders are made with those above, once or again; a file in the way is an error", () => {
  const dir = tempDir();
  makeFolder(join(dir, "a/b/c"));
  makeFolder(join(dir, "a/b/c"));
  makeFolder("/");
  expect(statSync(join(dir, "a/b/c")).isDirectory()).toBe(true);
  writeFileSync(join(dir, "file"), "");
  expect(() => makeFolder(join(dir, "file"))).toThrow("EEXIST");
  expect(() => makeFolder(join(dir, "file/x"))).toThrow("ENOTDIR");
});
