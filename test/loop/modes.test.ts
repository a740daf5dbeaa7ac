import { describe, expect, test } from "vitest";
import { readPlan } from "../../src/core/modes/plan.ts";
import { readReview } from "../../src/core/modes/review.ts";
import type { TrialLine } from "../../src/core/nouns/run.ts";
import type { ModelRequest } from "../../src/run/ports.ts";
import { reply, type StubRequest } from "../support/stub-server.ts";
import { caseOf, metric, replyOf, scripted, skillOf, trialOver, trialWith, variantOf } from "./support.ts";

const plan = (tasks: object[], key = "tasks") => JSON.stringify({ summary: "goal", [key]: tasks });
const task = (id: string, dependencies: string[] = []) => ({
  id,
  description: `do ${id}`,
  type: "COMMAND",
  dependencies,
});
const users = (line: TrialLine, conversation: number) =>
  line.events.flatMap((event) =>
    event.type === "user" && event.conversation === conversation ? [event.text] : [],
  );
const roles = (line: TrialLine) =>
  line.events.flatMap((event) =>
    event.type === "conversation" ? [`${event.conversation} ${event.role}`] : [],
  );

describe("a plan is read", () => {
  const order = (text: string) => {
    const found = readPlan(text, "tasks");
    return found.ok ? found.tasks.map(({ id }) => id) : found.error;
  };
  test("bare, in a fence or between words, in dependency order that keeps the plan's own", () => {
    const text = plan([task("c", ["b"]), task("a"), task("b", ["a"]), task("d")]);
    expect(order(text)).toEqual(["a", "b", "c", "d"]);
    expect(order(`\`\`\`json\n${text}\n\`\`\``)).toEqual(["a", "b", "c", "d"]);
    expect(order(`Here is the plan:\n${text}\nGood luck!`)).toEqual(["a", "b", "c", "d"]);
    expect(order(JSON.stringify({ tasks: [{ id: 1, description: "x" }] }))).toEqual(["1"]);
  });
  test("among braces that are none of it, and not where two plans differ", () => {
    const text = plan([task("a")]);
    expect(order(`I use {braces} and ${"`{}`"}. ${text} Is {that} fine?`)).toEqual(["a"]);
    expect(order(`\`\`\`sh\necho {}\n\`\`\`\n\`\`\`json\n${text}\n\`\`\``)).toEqual(["a"]);
    expect(order(`${text}\nAgain: ${text}`)).toEqual(["a"]);
    expect(order(`${text}\nOr rather: ${plan([task("b")])}`)).toContain("can be read in two ways");
  });
  test.each([
    ["I would first look around.", "the reply is not JSON: I would first look around."],
    ["", "the reply is not JSON: (empty)"],
    ["[]", "the reply: "],
    [plan([]), "tasks: "],
    [plan([{ id: "a" }]), "tasks.0.description: "],
    [plan([task("a"), task("a")]), 'the id "a" is there twice'],
    [plan([task("a", ["x"])]), 'a depends on "x", which is not in the plan'],
    [plan([task("a", ["b"]), task("b", ["a"]), task("c")]), "the dependencies go in a circle: a, b"],
    [plan([task("a", ["a"])]), "the dependencies go in a circle: a"],
    [plan([task("a")], "steps"), "tasks: "],
    [`${"[".repeat(10_000)}`, "the reply is not JSON"],
  ])("or refused: %.60j", (text, error) => {
    expect(order(text)).toContain(error);
  });
});

test("a review that is none counts as a rejection", () => {
  expect(readReview('{"approved":true,"summary":"fine"}')).toEqual({
    approved: true,
    summary: "fine",
    issues: [],
    suggestions: [],
  });
  for (const text of ["approved", "", '{"approved":"true"}', "{}"]) {
    expect(readReview(text)).toMatchObject({
      approved: false,
      issues: ["The review was not the JSON object that was asked for."],
    });
  }
});

test("a review that can be read two ways is none: a quoted example approves nothing", () => {
  const example = 'An approval would be ```json\n{"approved":true}\n```';
  expect(readReview(`${example} but: {"approved":false,"issues":["no tests"]}`).approved).toBe(false);
  expect(readReview('{"approved":false,"approved":true}').approved).toBe(false);
  expect(readReview('In {short}: ```json\n{"approved":true}\n``` {sic}').approved).toBe(true);
});

describe("mode plan", () => {
  const item = caseOf({ mode: "plan", turns: [{ user: "Build it." }] });

  test("runs tasks as user messages of one conversation, in dependency order, over HTTP", async () => {
    const { line, stub } = await trialOver(
      (request: StubRequest) => {
        const messages = request.body.messages ?? [];
        if (messages[0]?.content.includes("## Mode: planner"))
          return reply(plan([task("t2", ["t1"]), task("t1")]));
        return reply(`done ${messages.length}`);
      },
      { ...item, expect: { completion: [{ answer: { equals: "done 4" } }] } },
    );
    expect(line).toMatchObject({ status: "finished", answer: "done 4" });
    expect(roles(line)).toEqual(["0 planner", "1 plan"]);
    expect(users(line, 1)).toEqual(["Task t1 (COMMAND): do t1", "Task t2 (COMMAND): do t2"]);
    expect(line.events.find((event) => event.type === "plan")).toEqual({
      type: "plan",
      conversation: 0,
      tasks: ["t1 (COMMAND): do t1", "t2 (COMMAND): do t2"],
      error: null,
    });
    expect([metric(line, "turns"), metric(line, "taskCompletion")]).toEqual([3, 1]);
    expect(stub.requests[0]?.body.tools).toBeUndefined();
  });

  test("a plan that can't be used is asked for once more with the fault named; then it is the model's failure", async () => {
    const mended = scripted([
      replyOf({ content: "first, look" }),
      replyOf({ content: plan([task("t1")]) }),
      replyOf({ content: "ok" }),
    ]);
    const line = await trialWith(mended, item);
    expect(users(line, 0)[1]).toBe(
      "Your reply can't be used as a plan: the reply is not JSON: first, look\nReply again with the JSON object alone.",
    );
    expect(line.answer).toBe("ok");

    const hopeless = await trialWith(
      scripted([replyOf({ content: "no" }), replyOf({ content: "no" })]),
      caseOf({ mode: "plan", expect: { completion: [{ answer: { notContains: "x" } }] } }),
    );
    expect(hopeless).toMatchObject({ status: "finished", answer: "" });
    expect(hopeless.events.filter((event) => event.type === "plan")).toHaveLength(2);
    expect(metric(hopeless, "taskCompletion")).toBe(0);
  });

  test("a skill loaded in one task arrives with the next; the planner's own stays with the planner", async () => {
    const load = (name: string) =>
      replyOf({ calls: [{ name: "load_skill", arguments: JSON.stringify({ name }) }] });
    const model = scripted([
      load("p"),
      replyOf({ content: plan([task("t1"), task("t2")]) }),
      load("w"),
      replyOf({ content: "one" }),
      replyOf({ content: "two" }),
    ]);
    const line = await trialWith(model, item, {
      variant: variantOf({ skills: [skillOf("p"), skillOf("w")] }),
    });
    expect(users(line, 1)).toEqual([
      "Task t1 (COMMAND): do t1",
      "## Loaded skill: w\n\nBody of w.\n\n---\n\nTask t2 (COMMAND): do t2",
    ]);
  });

  test("placeholders of a mode file are filled for each task, and values are never rendered", async () => {
    const layers = { "modes/plan.md": "## Mode: plan\n\n{{taskId}}: {{taskDescription}} for {{goal}}" };
    const model = scripted([
      replyOf({ content: plan([{ ...task("t1"), description: "{{goal}}" }, task("t2")]) }),
      replyOf({ content: "1" }),
      replyOf({ content: "2" }),
    ]);
    const kept = new Map<string, string>();
    const line = await trialWith(model, item, {
      variant: variantOf({ layers }),
      keepText: (digest, text) => kept.set(digest, text),
    });
    const system = (request: ModelRequest | undefined) => request?.messages[0]?.content?.split("\n").at(-1);
    expect(model.requests.slice(1).map(system)).toEqual([
      "t1: {{goal}} for Build it.",
      "t2: do t2 for Build it.",
    ]);
    const told = line.events.flatMap((event) =>
      event.type === "conversation" ? [kept.get(event.promptDigest)] : [],
    );
    expect(told.map((text) => text?.split("\n").at(-1))).toEqual([
      "## Mode: planner",
      "t1: {{goal}} for Build it.",
      "t2: do t2 for Build it.",
    ]);
  });

  test("the turn limit covers planner and tasks together", async () => {
    const model = scripted((_, at) =>
      replyOf({ content: at === 0 ? plan([task("a"), task("b"), task("c")]) : "ok" }),
    );
    const line = await trialWith(model, caseOf({ mode: "plan", expect: { limits: { turns: 3 } } }));
    expect([line.outcome, model.requests.length]).toEqual([
      { status: "stopped", limit: "turns", message: "turn limit 3" },
      3,
    ]);
  });
});

describe("mode team", () => {
  const item = caseOf({ mode: "team", turns: [{ user: "Build it." }] });
  const steps = plan([task("s1"), task("s2", ["s1"])], "steps");
  const review = (approved: boolean, issues: string[] = []) =>
    replyOf({
      content: JSON.stringify({
        approved,
        summary: approved ? "fine" : "not yet",
        issues,
        suggestions: ["shorter"],
      }),
    });
  const say = (content: string) => replyOf({ content });

  test("worker and reviewer take each step; a rejected one goes back with its issues", async () => {
    const model = scripted([
      say(steps),
      say("try 1"),
      review(false, ["no test"]),
      say("try 2"),
      review(true),
      say("end"),
      review(true),
    ]);
    const line = await trialWith(model, item);
    expect(line).toMatchObject({ status: "finished", answer: "end" });
    expect(roles(line)).toEqual(["0 team-planner", "1 team-worker", "2 team-reviewer"]);
    expect(users(line, 1)).toEqual([
      "Step s1 (COMMAND): do s1",
      "Step s1 was not approved.\n\nIssues:\n- no test\n\nSuggestions:\n- shorter",
      "Step s2 (COMMAND): do s2\n\nResult of step s1:\ntry 2",
    ]);
    expect(users(line, 2)[0]).toBe("Step s1 (COMMAND): do s1\n\nHand-over of the worker:\ntry 1");
    expect(
      line.events.flatMap((event) => (event.type === "review" ? [[event.step, event.approved]] : [])),
    ).toEqual([
      ["s1", false],
      ["s1", true],
      ["s2", true],
    ]);
  });

  test("a step is tried three times at most; a review that is none rejects", async () => {
    const no = say("looks good to me");
    const one = plan([task("s1")], "steps");
    const model = scripted([say(one), say("1"), no, say("2"), no, say("3"), no]);
    const line = await trialWith(model, item);
    expect([line.answer, line.status, model.requests.length]).toEqual(["3", "finished", 7]);
  });

  test("no role gets what another has loaded", async () => {
    const load = (name: string) =>
      replyOf({ calls: [{ name: "load_skill", arguments: JSON.stringify({ name }) }] });
    const model = scripted([
      say(steps),
      load("w"),
      say("1"),
      load("r"),
      review(true),
      say("2"),
      review(true),
    ]);
    const line = await trialWith(model, item, {
      variant: variantOf({ skills: [skillOf("w"), skillOf("r")] }),
    });
    const injected = line.events.flatMap((event) =>
      event.type === "user" && event.injected.length > 0 ? [[event.conversation, ...event.injected]] : [],
    );
    expect(injected).toEqual([
      [1, "w"],
      [2, "r"],
    ]);
  });
});
