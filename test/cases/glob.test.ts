import fc from "fast-check";
import picomatch from "picomatch";
import { expect, test } from "vitest";
import { compileGlob, type GlobKind } from "../../src/core/text/glob.ts";
import { cli, repository } from "../support/project.ts";

const matches = (glob: string, kind: GlobKind, ...texts: string[]) => texts.filter(compileGlob(glob, kind));

test.each([
  ["*", ["a", ".a", "a/b", ".a/b"], ["a"]],
  ["*.yaml", ["a.yaml", ".yaml", "a/b.yaml", "ayaml"], ["a.yaml"]],
  ["**/*.yaml", ["a.yaml", "a/b.yaml", "a/b/c.yaml", ".a/b.yaml"], ["a.yaml", "a/b.yaml", "a/b/c.yaml"]],
  ["a/**", ["a/b", "a/b/c", "b/a"], ["a/b", "a/b/c"]],
  ["a/**/b", ["a/b", "a/x/b", "a/x/y/b", "a/xb"], ["a/b", "a/x/b", "a/x/y/b"]],
  ["a?c", ["abc", "a/c", "ac", "a😀c"], ["abc", "a😀c"]],
  ["[a-c]x", ["ax", "dx", "-x"], ["ax"]],
  ["[!a-c]x", ["ax", "dx", "/x"], ["dx"]],
  ["[[:digit:]]", ["1", "a", ":"], ["1"]],
  ["[]a]", ["]", "a", "[]a]"], ["]", "a"]],
  ["[a", ["[a", "a"], ["[a"]],
  ["{a,b{c,d}}", ["a", "bc", "bd", "b"], ["a", "bc", "bd"]],
  ["{9..11}", ["9", "10", "11", "12", "1"], ["9", "10", "11"]],
  ["{08..10}", ["8", "08", "09", "10"], ["08", "09", "10"]],
  ["{a..c}", ["a", "c", "d"], ["a", "c"]],
  ["{a}", ["{a}", "a"], ["{a}"]],
  ["@(a|b)c", ["ac", "bc", "c"], ["ac", "bc"]],
  ["?(a)c", ["ac", "c", "aac"], ["ac", "c"]],
  ["*(ab)c", ["c", "abc", "ababc", "aabc"], ["c", "abc", "ababc"]],
  ["+(ab)c", ["c", "abc", "ababc"], ["abc", "ababc"]],
  ["!(a|b).x", ["a.x", "b.x", "ab.x", "c.x", ".x", "d/c.x"], ["ab.x", "c.x"]],
  ["!a", ["a", "b"], ["b"]],
  ["!!a", ["a", "b"], ["a"]],
  ["a\\*", ["a*", "ab"], ["a*"]],
  ["(a", ["(a", "a"], ["(a"]],
  ["a|b", ["a|b", "a"], ["a|b"]],
])("the glob %s on paths", (glob, texts, expected) => {
  expect(matches(glob, "paths", ...texts)).toEqual(expected);
});

test("on names a star stands for any character", () => {
  expect(matches("web*", "names", "web", "web/a/.b", "a/web")).toEqual(["web", "web/a/.b"]);
});

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "c", "ab") },
  fc.constantFrom(
    "*",
    "?",
    "/",
    "[ab]",

    "[a-c]",
    "{a,b}",
    "{a,bc}",
    "@(a|b)",
    "+(a|b)",
    "?(a)",
    "*(ab)",
  ),
);
const glob = fc
  .array(piece, { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.join(""))
  // Where picomatch differs from bash (it reads `?` behind a group as "or not at all"), or doubles what is one sign.
  .filter((text) => !/\*[*?]|\?[*?]|\)\?|\/\/|^\/|\/$/.test(text));
const path = fc
  .array(fc.constantFrom("a", "b", "c", "/", "ab"), { minLength: 1, maxLength: 7 })
  .map((parts) => parts.join(""))
  .filter((text) => !/\/\/|^\/|\/$/.test(text));

test("any glob matches what picomatch matches", () => {
  fc.assert(
    fc.property(glob, path, (pattern, text) => {
      expect({ pattern, text, matched: compileGlob(pattern, "paths")(text) }).toEqual({
        pattern,
        text,
        matched: picomatch(pattern, { windows: false })(text),
      });
    }),
    { numRuns: 3000 },
  );
});

test("any text is a glob: it never throws, and with its signs escaped it matches itself", () => {
  const signs = fc.constantFrom(..."*?[]{}()!+@|\\/.,-^:a1é😀");
  fc.assert(
    fc.property(fc.array(signs, { maxLength: 30 }), fc.array(signs, { maxLength: 30 }), (pattern, text) => {
      expect(typeof compileGlob(pattern.join(""), "paths")(text.join(""))).toBe("boolean");
      const escaped = text.map((sign) => `\\${sign}`).join("");
      expect(compileGlob(escaped, "names")(text.join(""))).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

/** Each would keep a backtracking engine busy for longer than the sun shines. */
const ENDLESS = [
  `${"*a".repeat(400)}b`,
  "(a+)+b",
  "(a|aa)+b",
  `${"*(a)".repeat(20)}b`,
  "+(+(+(+(a|aa))))b",
  `${"[[:alpha:]]*".repeat(40)}1`,
  `${"!(a*)".repeat(20)}b`,
  "!(!(!(!(a*)*)*)*)b",
  `${"(".repeat(900)}`,
  `${"@(".repeat(300)}a${")".repeat(300)}`,
  `${"[".repeat(900)}`,
  `${"{a,".repeat(200)}${"}".repeat(200)}`,
];

test.each(ENDLESS)(
  "a glob that would never come to an end (%s) is matched like any other",
  async (pattern) => {
    const cwd = repository({
      "prompts/base.md": "x\n## Language\n",
      "cases/a.yaml": `id: ${"a".repeat(200)}\nturns: [{ user: hi }]\nexpect: { completion: [{ answer: { contains: x } }] }\n`,
      "evalkit.yaml": `filter: [${JSON.stringify(pattern)}]\n`,
    });
    for (const args of [["list"], ["list", "--filter", "*", "--cases", `cases/${pattern}.yaml`]]) {
      const { code, stderr } = await cli(args, { cwd });
      expect({ code: [0, 2].includes(code ?? 4), stderr: code === 4 ? stderr : "" }).toEqual({
        code: true,
        stderr: "",
      });
    }
  },
);

test.each(["x".repeat(70_000), "{1..1000}".repeat(100), "*".repeat(1001)])(
  "a glob that is too large (%#) is refused, shortened",
  async (pattern) => {
    const cwd = repository({
      "prompts/base.md": "x\n## Language\n",
      "cases/a.yaml": "id: a\nturns: [{ user: hi }]\nexpect: { completion: [{ answer: { contains: x } }] }\n",
    });
    for (const args of [
      ["list", "--filter", pattern],
      ["list", "--cases", `cases/${pattern}.yaml`],
    ]) {
      const { code, stderr } = await cli(args, { cwd });
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("[bad-pattern]") });
      expect(stderr.length).toBeLessThan(400);
    }
  },
);
