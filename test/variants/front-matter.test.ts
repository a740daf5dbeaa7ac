import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitFrontMatter } from "../../src/core/skill/front-matter.ts";
import { parseSkill } from "../../src/core/skill/skill-file.ts";
import { decodeText, isLfsPointer, normaliseText } from "../../src/core/variant/source-text.ts";

const BODY = "\nSay which day it is.\n";
const read = (text: string) => parseSkill("skills/x/SKILL.md", "x", normaliseText(text));
const header = (yaml: string) => read(`---\n${yaml}\n---\n${BODY}`);
const taken = (result: ReturnType<typeof read>) => {
  if (!result.ok) throw new Error(result.problem.message);
  return { ...result.skill, notes: result.notes.map((note) => note.code) };
};
const refused = (result: ReturnType<typeof read>) => {
  if (result.ok) throw new Error("it was taken");
  return { code: result.problem.code, line: result.problem.where.line, message: result.problem.message };
};

describe("headers that are read", () => {
  test("a plain value holding a colon is read as it was meant, with a warning", () => {
    const skill = taken(header("name: trip-plan\ndescription: Plans short trips. Use for: day tours"));
    expect(skill.description).toBe("Plans short trips. Use for: day tours");
    expect(skill.notes).toEqual(["front-matter-colon"]);
  });

  test("so is one over several lines, one deeper down, one that ends in a colon", () => {
    expect(taken(header("description: Use when: a\n  and b: c\nname: n"))).toMatchObject({
      name: "n",
      description: "Use when: a and b: c",
    });
    expect(taken(header("metadata:\n  note: a: b\nname: n")).notes).toEqual(["front-matter-colon"]);
    expect(taken(header("description: Use for:")).description).toBe("Use for:");
  });

  test("no, yes, on, numbers and dates stay the words they are", () => {
    expect(taken(header("name: no\ndescription: 2024-01-01"))).toMatchObject({
      name: "no",
      description: "2024-01-01",
    });
    expect(taken(header("name: 0123\ndescription: on"))).toMatchObject({ name: "0123", description: "on" });
  });

  test("a folded description keeps its text, and a line in it names nothing", () => {
    const skill = taken(
      header(
        "name: folded\ndescription: >\n  Sorts letters. Ask first when the\n  name: other label is unclear.",
      ),
    );
    expect(skill).toMatchObject({
      name: "folded",
      description: "Sorts letters. Ask first when the name: other label is unclear.",
    });
  });

  test("BOM, CRLF and blanks behind the fences change nothing", () => {
    const plain = taken(read(`---\nname: a\ndescription: b\n---\n${BODY}`));
    expect(
      taken(read(`\uFEFF--- \r\nname: a\r\ndescription: b\r\n---\t\r\n\r\nSay which day it is.\r\n`)),
    ).toEqual(plain);
    expect(plain.body).toBe("Say which day it is.");
  });

  test("only a line of exactly three dashes closes the header", () => {
    expect(taken(header("name: d\n---notes: a key\ndescription: Three keys"))).toMatchObject({
      name: "d",
      description: "Three keys",
    });
    expect(taken(read("---\nname: four\n---\n\n----\n\nText")).body).toBe("----\n\nText");
    expect(taken(header("description: |\n  a\n  ---\n  b")).description).toBe("a\n---\nb");
  });

  test("defaults: the folder's name, No description, no tags", () => {
    expect(taken(read("---\n---\nText"))).toMatchObject({
      name: "x",
      description: "No description",
      tags: [],
      body: "Text",
    });
    expect(taken(header("name: ~\ndescription:"))).toMatchObject({
      name: "x",
      description: "No description",
    });
    expect(taken(read("Just text"))).toMatchObject({
      name: "x",
      body: "Just text",
      notes: ["no-front-matter"],
    });
    expect(taken(header("tags: a, b\npriority: 3"))).toMatchObject({ tags: ["a", "b"], priority: 3 });
  });

  test("__proto__ is a key like any other", () => {
    expect(taken(header("name: proto\n__proto__:\n  polluted: yes-it-is")).name).toBe("proto");
    expect("polluted" in {}).toBe(false);
  });

  test("half a character spelled by an escape becomes a whole one", () => {
    expect(taken(header('description: "\\ud83d x"')).description).toBe("\uFFFD x");
  });
});

describe("headers that are refused, by line and reason", () => {
  test.each([
    [
      "brackets in a flow list",
      "---\nname: extras\ndescription: x\nneeds: [tool[extra], other]\n---\n",
      "front-matter-yaml",
      4,
    ],
    ["never closed", "---\nname: open\n\n# Steps\n\nname: wrong\n", "front-matter-open", 1],
    ["a key twice", "---\nname: t\ndescription: a\nlicense: MIT\ndescription: b\n---\n", "repeated-key", 5],
    ["a fence with a language", "---js\n{ name: 1 }\n---\n", "front-matter-language", 1],
    ["a fence after the start", "\n\n---\nname: a\n---\n", "front-matter-late", 3],
    ["text behind the end of the YAML", "---\nname: a\n...\nname: b\n---\n", "front-matter-yaml", 3],
    ["a list for a name", "---\nname: [a]\n---\n", "front-matter-type", 2],
    ["no map", "---\njust text\n---\n", "front-matter-yaml", 2],
    ["a name of two lines", '---\ndescription: d\nname: "a\\nb"\n---\n', "skill-name", 3],
    ["a name that is a path", "---\nname: ../x\n---\n", "skill-name", 2],
    ["a quoted value with text behind", "---\ndescription: 'a' b: c\n---\n", "front-matter-yaml", 2],
  ])("%s", (_what, text, code, line) => {
    expect(refused(read(text))).toMatchObject({ code, line });
  });

  test("a key twice names both lines", () => {
    expect(refused(header("a: 1\nb: 2\na: 3")).message).toContain("in lines 2 and 4");
  });

  test("an alias ladder and brackets without end take well under a second", () => {
    const rungs = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const ladder = rungs.map(
      (rung, at) => `  ${rung}: &${rung} [${Array(9).fill(at === 0 ? '"x"' : `*${rungs[at - 1]}`)}]`,
    );
    expect(refused(header(`name: bomb\nmetadata:\n${ladder.join("\n")}`)).code).toBe("front-matter-aliases");
    expect(refused(header(`a: ${"[".repeat(60_000)}`)).code).toBe("front-matter-yaml");
    expect(refused(header(`a: ${"x".repeat(70_000)}`)).code).toBe("front-matter-size");
  });

  test("nothing in a header is run", () => {
    const mark = "globalThis.EVALKIT_MARK = 'ran'";
    for (const text of [`---js\n{ a: (${mark}) }\n---\n`, `---\na: !!js/function "() => { ${mark} }"\n---\n`])
      read(text);
    expect("EVALKIT_MARK" in globalThis).toBe(false);
  });
});

const line = fc.oneof(
  fc.constantFrom(
    "---",
    "--- ",
    "----",
    "---x",
    "...",
    "",
    "name: a",
    "description: b: c",
    "\tx",
    "- y",
    "a: [",
    "---\t",
  ),
  fc.string({ maxLength: 12 }),
);

test("any text is taken or refused with a line inside it, and a header never reaches the body", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const text = normaliseText(lines.join("\n"));
      const result = parseSkill("f", "x", text);
      if (!result.ok)
        return (
          (result.problem.where.line ?? 0) >= 1 && (result.problem.where.line ?? 0) <= text.split("\n").length
        );
      const fenced = splitFrontMatter(text);
      return (
        fenced.kind !== "refused" &&
        fenced.body === result.skill.body &&
        !/^\s*---[ \t]*\n/.test(text.startsWith("---") ? "" : result.skill.body)
      );
    }),
    { numRuns: 500 },
  );
});

test("whatever the words, a quoted name and description come back as they are", () => {
  const word = fc
    .string({ minLength: 1, maxLength: 30 })
    .map((text) => text.replace(/[\p{C}\s/\\.]+/gu, " ").trim())
    .filter((text) => text !== "");
  fc.assert(
    fc.property(word, word, (name, description) => {
      const skill = taken(
        header(`name: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}`),
      );
      expect([skill.name, skill.description]).toEqual([name, description]);
    }),
  );
});

describe("files", () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));
  test("are UTF-8 text, named where they are not", () => {
    expect(decodeText(bytes("a\r\nb\rc"))).toEqual({ ok: true, text: "a\nb\nc" });
    expect(decodeText(bytes([0xef, 0xbb, 0xbf], "a"))).toEqual({ ok: true, text: "a" });
    expect(decodeText(bytes("ok\n", [0xff, 0xfe]))).toMatchObject({
      ok: false,
      code: "not-utf8",
      reason: expect.stringContaining("line 2"),
    });
    expect(decodeText(bytes([0xff, 0xfe], "a\0"))).toMatchObject({
      reason: expect.stringContaining("UTF-16"),
    });
    expect(decodeText(bytes("a\0b"))).toMatchObject({ code: "not-text" });
  });
  test("a Git LFS pointer is no text", () => {
    const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0000\nsize 1234\n";
    expect(isLfsPointer(pointer)).toBe(true);
    expect(decodeText(bytes(pointer))).toMatchObject({ ok: false, code: "lfs-pointer" });
    expect(isLfsPointer("version 2\noid x")).toBe(false);
  });
});
