import { expect, test } from "vitest";
import { evalkit } from "../support/in-process.ts";
import { projectWith } from "./support.ts";

const REST = "turns: [{ user: Hi }]\nexpect: { completion: [{ answer: { contains: ok } }] }\n";
const [ONE, TWO] = ["caf\u00e9", "cafe\u0301"];

test("ids that look the same are the same: é in one or in two characters", async () => {
  const dir = projectWith([], {
    "cases/a.yaml": `id: ${ONE}\n${REST}`,
    "cases/b.yaml": `id: ${TWO}\n${REST}`,
  });
  const { code, err } = await evalkit(dir, "validate");
  expect([code, err]).toEqual([2, expect.stringContaining("is taken already, at cases/a.yaml:1")]);
});

test("a filter and a tag are found however the file system writes é", async () => {
  const dir = projectWith([], { [`cases/${TWO}.yaml`]: `tags: [${TWO}]\n${REST}` });
  for (const asked of [
    ["--filter", ONE],
    ["--filter", `${ONE.slice(0, 2)}*${ONE.slice(3)}`],
    ["--tag", ONE],
  ]) {
    const { code, err } = await evalkit(dir, "list", ...asked);
    expect([asked, code, err]).toEqual([asked, 0, "1 case\n"]);
  }
});
