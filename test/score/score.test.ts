import { describe, expect, test } from "vitest";
import { type CompletionView, scoreCompletion } from "../../src/core/score/completion.ts";
import { costOf, scoreCost } from "../../src/core/score/cost.ts";
import { scoreTrial } from "../../src/core/score/trial.ts";
import { Case, CompletionCheck, Expectation } from "../../src/core/nouns/case.ts";
import { METRICS } from "../../src/core/nouns/score.ts";
import type { Event, Outcome, ToolCall, Usage } from "../../src/core/nouns/transcript.ts";

const view: CompletionView = {
  answer: "",
  files: new Map(),
  commands: new Map(),
  verdicts: new Map(),
  note: null,
};
const complete = (checks: object[], over: Partial<CompletionView>) =>
  scoreCompletion(
    checks.map((check) => CompletionCheck.parse(check)),
    { ...view, ...over },
  );
const value = (checks: object[], over: Partial<CompletionView>) => {
  const score = complete(checks, over);
  return score.status === "scored" ? score.value : score.reason;
};

describe("completion", () => {
  test.each([
    [{ contains: "npm i" }, "run npm i tool", 1],
    [{ contains: ["npm", "tool"] }, "run npm i tool", 1],
    [{ contains: ["npm", "yarn"] }, "run npm i tool", 0],
    [{ contains: "NPM", ignoreCase: true }, "npm", 1],
    [{ notContains: "yarn" }, "npm", 1],
    [{ notContains: "npm" }, "npm", 0],
    [{ equals: "ok" }, " ok\n", 1],
    [{ equals: "ok" }, "okay", 0],
    [{ regex: "^\\d+ files$" }, "12 files", 1],
    [{ regex: "^\\d+ files$" }, "no files", 0],
    [{ jsonSchema: { type: "object", required: ["a"] } }, '{"a":1}', 1],
    [{ jsonSchema: { type: "object", required: ["a"] } }, '```json\n{"a":1}\n```', 1],
    [{ jsonSchema: { type: "object", required: ["a"] } }, '{"b":1}', 0],
    [{ jsonSchema: {} }, "not json", 0],
    // An empty answer satisfies nothing, whatever is asked (BR-063).
    [{ notContains: "Error" }, "", 0],
    [{ notContains: "Error" }, "  \n", 0],
    [{ regex: ".*" }, "", 0],
  ])("answer %j of %j is %d", (answer, text, expected) => {
    expect(value([{ answer }], { answer: text })).toBe(expected);
  });

  test("an empty answer is said to be one", () => {
    const score = complete([{ answer: { notContains: "Error" } }], {});
    expect(score).toMatchObject({
      evidence: [
        {
          check: 'completion[0].answer does not contain "Error"',
          passed: false,
          detail: expect.stringContaining("an empty answer does not satisfy a check, negative ones included"),
        },
      ],
    });
  });

  const files = new Map([["out.txt", "ok\n"]]);
  test.each([
    [{ path: "out.txt" }, 1],
    [{ path: "./out.txt", exists: true }, 1],
    [{ path: "none.txt" }, 0],
    [{ path: "none.txt", absent: true }, 1],
    [{ path: "out.txt", absent: true }, 0],
    [{ path: "out.txt", equals: "ok" }, 1],
    [{ path: "out.txt", contains: "k", notContains: "x", regex: "^o" }, 1],
    [{ path: "none.txt", notContains: "x" }, 0],
  ])("file %j is %d", (file, expected) => {
    expect(value([{ file }], { files })).toBe(expected);
  });

  test.each([
    [{ run: "x", stdout: "1" }, { stdout: "1\n", stderr: "", exitCode: 0 }, 1],
    [{ run: "x", stdout: "1" }, { stdout: "2\n", stderr: "", exitCode: 0 }, 0],
    [{ run: "x" }, { stdout: "", stderr: "no", exitCode: 1 }, 0],
    [{ run: "x", exitCode: 1 }, { stdout: "", stderr: "no", exitCode: 1 }, 1],
    [{ run: "x", stdoutContains: ["a", "b"] }, { stdout: "a b", stderr: "", exitCode: 0 }, 1],
  ])("command %j after %j is %d", (command, result, expected) => {
    expect(value([{ command }], { commands: new Map([[0, result]]) })).toBe(expected);
  });

  test("a check without a verdict leaves the trial unscored, even beside a failed one", () => {
    const checks = [{ answer: { contains: "x" } }, { judge: { rubric: "Good." } }];
    expect(value(checks, { answer: "y" })).toBe(
      "completion[1]: no judge is set up; of the other checks 0 held and 1 did not",
    );
    const judged = (verdict: "pass" | "fail" | "unscored") =>
      value([{ judge: { rubric: "Good." } }], { verdicts: new Map([[0, { verdict, reason: "r" }]]) });
    expect([judged("pass"), judged("fail"), judged("unscored")]).toEqual([
      1,
      0,
      "completion[0]: the judge gave no verdict (r); of the other checks 0 held and 0 did not",
    ]);
  });
});

const usage: Usage = { prompt: 100, cached: 40, completion: 10, reasoning: 0 };
const replyEvent = (turn: number, calls: Omit<ToolCall, "id">[], over: object = {}): Event => ({
  type: "reply",
  conversation: 0,
  turn,
  reply: {
    content: "Done.",
    reasoning: "",
    calls: calls.map((call, at) => ({ id: `c${turn}-${at}`, ...call })),
    finish: null,
    usage,
    model: null,
    notes: [],
    ...over,
  },
  ms: 1500,
  attempts: 1,
  replayed: false,
});
const trial = (
  expectation: object,
  events: Event[],
  over: { outcome?: Outcome; answer?: string; inPrompt?: boolean } = {},
) =>
  scoreTrial({
    case: Case.parse({
      id: "c",
      title: "c",
      source: { file: "c.yaml", line: 1 },
      turns: [{ user: "hi" }],
      expect: Expectation.parse(expectation),
    }),
    transcript: { events, outcome: over.outcome ?? { status: "finished" }, answer: over.answer ?? "done" },
    view,
    skillsInPrompt: over.inPrompt ?? false,
    model: "m",
    prices: {},
  });

describe("a trial", () => {
  test("has no score when it broke, whatever its checks say (BR-063)", () => {
    const outcome: Outcome = {
      status: "broken",
      failure: { kind: "server", message: "boom", status: 500, attempts: 5 },
    };
    const scores = trial({ completion: [{ answer: { notContains: "Error" } }] }, [], { outcome, answer: "" });
    expect(Object.keys(scores).sort()).toEqual([...METRICS].sort());
    for (const score of Object.values(scores)) {
      expect(score).toEqual({ status: "unscored", reason: "the trial broke: server: boom" });
    }
  });

  test("that a limit stopped has completed nothing, and its calls are judged", () => {
    const outcome: Outcome = { status: "stopped", limit: "turns", message: "turn limit 6" };
    const scores = trial(
      { completion: [{ answer: { contains: "done" } }], tools: { calls: [{ name: "f" }] } },
      [replyEvent(1, [{ name: "f", arguments: "" }])],
      { outcome },
    );
    expect(scores.taskCompletion).toEqual({
      status: "scored",
      value: 0,
      evidence: [{ check: "ended by itself", passed: false, detail: "stopped: turn limit 6" }],
    });
    expect(scores.toolCallAccuracy).toMatchObject({ value: 1 });
  });

  test("counts turns, calls, tokens, seconds and approvals asked", () => {
    const asked = (answer: "approve" | "deny" | "refused-by-policy"): Event => ({
      type: "approval",
      conversation: 0,
      callId: "x",
      tool: "write_file",
      answer,
    });
    const scores = trial({}, [
      replyEvent(1, [
        { name: "f", arguments: "" },
        { name: "g", arguments: "" },
      ]),
      asked("approve"),
      asked("deny"),
      asked("refused-by-policy"),
      replyEvent(2, []),
    ]);
    const values = Object.fromEntries(
      Object.entries(scores).map(([name, score]) => [
        name,
        score.status === "scored" ? score.value : score.reason,
      ]),
    );
    expect(values).toEqual({
      toolCallAccuracy: "the case has no tool expectation",
      toolCallF1: "the case has no tool expectation",
      taskCompletion: "the case has no completion checks",
      skillActivation: "the case has no skill expectation",
      turns: 2,
      toolCalls: 2,
      promptTokens: 200,
      cachedTokens: 80,
      completionTokens: 20,
      seconds: 3,
      approvals: 2,
      cost: "no price is set for m",
    });
  });

  test("has no tokens when one reply came without usage", () => {
    const scores = trial({}, [replyEvent(1, []), replyEvent(2, [], { usage: null })]);
    expect(scores.promptTokens).toEqual({
      status: "unscored",
      reason: "the server sent no usage with at least one reply",
    });
  });

  test("F1 counts pairs whatever the order; no calls wanted and none made is 1", () => {
    const f1 = (expectation: object, names: string[]) => {
      const score = trial({ tools: expectation }, [
        replyEvent(
          1,
          names.map((name) => ({ name, arguments: "{}" })),
        ),
      ]).toolCallF1;
      return score?.status === "scored" ? score.value : score?.reason;
    };
    const two = [{ name: "a" }, { name: "b" }];
    expect(f1({ calls: two }, ["b", "a"])).toBe(1);
    expect(f1({ calls: two }, ["a", "x"])).toBe(0.5);
    expect(f1({ calls: two, ignore: ["x"] }, ["a", "x"])).toBeCloseTo(2 / 3);
    expect(f1({ calls: [] }, [])).toBe(1);
    expect(f1({ calls: [] }, ["a"])).toBe(0);
    expect(f1({ forbid: ["a"] }, [])).toBe("the case lists no expected calls");
  });

  test("a trial that says and does nothing passes nothing (BR-063)", () => {
    const silent = [replyEvent(1, [], { content: " \n" })];
    const scores = trial(
      {
        tools: { forbid: ["a"] },
        completion: [{ file: { path: "x", absent: true } }],
      },
      silent,
    );
    for (const score of [scores.toolCallAccuracy, scores.taskCompletion]) {
      expect(score).toMatchObject({
        value: 0,
        evidence: [{ passed: true }, { check: "said or did something" }],
      });
    }
  });

  test("forbidden calls and wrong order fail with the call named", () => {
    const accuracy = (expectation: object, made: [string, string][]) =>
      trial({ tools: expectation }, [
        replyEvent(
          1,
          made.map(([name, args]) => ({ name, arguments: args })),
        ),
      ]).toolCallAccuracy;
    const shot: [string, string] = ["take_screenshot", "{}"];
    const snap: [string, string] = ["take_snapshot", "{}"];
    expect(accuracy({ before: [["take_snapshot", "take_screenshot"]] }, [snap, shot])).toMatchObject({
      value: 1,
    });
    expect(accuracy({ before: [["take_snapshot", "take_screenshot"]] }, [])).toMatchObject({ value: 1 });
    expect(accuracy({ before: [["take_snapshot", "take_screenshot"]] }, [shot, snap])).toMatchObject({
      value: 0,
      evidence: [{ detail: "take_screenshot came as call 1; take_snapshot first came as call 2" }],
    });
    const forbid = [{ name: "execute_command", args: { command: { $regex: "rm -rf" } } }];
    expect(accuracy({ forbid }, [["execute_command", '{"command":"ls"}']])).toMatchObject({ value: 1 });
    expect(accuracy({ forbid }, [["execute_command", '{"command":"rm -rf /"}']])).toMatchObject({
      value: 0,
      evidence: [{ detail: 'call 1 is forbidden: execute_command({"command":"rm -rf /"})' }],
    });
    // Trying is enough: the arguments of this call could not even be read.
    expect(accuracy({ forbid: ["take_screenshot"] }, [["take_screenshot", "{"]])).toMatchObject({ value: 0 });
  });

  test("says when the server did not honour tools (BR-057)", () => {
    const scores = trial({ tools: { calls: [{ name: "f" }] }, completion: [{ answer: { contains: "3" } }] }, [
      replyEvent(1, [], { notes: ["tool-call-in-text"], content: "<tool_call>{}</tool_call>" }),
    ]);
    for (const score of [scores.toolCallAccuracy, scores.taskCompletion]) {
      expect(score).toMatchObject({
        value: 0,
        evidence: [{ detail: expect.stringContaining("the server did not honour tools") }],
      });
    }
  });

  test("skill activation: loaded what it should and nothing to avoid", () => {
    const skill = (what: "loaded" | "unknown" | "disabled", name: string): Event => ({
      type: "skill",
      conversation: 0,
      what,
      name,
    });
    const activation = (events: Event[], inPrompt = false) =>
      trial({ skills: { load: ["web"], avoid: ["bad"] } }, events, { inPrompt }).skillActivation;
    expect(activation([skill("loaded", "web")])).toMatchObject({ value: 1 });
    expect(activation([skill("disabled", "web")])).toMatchObject({ value: 0 });
    expect(activation([skill("loaded", "web"), skill("loaded", "bad")])).toMatchObject({
      value: 0,
      evidence: [
        { passed: true },
        { passed: false },
        { detail: "precision 0.50, recall 1.00; loaded: web, bad" },
      ],
    });
    expect(activation([])).toMatchObject({
      evidence: [{}, {}, { detail: "precision undefined, recall 0.00; loaded: nothing" }],
    });
    expect(activation([], true)).toMatchObject({ status: "unscored" });
  });

  test("load_skill is left out of the matching where the arm could not call it", () => {
    const expectation = { tools: { match: "strict", calls: [{ name: "load_skill" }, { name: "f" }] } };
    const events = [replyEvent(1, [{ name: "f", arguments: "" }])];
    expect(trial(expectation, events, { inPrompt: true }).toolCallAccuracy).toMatchObject({
      value: 1,
      evidence: [{ detail: expect.stringContaining("left out, not offered in this arm: load_skill") }],
    });
    expect(trial(expectation, events).toolCallAccuracy).toMatchObject({ value: 0 });
  });
});

test("cost prices cached tokens apart, as a part of the prompt", () => {
  expect(costOf(usage, { prompt: 10, cached: 1, completion: 100 })).toBeCloseTo(
    (60 * 10 + 40 + 10 * 100) / 1e6,
    12,
  );
  expect(costOf(usage, { prompt: 10, completion: 100 })).toBeCloseTo((100 * 10 + 10 * 100) / 1e6, 12);
  expect(scoreCost(usage, "__proto__", {})).toMatchObject({ status: "unscored" });
  expect(scoreCost(null, "m", { m: { prompt: 1, completion: 1 } })).toMatchObject({ status: "unscored" });
});
