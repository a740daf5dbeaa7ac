import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeReports } from "../../src/io/report-files.ts";
import { scanMarkup } from "../support/markup-scan.ts";
import { tempDir } from "../support/project.ts";
import { makeRun, marks, writeMadeRun } from "../support/run-fixture.ts";
import { ATTACKS } from "./attacks.ts";

async function pageOf(settings: { key: string; value: unknown; from: string }[]) {
  const made = makeRun({ cases: ["a"], trials: marks("a", "1", "1") });
  const dir = await writeMadeRun(tempDir(), { ...made, record: { ...made.record, settings } });
  await writeReports(dir);
  return scanMarkup(readFileSync(join(dir, "report.html"), "utf8"));
}

test("every setting is on the page with its value and where it came from, what was chosen before the defaults", async () => {
  const { text } = await pageOf([
    { key: "retries", value: 4, from: "default" },
    { key: "model", value: "stub", from: "file" },
    { key: "tag", value: [], from: "default" },
    { key: "filter", value: ["web-*", "x"], from: "flag" },
    { key: "seed", value: null, from: "default" },
    { key: "request", value: { top_k: 1 }, from: "env" },
  ]);
  const places = ["stub", "web-*, x", '{"top_k":1}', "3 more at their defaults", "not set"].map((part) =>
    text.lastIndexOf(part),
  );
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

test("values of a candidate's config stay text", async () => {
  const settings = ATTACKS.map((value, at) => ({ key: `k${at}${value}`, value: [value], from: value }));
  const { elements } = await pageOf(settings);
  expect(
    elements.filter(({ name }) => ["script", "img", "h1"].includes(name)).map(({ name }) => name),
  ).toEqual(["h1"]);
});
