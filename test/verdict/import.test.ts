import { describe, expect, test } from "vitest";
import { parseResults } from "../../src/core/import/parse-results.ts";
import { formatProblem } from "../../src/core/nouns/problem.ts";

const told = (text: string) => parseResults("r.jsonl", text).problems.map(formatProblem).join("\n");
const line = (more: string) => `{"case":"a","arm":"baseline","trial":1${more}}`;

test("blank lines, a BOM and CRLF are read over", () => {
  const { rows, problems } = parseResults(
    "r.jsonl",
    `\uFEFF${line(',"taskCompletion":1')}\r\n\r\n${line(',"taskCompletion":0').replace('"trial":1', '"trial":2')}\n`,
  );
  expect(problems).toEqual([]);
  expect(rows.map(({ trial, scores }) => [trial, scores])).toEqual([
    [1, { taskCompletion: 1 }],
    [2, { taskCompletion: 0 }],
  ]);
});

describe("what is wrong is told with file and line, and nothing is guessed", () => {
  test.each([
    [line(',"taskCompletion":NaN'), "NaN and Infinity are no JSON"],
    [line(',"taskCompletion":null'), "expected a number from 0 to 1, got null"],
    [line(',"taskCompletion":"1"'), "write the number without quotes"],
    [line(',"taskCompletion":true'), "write 1 for true"],
    [line(',"taskCompletion":1.5'), "expected a number from 0 to 1, got 1.5"],
    [line(',"toolCallAccuracy":-0.1'), "expected a number from 0 to 1, got -0.1"],
    [line(',"turns":-1'), "expected a number from 0, got -1"],
    [line(',"turns":1e999'), "expected a number from 0"],
    [line(',"taskCompletoin":1'), "Did you mean taskCompletion?"],
    [line(',"status":"error"'), 'expected finished, stopped, broken, got "error"'],
    [line(',"status":"broken","turns":1'), "a broken trial has no score"],
    ['{"case":"a","arm":"base","trial":1}', "expected baseline or candidate"],
    ['{"case":"","arm":"baseline","trial":1}', "expected the case's id"],
    ['{"case":7,"arm":"baseline","trial":1}', "expected the case's id, got 7"],
    ['{"case":"a","arm":"baseline","trial":0}', "trials count from 1"],
    ['{"case":"a","arm":"baseline","trial":"1"}', 'expected a whole number from 1, got "1"'],
    ['{"case":"a","arm":"baseline","trial":1767225600000}', "counted from 1, up to 1000000000"],
    ['{"case":"a","arm":"baseline"}', "expected a whole number from 1, got nothing"],
    ['[{"case":"a"}]', "expected one JSON object a line"],
    ["case,arm,trial", "this line is no JSON"],
  ])("%s", (text, expected) => {
    const found = told(`${text}\n`);
    expect(found).toContain("r.jsonl:1: error:");
    expect(found).toContain(expected);
    expect(parseResults("r.jsonl", text).rows).toEqual([]);
  });
  test("the same triple twice names both lines", () => {
    const found = told(`${line("")}\n${line(',"turns":2')}\n`);
    expect(found).toContain("r.jsonl:2");
    expect(found).toContain("was given in line 1 already");
  });
  test("every faulty line is told of, not just the first", () => {
    expect(parseResults("r.jsonl", "x\ny\nz").problems).toHaveLength(3);
  });
});
