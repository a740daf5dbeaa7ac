import { expect, test } from "vitest";
import { parseCases } from "../../src/core/case/parse.ts";
import { formatProblem } from "../../src/core/nouns/problem.ts";

const told = (rest: string) =>
  parseCases("c.yaml", `turns: [{user: hi}]\n${rest}`).problems.map((one) =>
    formatProblem(one).replace(/^c\.yaml:/, ""),
  );
const WORKS = "expect: {completion: [{answer: {contains: x}}]}";

/** What is written, and all that is said about it (the first line of each message). */
const rules: readonly (readonly [string, string, readonly string[]])[] = [
  ["a sound case", WORKS, []],
  [
    "unknown built-in tool",
    `tools: [web_fech]\n${WORKS}`,
    [
      '2:9: error: there is no built-in tool "web_fech". Did you mean web_fetch? (at tools[0]) [unknown-tool]',
    ],
  ],
  [
    "a tool twice",
    `tools: [read_file, read_file]\n${WORKS}`,
    ['2:20: error: the tool "read_file" is listed twice (at tools[1]) [duplicate-tool]'],
  ],
  [
    "own tool in place of load_skill",
    `tools: [{name: load_skill}]\n${WORKS}`,
    [
      "2:10: error: load_skill can't be replaced by a tool of the case's own (at tools[0].name) [reserved-tool]",
    ],
  ],
  [
    "own tool in place of a built-in",
    `tools: [{name: web_fetch}]\n${WORKS}`,
    [
      "2:10: warning: this tool takes the place of the built-in web_fetch (at tools[0].name) [replaces-built-in]",
    ],
  ],
  [
    "schemas that mean nothing",
    `tools:\n  - {name: a, parameters: {type: objct, required: id}}\n  - {name: b, parameters: {type: object, properties: {x: {type: text, pattern: "(?=a)"}}}}\n${WORKS}`,
    [
      '3:28: error: no JSON Schema type: "objct". Did you mean object? Types are string, number, integer, boolean, object, array, null (at tools[0].parameters.type) [bad-schema]',
      "3:41: error: required takes a list of key names (at tools[0].parameters.required) [bad-schema]",
      '3:15: error: the parameters of a tool are a JSON Schema with "type: object" (at tools[0].parameters) [bad-schema]',
      '4:59: error: no JSON Schema type: "text". Types are string, number, integer, boolean, object, array, null (at tools[1].parameters.properties.x.type) [bad-schema]',
      "4:71: error: not a regular expression in RE2 syntax (no lookaround, no backreferences): error parsing regexp: invalid or unsupported Perl syntax: `(?=` (at tools[1].parameters.properties.x.pattern) [bad-schema]",
    ],
  ],
  [
    "canned results",
    `tools: [{name: a, results: [{return: 1, error: x}, {}, {return: 2, when: {id: {$regx: x}}}]}]\n${WORKS}`,
    [
      "2:29: error: a result has return or error, not both (at tools[0].results[0]) [contradiction]",
      "2:52: error: a result needs return or error (at tools[0].results[1]) [empty-result]",
      "2:52: warning: result 1 has no when and is always given before this one (at tools[0].results[1]) [never-used]",
      "2:80: error: unknown matcher $regx; there are $any, $regex, $contains, $oneOf, $gte, $lte, $absent (at tools[0].results[2].when.id.$regx) [bad-matcher]",
      "2:56: warning: result 1 has no when and is always given before this one (at tools[0].results[2]) [never-used]",
    ],
  ],
  [
    "calls of tools that are not offered",
    "tools: [read_file]\nexpect: {tools: {calls: [{name: web_fetch}, {name: load_skill}, {name: read_flie}], forbid: [write_file, write_flie], before: [[read_file, lst_dir]]}}",
    [
      '3:27: error: the case expects a call of "web_fetch" but doesn\'t offer it. (at expect.tools.calls[0].name) [tool-not-offered]',
      '3:66: error: the case expects a call of "read_flie" but doesn\'t offer it. Did you mean read_file? (at expect.tools.calls[2].name) [tool-not-offered]',
      '3:106: warning: "write_flie" is no built-in tool and none of the case\'s own. Did you mean write_file? (at expect.tools.forbid[1]) [unknown-tool]',
      '3:140: warning: "lst_dir" is no built-in tool and none of the case\'s own. Did you mean list_dir? (at expect.tools.before[0][1]) [unknown-tool]',
    ],
  ],
  [
    "patterns with lookarounds and backreferences",
    `expect: {tools: {calls: [{name: read_file, args: {path: {$regex: "(?<!a)b"}}}]}, completion: [{answer: {regex: "(a)\\\\1"}}, {file: {path: x, regex: "["}}]}`,
    [
      "2:58: error: not a regular expression in RE2 syntax (no lookaround, no backreferences): error parsing regexp: invalid named capture: `(?<!a)b` (at expect.tools.calls[0].args.path.$regex) [bad-matcher]",
      "2:105: error: not a regular expression in RE2 syntax (no lookaround, no backreferences): error parsing regexp: invalid escape sequence: `\\1` (at expect.completion[0].answer.regex) [bad-regex]",
      "2:141: error: not a regular expression in RE2 syntax (no lookaround, no backreferences): error parsing regexp: missing closing ]: `[` (at expect.completion[1].file.regex) [bad-regex]",
    ],
  ],
  [
    "paths of the world",
    `world: {files: {/etc/passwd: x, ../up: x, 'a\\b': x, a//b: x, dir: x, dir/in: x}}\n${WORKS}`,
    [
      '2:17: error: "/etc/passwd" is absolute; paths of a world are relative to its root (at world.files["/etc/passwd"]) [bad-path]',
      '2:33: error: "../up" holds .. and may leave the world (at world.files["../up"]) [bad-path]',
      '2:43: error: "a\\\\b" holds a backslash; write / between names (at world.files["a\\\\b"]) [bad-path]',
      '2:53: error: "a//b" holds an empty name or . (at world.files["a//b"]) [bad-path]',
      '2:62: error: "dir" is a file, but "dir/in" lies in it (at world.files.dir) [bad-path]',
    ],
  ],
  [
    "addresses",
    `world: {pages: {docs.test: {}, "file:///etc/passwd": {}, "https://a.test/#x": {}}}\n${WORKS}`,
    [
      '2:17: error: "docs.test" is no absolute http or https address (at world.pages["docs.test"]) [bad-url]',
      '2:32: error: "file:///etc/passwd" is no absolute http or https address (at world.pages["file:///etc/passwd"]) [bad-url]',
      '2:58: warning: a page is asked for without the part after # (at world.pages["https://a.test/#x"]) [bad-url]',
    ],
  ],
  [
    "checks that say nothing",
    "expect: {tools: {}, skills: {}, completion: [{answer: {}}, {answer: {ignoreCase: true}}, {answer: {contains: ''}}]}",
    [
      "2:47: error: an answer check without a condition always holds (at expect.completion[0].answer) [empty-check]",
      "2:61: error: an answer check without a condition always holds (at expect.completion[1].answer) [empty-check]",
      "2:100: error: every text contains the empty text (at expect.completion[2].answer.contains) [empty-check]",
      "2:21: error: the skill expectation is empty: it has no load or avoid (at expect.skills) [empty-check]",
      "2:10: error: the tool expectation is empty: it has no calls, forbid or before (at expect.tools) [empty-check]",
    ],
  ],
  [
    "checks that can't hold",
    "expect: {completion: [{file: {path: a, exists: true, absent: true}}, {file: {path: a, absent: true, contains: x}}, {answer: {equals: Yes, contains: [No]}}, {answer: {contains: Hello, notContains: hell, ignoreCase: true}}, {command: {run: ls, stdout: a, stdoutContains: b}}]}",
    [
      "2:24: error: the file can't both exist and be absent (at expect.completion[0].file) [contradiction]",
      "2:71: error: a file that is absent has no text for contains (at expect.completion[1].file) [contradiction]",
      '2:117: error: it can\'t equal the text and contain "No" (at expect.completion[2].answer) [contradiction]',
      '2:158: error: it can\'t hold "hello" and not "hell" (at expect.completion[3].answer) [contradiction]',
      '2:224: error: stdout can\'t be as given and contain "b" (at expect.completion[4].command) [contradiction]',
    ],
  ],
  [
    "skills and calls against themselves",
    "skills: [a]\nexpect: {skills: {load: [a, b], avoid: [a]}, tools: {calls: [{name: read_file}], forbid: [read_file]}}",
    [
      '3:26: error: "a" stands in load and in avoid (at expect.skills.load[0]) [contradiction]',
      '3:29: error: "b" is expected to be loaded but not enabled by skills: ["a"] (at expect.skills.load[1]) [contradiction]',
      '3:62: error: "read_file" is expected and forbidden (at expect.tools.calls[0]) [contradiction]',
    ],
  ],
  [
    "no expectation",
    "title: x",
    ["1:1: warning: the case expects nothing, so it has no score (at expect) [no-expectation]"],
  ],
  [
    "negative checks only (BR-063)",
    "expect: {tools: {forbid: [write_file]}, completion: [{answer: {notContains: Error}}, {file: {path: a, absent: true}}]}",
    [
      "2:1: warning: an agent that does nothing passes this case: it has negative checks only (at expect) [only-negative]",
    ],
  ],
  ...["", ".*", "x*|y", "(?s).*"].map(
    (regex) =>
      [
        `a pattern that is found everywhere: ${regex}`,
        `expect: {completion: [{file: {path: a, regex: '${regex}'}}]}`,
        [
          `2:40: error: ${JSON.stringify(regex)} is found in every text (at expect.completion[0].file.regex) [empty-check]`,
        ],
      ] as const,
  ),
  [
    "a pattern written as in JavaScript",
    "expect: {completion: [{answer: {regex: /ok/i}}]}",
    [
      "2:33: warning: the slashes are part of what is looked for (at expect.completion[0].answer.regex) [slashes-in-regex]",
    ],
  ],
  ...["equals: ''", "regex: '^$'"].map(
    (check) =>
      [
        `an empty answer is what is wanted: ${check}`,
        `expect: {completion: [{answer: {${check}}}]}`,
        [
          "2:1: warning: an agent that does nothing passes this case: it has negative checks only (at expect) [only-negative]",
        ],
      ] as const,
  ),
  [
    "approvals that nobody asks for",
    `approvals: [{tool: read_file, answer: deny}]\n${WORKS}`,
    ['2:14: error: "read_file" is no tool that needs approval. (at approvals[0].tool) [unknown-tool]'],
  ],
  [
    "ids with line breaks",
    `id: "a\\nb"\n${WORKS}`,
    ['2:1: error: the id "a\\nb" holds a line break or control character (at id) [bad-id]'],
  ],
  [
    "ids that would leave an attribute are text (BR-073)",
    `id: 'x" onmouseover="document.title=1'\n${WORKS}`,
    [],
  ],
  ["braces are text (BR-037)", `context: "a {{b}} {% c %} {# d"\n${WORKS}`, []],
  [
    "no call at all is an expectation",
    "expect: {tools: {match: strict, calls: []}, completion: [{answer: {contains: x}}]}",
    [],
  ],
];

test.each(rules)("%s", (_, rest, expected) => {
  expect(told(rest).map((text) => text.split("\n")[0])).toEqual(expected);
});

test("a user who says nothing", () => {
  const { problems } = parseCases("c.yaml", `turns: [{user: hi}, {user: " "}]\n${WORKS}`);
  expect(problems.map(formatProblem)).toEqual([
    "c.yaml:1:22: error: the user says nothing (at turns[1].user) [blank-turn]",
  ]);
});
