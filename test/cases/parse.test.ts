import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { caseDigest } from "../../src/core/case/digest.ts";
import { parseCases } from "../../src/core/case/parse.ts";
import { formatProblem } from "../../src/core/nouns/problem.ts";
import { sha256 } from "../../src/io/digest.ts";

const parse = (text: string) => parseCases("cases/a/b.yaml", text);
const lines = (text: string) => parse(text).problems.map(formatProblem);

test("the contract's example is a case as it stands", () => {
  const text = readFileSync(join(import.meta.dirname, "fixtures/contract.yaml"), "utf8");
  const { cases, problems } = parse(text);
  expect(problems).toEqual([]);
  expect(cases).toMatchObject([
    {
      id: "web-static-page",
      title: "A static page is read with web_fetch",
      mode: "agent",
      skills: "all",
      source: { file: "cases/a/b.yaml", line: 1 },
      tools: ["web_fetch", { name: "lookup_order", approval: false, results: [{}, {}, {}] }],
      expect: {
        tools: { match: "in_order", before: [["take_snapshot", "take_screenshot"]] },
        limits: { turns: 6 },
      },
    },
  ]);
});

test("id and title have defaults, later documents are numbered", () => {
  const one = "turns: [{user: hi}]\nexpect: {skills: {load: [x]}}\n";
  const ids = parse(`${one}---\n${one}---\nid: own\n${one}`).cases.map(({ id, title }) => [id, title]);
  expect(ids).toEqual([
    ["a/b", "a/b"],
    ["a/b#2", "a/b#2"],
    ["own", "own"],
  ]);
  expect(parseCases("evals/x.yaml", one, ["evals"]).cases[0]?.id).toBe("x");
  expect(parseCases("other/cases/x.yml", one, ["evals"]).cases[0]?.id).toBe("x");
});

test("every fault of the schema names line, column, key, what was expected, what came and what helps", () => {
  const text = `
turns: []
mode: agnt
skills: al
tools: [{description: x}, {name: "a b"}, 5, {name: x, parametrs: {}}]
critical: yes
expect:
  tools: {match: in-order, calls: [{nam: x}], before: [[a]], forbid: [{nme: x}, 3]}
  completion:
    - answr: {}
    - answer: {contains: 1}
    - answer: {contains: []}
    - answer: {contains: [1]}
    - {answer: {contains: x}, file: {path: x}}
    - {}
    - judge: x
    - command: {run: x, stdout: 1}
  limits: {turns: 0}
world:
  pages: {"https://a.test/": {kind: statc, status: 99}}
  files: {a: 1}
approvals: {}
id: ""
context:
`;
  expect(lines(text)).toEqual([
    "cases/a/b.yaml:2:1: error: expected at least 1 item in the list (at turns) [wrong-value]",
    'cases/a/b.yaml:3:1: error: expected one of agent, plan, team, got the text "agnt". Did you mean agent? (at mode) [wrong-value]',
    'cases/a/b.yaml:4:1: error: expected one of all, none or a list, got the text "al". Did you mean all? (at skills) [wrong-type]',
    "cases/a/b.yaml:5:9: error: expected a map with name, got description (at tools[0]) [wrong-value]",
    'cases/a/b.yaml:5:28: error: a tool name is 1 to 64 letters, digits, _ or -, got the text "a b" (at tools[1].name) [wrong-value]',
    "cases/a/b.yaml:5:42: error: expected a text or a map with name, got the number 5 (at tools[2]) [wrong-type]",
    'cases/a/b.yaml:5:55: error: unknown key "parametrs". Did you mean parameters? (at tools[3].parametrs) [unknown-key]\n  hint: known keys here: name, description, parameters, approval, results',
    'cases/a/b.yaml:6:1: error: expected true or false, got the text "yes" (at critical) [wrong-type]\n  hint: write true or false',
    'cases/a/b.yaml:8:11: error: expected one of strict, unordered, subset, superset, in_order, got the text "in-order". Did you mean in_order? (at expect.tools.match) [wrong-value]',
    'cases/a/b.yaml:8:36: error: the key "name" is missing; it takes a text (at expect.tools.calls[0].name) [missing-key]',
    'cases/a/b.yaml:8:37: error: unknown key "nam". Did you mean name? (at expect.tools.calls[0].nam) [unknown-key]\n  hint: known keys here: name, args, exact',
    "cases/a/b.yaml:8:56: error: expected at least 2 items in the list (at expect.tools.before[0]) [wrong-value]",
    'cases/a/b.yaml:8:72: error: unknown key "nme". Did you mean name? (at expect.tools.forbid[0].nme) [unknown-key]\n  hint: known keys here: name, args, exact',
    "cases/a/b.yaml:8:81: error: expected a text or a map with name, got the number 3 (at expect.tools.forbid[1]) [wrong-type]",
    'cases/a/b.yaml:10:7: error: unknown key "answr". Did you mean answer? (at expect.completion[0].answr) [unknown-key]\n  hint: known keys here: answer, file, command, judge',
    "cases/a/b.yaml:11:16: error: expected a text or a list, got the number 1 (at expect.completion[1].answer.contains) [wrong-type]",
    "cases/a/b.yaml:12:16: error: expected at least 1 item in the list (at expect.completion[2].answer.contains) [wrong-value]",
    'cases/a/b.yaml:13:27: error: expected a text, got the number 1 (at expect.completion[3].answer.contains[0]) [wrong-type]\n  hint: put it in quotes: "1"',
    "cases/a/b.yaml:14:7: error: holds answer and file at once; expected exactly one of answer, file, command, judge (at expect.completion[4]) [wrong-value]\n  hint: write each as an item of its own",
    "cases/a/b.yaml:15:7: error: expected a map with exactly one of answer, file, command, judge, got an empty map (at expect.completion[5]) [wrong-value]",
    'cases/a/b.yaml:16:7: error: expected a map, got the text "x" (at expect.completion[6].judge) [wrong-type]',
    'cases/a/b.yaml:17:25: error: expected a text, got the number 1 (at expect.completion[7].command.stdout) [wrong-type]\n  hint: put it in quotes: "1"',
    "cases/a/b.yaml:18:12: error: expected at least 1, got the number 0 (at expect.limits.turns) [wrong-value]",
    'cases/a/b.yaml:20:31: error: expected one of static, dynamic, got the text "statc". Did you mean static? (at world.pages["https://a.test/"].kind) [wrong-value]',
    'cases/a/b.yaml:20:44: error: expected at least 100, got the number 99 (at world.pages["https://a.test/"].status) [wrong-value]',
    'cases/a/b.yaml:21:11: error: expected a text, got the number 1 (at world.files.a) [wrong-type]\n  hint: put it in quotes: "1"',
    "cases/a/b.yaml:22:1: error: expected a list, got a map (at approvals) [wrong-type]",
    "cases/a/b.yaml:23:1: error: the text must not be empty (at id) [wrong-value]",
    "cases/a/b.yaml:24:1: error: expected a text, got nothing (at context) [wrong-type]\n  hint: fill the key or leave it out",
  ]);
});

test.each([
  ["", "cases/a/b.yaml: error: the file holds no case [empty-file]\n  hint: a case needs at least turns"],
  ["- a", "cases/a/b.yaml:1:1: error: expected a map, got a list [wrong-type]"],
  [
    "title: x",
    'cases/a/b.yaml:1:1: error: the key "turns" is missing; it takes a list (at turns) [missing-key]',
  ],
])("a file that is no case: %j", (text, message) => {
  expect(lines(text)).toEqual([message]);
});

test("one broken document does not hide the others", () => {
  const good = "turns: [{user: hi}]\nexpect: {skills: {load: [x]}}";
  const { cases, problems } = parse(`${good}\n---\nturns: [{user: 5}]\n---\na: b: c\n---\n${good}`);
  expect(cases.map(({ source }) => source.line)).toEqual([1, 8]);
  expect(problems.map(({ code, where }) => [code, where.line])).toEqual([
    ["bad-yaml", 6],
    ["wrong-type", 4],
  ]);
});

test("a case's digest covers what it says, not where it stands or in which order", () => {
  const at = (text: string) => parse(text).cases.map((one) => caseDigest(one, sha256))[0];
  const digest = at("id: x\nturns: [{user: hi}]\nexpect: {skills: {load: [x]}}");
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(at("\n\nturns: [{user: hi}]\nexpect: {skills: {load: [x], avoid: []}}\nid: x\ntags: []")).toBe(
    digest,
  );
  expect(at("id: x\nturns: [{user: hi!}]\nexpect: {skills: {load: [x]}}")).not.toBe(digest);
});
