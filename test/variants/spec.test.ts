import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/nouns/problem.ts";
import { parseVariantSpec } from "../../src/core/variant/spec.ts";
import { nearest } from "../../src/core/text/nearest.ts";

const refusal = (text: string): string => {
  try {
    parseVariantSpec(text);
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  return "taken";
};

describe("variant specs", () => {
  test.each([
    ["main", { kind: "git", rev: "main" }],
    ["feature/c++", { kind: "git", rev: "feature/c++" }],
    ["HEAD~3", { kind: "git", rev: "HEAD~3" }],
    ["worktree", { kind: "worktree" }],
    ["dir:../other copy", { kind: "dir", path: "../other copy" }],
  ])("%s", (text, base) => {
    expect(parseVariantSpec(text)).toEqual({ text, base, suffixes: [] });
  });

  test("every suffix", () => {
    const text =
      "a+b+skill:web-access=off+skill:x=y=on+only-skill:z+delivery:tool-result+layer:modes/agent.md=dir:../o+model:gpt:4";
    expect(parseVariantSpec(text)).toEqual({
      text,
      base: { kind: "git", rev: "a+b" },
      suffixes: [
        { kind: "skill", name: "web-access", on: false },
        { kind: "skill", name: "x=y", on: true },
        { kind: "only-skill", name: "z" },
        { kind: "delivery", delivery: "tool-result" },
        { kind: "layer", path: "modes/agent.md", variant: "dir:../o" },
        { kind: "model", model: "gpt:4" },
      ],
    });
  });

  test.each([
    ["", "missing its base"],
    ["  ", "missing its base"],
    ["+skill:x=off", "missing its base"],
    ["dir:", "names no folder"],
    ["--upload-pack=x", "can't begin with -"],
    ["main\nother", "control characters"],
    ["main+skil:x=off", "Did you mean skill?"],
    ["main+skill:x", "write +skill:x=off or =on"],
    ["main+skill:x=of", "doesn't say on or off"],
    ["main+delivery:tool-results", "Did you mean tool-result?"],
    ["main+layer:base.md", "names no other variant"],
    ["main+layer:../x.md=main", "holds .."],
    ["main+layer:/etc/passwd=main", "is absolute"],
    ["main+layer:base.md=-x", "can't begin with -"],
    ["main+skill:x=on+skill:x=off", "set twice"],
    ["main+model:a+model:b", "set twice"],
  ])("%j is refused", (text, reason) => {
    expect(refusal(text)).toContain(reason);
  });
});

test("the nearest name is the one that was meant, or none", () => {
  expect(nearest("web-acess", ["code-review", "web-access"])).toBe("web-access");
  expect(nearest("wbe", ["web", "wee"])).toBe("web");
  expect(nearest("zebra", ["web-access"])).toBeNull();
});
