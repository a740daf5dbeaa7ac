import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { formatProblem } from "../../src/core/nouns/problem.ts";
import { keyText } from "../../src/core/text/path.ts";
import { parseYaml } from "../../src/core/text/yaml.ts";

const values = (text: string) => parseYaml("f.yaml", text).documents.map(({ value }) => value);
const faults = (text: string) => parseYaml("f.yaml", text).problems.map(formatProblem);

test("several documents, BOM, CRLF; YAML 1.2 words stay words; empty documents are none", () => {
  expect(values("\uFEFFa: no\r\nb: |\r\n  x\r\n  y\r\n---\n# nothing\n---\non: off\n")).toEqual([
    { a: "no", b: "x\ny\n" },
    { on: "off" },
  ]);
  expect(values('{\n\t"a": [1, 2.5, null, true]\n}')).toEqual([{ a: [1, 2.5, null, true] }]);
  expect(values("1.10: x\n2026-01-01: y")).toEqual([{ "1.10": "x", "2026-01-01": "y" }]);
});

test("a repeated key names both lines and takes out its own document only", () => {
  expect(values("a: 1\nb: 2\na: 3\n---\nc: 4\n")).toEqual([{ c: 4 }]);
  expect(faults("a: 1\nb: {x: 1, 'x': 2}\na: 3")).toEqual([
    'f.yaml:2:11: error: key "x" stands twice: line 2 and line 2 (at b.x) [duplicate-key]\n  hint: keep one of them',
    'f.yaml:3:1: error: key "a" stands twice: line 1 and line 3 (at a) [duplicate-key]\n  hint: keep one of them',
  ]);
});

test("syntax errors name the place and what helps", () => {
  expect(faults("title: Plans trips. Use for: day tours")).toEqual([
    "f.yaml:1:8: error: this is no valid YAML: nested mappings are not allowed in compact mappings [bad-yaml]\n  hint: put a value that holds ': ' in quotes",
  ]);
  expect(faults("needs: [tool[extra], other]")[0]).toMatch(/^f\.yaml:1:13: error: this is no valid YAML/);
  expect(faults("a: !!js/function 'x'")[0]).toMatch(
    /^f\.yaml:1:4: .*tag.*\n {2}hint: tags are not supported/,
  );
  expect(faults("%YAML 1.1\n---\na: no")[0]).toMatch(/%YAML 1\.1 is declared/);
  expect(faults("a:\n\tb: 1")[0]).toMatch(/^f\.yaml:2:1: .*hint: indent with spaces/s);
  expect(faults("a: *x")[0]).toMatch(/alias \*x has no anchor &x before it/);
});

test("numbers that JSON can't hold and keys that are no text are refused", () => {
  expect(faults("id: 12345678901234567890")[0]).toMatch(/too many digits.*\n {2}hint: put it in quotes/);
  expect(faults("a: [1, .nan]")[0]).toMatch(/^f\.yaml:1:8: .*NaN is no number .*\(at a\[1\]\)/);
  expect(faults("? [a]\n: 1")[0]).toMatch(/a key must be a text/);
});

test("__proto__ is refused and pollutes nothing", () => {
  expect(faults("name: x\n__proto__:\n  polluted: yes-it-is\n")).toEqual([
    "f.yaml:2:1: error: the key __proto__ is not allowed (at __proto__) [bad-key]",
  ]);
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

const ladder = (steps: number) =>
  ["x0: &x0 [x,x,x,x,x,x,x,x,x]"]
    .concat(
      Array.from({ length: steps }, (_, at) => `x${at + 1}: &x${at + 1} [${`*x${at},`.repeat(8)}*x${at}]`),
    )
    .join("\n");
const bombs: Record<string, string> = {
  "alias ladder": ladder(8),
  "alias to itself": "a: &a [*a]",
  "deep flow": "[".repeat(200_000),
  "deep block": "- ".repeat(50_000),
  "deep keys": "? ".repeat(50_000),
  "wide text": `a: "${"x".repeat(600_000)}"`,
  documents: "--- a\n".repeat(5_000),
};

test.each(Object.entries(bombs))("bomb: %s is refused at once", (_, text) => {
  const { documents, problems } = parseYaml("f.yaml", text);
  expect(problems.map(({ code }) => code)).toEqual(["too-much-yaml"]);
  expect(documents.length).toBeLessThanOrEqual(1000);
});

test("aliases that stay small are plain copies", () => {
  expect(values("a: &a {x: 1}\nb: *a\nc: [*a]")).toEqual([{ a: { x: 1 }, b: { x: 1 }, c: [{ x: 1 }] }]);
});

test("a path is found by key, item, or its nearest parent", () => {
  const [document] = parseYaml(
    "f",
    "turns:\n  - user: x\nexpect:\n  tools: {calls: [{name: a}]}\n",
  ).documents;
  expect(document?.locate(["expect", "tools", "calls", 0, "name"])).toEqual({ line: 4, column: 20 });
  expect(document?.locate(["turns", 0, "nothing"])).toEqual({ line: 2, column: 5 });
  expect(keyText(["world", "pages", "https://a.test/", "kind"])).toBe('world.pages["https://a.test/"].kind');
});

test("whatever the text: no crash, and what is taken is what the yaml package reads", () => {
  const line = fc.constantFrom(
    "a: 1",
    "- b",
    "  c: 'd'",
    "{",
    "]",
    "&x y",
    "*x",
    "---",
    "? k",
    "|",
    ">",
    '"',
    "#",
    ": :",
    "\t",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(line, fc.string()), { maxLength: 8 }), (lines) => {
      const text = lines.join("\n");
      const { documents, problems } = parseYaml("f", text);
      for (const { where, message } of problems) {
        expect(where.file).toBe("f");
        expect(message).not.toBe("");
      }
      if (problems.length === 0 && documents.length === 1 && !text.includes("---"))
        expect(JSON.stringify(documents[0]?.value)).toBe(JSON.stringify(parse(text)));
    }),
    { numRuns: 2000, seed: 7 },
  );
});
