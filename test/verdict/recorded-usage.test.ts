import { join } from "node:path";
import { expect, test } from "vitest";
import { recordedUsage } from "../../src/io/recorded-usage.ts";
import { recordingLine, recordingName } from "../../src/io/recording-file.ts";
import { tempDir, writeFiles } from "../support/project.ts";

/** A recorded reply of one call in a trial; `system` stands for the arm's prompt. */
function recorded(id: string, trial: number, system: string, call: number, usage: object | null): string {
  return recordingLine({
    key: `${trial}${system}${call}`.padEnd(32, "0"),
    case: id,
    head: {
      trial,
      salt: "",
      occurrence: 0,
      model: "m",
      settings: {},
      tools: "",
      messages: [system, `m${call}`],
    },
    raw: {
      choices: [{ message: { content: "ok" }, finish_reason: "stop" }],
      ...(usage === null ? {} : { usage }),
    },
    ms: 1,
    attempts: 1,
  });
}

test("calls and tokens of a trial, with both arms in one file; lines that are no recordings are passed over", async () => {
  const dir = tempDir();
  const usage = { prompt_tokens: 100, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 40 } };
  const lines = [1, 2].flatMap((trial) =>
    ["old", "new"].flatMap((system) => [0, 1, 2].map((call) => recorded("a/b", trial, system, call, usage))),
  );
  writeFiles(dir, {
    [recordingName("a/b")]: `${lines.join("\n")}\nnot a recording\n`,
    [recordingName("silent")]: `${recorded("silent", 1, "old", 0, null)}\n`,
  });
  const found = await recordedUsage(dir, ["a/b", "silent", "none"]);
  expect(found.get("a/b")).toEqual({ calls: 3, prompt: 300, cached: 120, completion: 30 });
  expect(found.get("silent")).toEqual({ calls: 1, prompt: null, cached: null, completion: null });
  expect(found.has("none")).toBe(false);
  expect((await recordedUsage(join(dir, "nosuch"), ["a/b"])).size).toBe(0);
});
