import { expect, test } from "vitest";
import type { Event, ToolCall } from "../src/core/nouns/transcript.ts";
import { readableTrial, visible } from "../src/core/sheet/readable.ts";
import { trialLine } from "./support/sheet-run.ts";

const start = (conversation: number, role: string): Event => ({
  type: "conversation",
  conversation,
  role,
  promptDigest: "sha256:p",
  tools: [],
});
const user = (conversation: number, text: string, injected: string[] = []): Event => ({
  type: "user",
  conversation,
  text,
  injected,
});
const says = (conversation: number, content: string, calls: ToolCall[] = []): Event => ({
  ...{ type: "reply", conversation, turn: 1, ms: 1, attempts: 1, replayed: false },
  reply: { content, calls, reasoning: "hidden thought", finish: null, usage: null, model: "m", notes: [] },
});
const result = (callId: string, name: string, text: string, error = false): Event => ({
  type: "tool",
  conversation: 0,
  callId,
  name,
  result: text,
  error,
});
const read = (events: readonly Event[], answer: string) =>
  readableTrial(trialLine({ case: "c", arm: "baseline", trial: 1, events, answer }), null, (text) => text);

test("parallel calls stand with their own results; broken arguments as they were written; refusals and failures named", () => {
  const calls = [
    { id: "b", name: "read_file", arguments: '{"path":"a.txt"}' },
    { id: "a", name: "write_file", arguments: '{"path":"b.txt","content":"x\\ny"}' },
    { id: "c", name: "web_fetch", arguments: '{"url":' },
    { id: "d", name: "list_dir", arguments: "" },
  ];
  const { actions } = read(
    [
      start(0, "agent"),
      user(0, "go"),
      says(0, "I look.", calls),
      { type: "approval", conversation: 0, callId: "a", tool: "write_file", answer: "deny" },
      result("a", "write_file", "declined", true),
      result("b", "read_file", "one\ntwo\n"),
      result("c", "web_fetch", "bad JSON", true),
      says(0, "done"),
    ],
    "done",
  );
  expect(actions).toBe(
    [
      "Agent: I look.\n",
      "1. read_file\n   path: a.txt\n   → one\n     two\n",
      "2. write_file\n   path: b.txt\n   content:\n      x\n      y\n   asked for approval: refused\n   → failed: declined\n",
      '3. web_fetch\n   {"url":\n   → failed: bad JSON\n',
      "4. list_dir\n   → (no result)",
    ].join("\n"),
  );
});

test("several user turns: all in the task, each where it came in the actions", () => {
  const { task, actions, answer } = read(
    [start(0, "agent"), user(0, "first"), says(0, "one"), user(0, "second"), says(0, "two")],
    "two",
  );
  expect(task).toBe("1. first\n\n2. second");
  expect(actions).toBe("Agent: one\n\nUser: second");
  expect(answer).toBe("two");
});

test("skill bodies never show, even when they hold a line of three dashes or the loader says which skills there are", () => {
  const load = (name: string, id: string) => ({
    id,
    name: "load_skill",
    arguments: JSON.stringify({ name }),
  });
  const { actions, task } = read(
    [
      start(0, "planner"),
      user(0, "write it"),
      says(0, '{"tasks":[]}'),
      { type: "plan", conversation: 0, tasks: ["t1: learn", "t2: write"], error: null },
      start(1, "plan"),
      user(1, "Task t1"),
      { ...says(1, "", [load("notes", "a"), load("other", "b")]) },
      { ...result("a", "load_skill", '<skill name="notes">\nBODY\n</skill>'), conversation: 1 },
      {
        ...result("b", "load_skill", "Error: Unknown skill 'other'. Available skills: notes, secret"),
        conversation: 1,
      },
      user(1, "## Loaded skill: notes\n\nBODY\n\n---\nMORE BODY\n\n---\n\nTask t2", ["notes"]),
      says(1, "ok"),
    ],
    "ok",
  );
  expect(task).toContain("write it");
  expect(actions).not.toMatch(/BODY|secret|hidden thought|"tasks"/);
  expect(actions).toContain(
    "— Planner —\n\nPlan:\n   - t1: learn\n   - t2: write\n\n— Executor —\n\nTold: Task t1",
  );
  expect(actions).toContain("name: notes\n   → (skill loaded)");
  expect(actions).toContain("name: other\n   → (no such skill)");
  expect(actions).toContain("Told: Task t2");
});

test("control characters are shown, not obeyed", () => {
  expect(visible("a\u001b[31mred\u0000\u202Ex\r\ny\tz\u009b")).toBe("a␛[31mred␀\uFFFDx\ny\tz\uFFFD");
});
