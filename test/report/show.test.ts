import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TrialLine } from "../../src/core/nouns/run.ts";
import type { Event } from "../../src/core/nouns/transcript.ts";
import { overviewText } from "../../src/core/report/show/overview.ts";
import { picker } from "../../src/core/report/show/pick.ts";
import { trialText } from "../../src/core/report/show/trial.ts";
import { troubles } from "../../src/core/report/show/trouble.ts";
import { evalkit } from "../support/in-process.ts";
import { tempDir } from "../support/project.ts";
import {
  type MadeRun,
  makeRun,
  marks,
  type RunSpec,
  type TrialSpec,
  writeMadeRun,
} from "../support/run-fixture.ts";
import { ATTACKS } from "./attacks.ts";

const timeout = {
  status: "broken" as const,
  failure: {
    kind: "timeout" as const,
    message: `no reply within 120 s\nthe server said: ${"queue full; ".repeat(40)}END`,
    status: 504,
    attempts: 5,
  },
};

/** Passing, failing, stopped and broken trials; a trial that uses skills, approvals, long results and text calls. */
const SPEC: RunSpec = {
  runId: "shown-run",
  cases: [
    {
      id: "web/static-page",
      title: "A static page is read",
      turns: [{ user: "Read the page." }, { user: "And now?" }],
    },
    "stops/always",
    "fine/always",
    "breaks/once",
    { id: "never/ran" },
  ],
  trials: [
    {
      case: "web/static-page",
      arm: "candidate",
      trial: 2,
      completion: 0,
      failed: { "answer.contains": "it lacks npm" },
    },
    {
      ...{ case: "web/static-page", arm: "candidate", trial: 1, completion: 0, tools: 0 },
      failed: { "answer.contains": "it lacks npm", "tools.calls (superset)": "missing: web_fetch(…)" },
      steps: [
        { user: "Read the page." },
        {
          says: "I load a skill.",
          calls: [{ name: "load_skill", args: { name: "web-access" }, result: "Loaded." }],
        },
        { says: "Wait." },
        { user: "the skill's own body\n---\nAnd now?", injected: ["web-access"] },
        {
          calls: [
            { name: "web_fetch", args: '{"url": "https://docs.example.test/"}', result: "word ".repeat(400) },
            { name: "read_file", args: "{not json", result: "no such file", error: true },
            { name: "list_dir", result: Array.from({ length: 30 }, (_, at) => `file-${at}`).join("\n") },
          ],
        },
        { says: '<tool_call>{"name": "web_fetch"}</tool_call>' },
      ],
    },
    ...marks("fine/always", "11", "11"),
    ...marks("stops/always", "1", "1", {
      outcome: { status: "stopped", limit: "turns", message: "turn limit 20" },
    }),
    { case: "breaks/once", arm: "baseline", outcome: timeout, steps: [{ user: "Do it." }] },
    { case: "breaks/once", arm: "candidate" },
    { case: "web/static-page", arm: "baseline", trial: 1 },
  ],
};

/** The made-up run with what its builder has no words for: skill events, approvals, a reply's notes. */
function shownRun(): MadeRun {
  const run = makeRun(SPEC);
  return {
    ...run,
    lines: run.lines.map((line) => (line.trial === 1 ? { ...line, events: enrich(line) } : line)),
  };
}

function enrich(line: TrialLine): Event[] {
  return line.events.flatMap((event): Event[] => {
    if (event.type === "tool" && event.name === "load_skill")
      return [event, { type: "skill", conversation: 0, what: "loaded", name: "web-access" }];
    if (event.type === "tool" && event.name === "web_fetch")
      return [
        { type: "approval", conversation: 0, callId: event.callId, tool: event.name, answer: "approve" },
        event,
      ];
    if (event.type === "reply" && event.reply.content.startsWith("<tool_call>"))
      return [{ ...event, reply: { ...event.reply, notes: ["tool-call-in-text", "usage-missing"] } }];
    return [event];
  });
}

function textOf(
  { record, lines }: MadeRun,
  id: string,
  more: { arm?: TrialSpec["arm"]; trial?: number; full?: boolean } = {},
) {
  const picking = picker({ case: id, arm: more.arm ?? null, trial: more.trial ?? null });
  for (const line of lines) picking.take(line);
  const { line, trials } = picking.done();
  return line === null ? null : trialText({ record, line, trials, full: more.full === true });
}

function overviewOf({ record, lines }: MadeRun): string {
  const found = troubles();
  for (const line of lines) found.take(line);
  return overviewText(record, found.done());
}

describe("one trial", () => {
  test("the failing one, whole", async () => {
    await expect(textOf(shownRun(), "web/static-page")).toMatchFileSnapshot("golden/show-trial.txt");
  });

  test("--full folds nothing, and says nothing of folding", () => {
    const text = textOf(shownRun(), "web/static-page", { full: true });
    expect(text).toContain("word ".repeat(400).trim());
    expect(text).toContain("file-29");
    expect(text).not.toContain("--full");
  });

  test("a broken trial shows the whole failure, the status and the attempts", () => {
    const text = textOf(shownRun(), "breaks/once", { arm: "baseline" });
    expect(text).toContain(
      "outcome: broken (timeout): no reply within 120 s\n  the server said: queue full;",
    );
    expect(text).toContain("END\n");
    expect(text).toContain("HTTP 504, 5 attempts");
  });

  test("failed before broken before passed, the candidate first, the lowest number; whatever order they ended in", () => {
    const all = (["failed", "broken", "passed"] as const).flatMap((kind) =>
      (["baseline", "candidate"] as const).flatMap((arm) =>
        [1, 2].map((trial) => ({
          kind,
          arm,
          trial: trial + (kind === "broken" ? 2 : kind === "passed" ? 4 : 0),
        })),
      ),
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: 1 }), (chosen) => {
        const { lines } = makeRun({
          cases: ["a"],
          trials: chosen.map(({ kind, arm, trial }) => ({
            ...{ case: "a", arm, trial, completion: kind === "failed" ? 0 : 1 },
            ...(kind === "broken" ? { outcome: timeout } : {}),
          })),
        });
        const picking = picker({ case: "a", arm: null, trial: null });
        for (const line of lines) picking.take(line);
        const best = ["failed", "broken", "passed"]
          .flatMap((kind) => ["candidate", "baseline"].map((arm) => ({ kind, arm })))
          .flatMap(({ kind, arm }) =>
            chosen.filter((one) => one.kind === kind && one.arm === arm).sort((a, b) => a.trial - b.trial),
          )[0];
        const { line, trials } = picking.done();
        expect({ arm: line?.arm, trial: line?.trial }).toEqual({ arm: best?.arm, trial: best?.trial });
        expect(trials).toHaveLength(chosen.length);
      }),
      { numRuns: 50 },
    );
  });

  test("no text of a run moves the cursor, speaks to a CI runner or starts a line of its own in a heading", () => {
    const text = fc.oneof(fc.constantFrom(...ATTACKS), fc.string({ unit: "binary", maxLength: 80 }));
    fc.assert(
      fc.property(text, text, text, fc.boolean(), (id, said, name, full) => {
        const run = makeRun({
          runId: "r",
          cases: [{ id: id || "x", title: said || "t", source: { file: "f", line: 1 } }],
          candidate: { variant: name },
          trials: [
            {
              ...{ case: id || "x", arm: "candidate", completion: 0, failed: { [name]: said }, answer: said },
              steps: [
                { user: said },
                { says: said, calls: [{ name, args: said, result: said, error: true }] },
              ],
            },
          ],
        });
        for (const shown of [textOf(run, id || "x", { full }) ?? "", overviewOf(run)]) {
          expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
          expect(shown).not.toMatch(/^\s*::/m);
          expect(shown).not.toContain("##[");
          expect(shown).not.toMatch(/\p{Surrogate}/u);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("a run", () => {
  test("what failed, broke and stopped, and why, whole", async () => {
    await expect(overviewOf(shownRun())).toMatchFileSnapshot("golden/show-run.txt");
  });

  test("nothing to look at is said", () => {
    expect(overviewOf(makeRun({ cases: ["a"], trials: marks("a", "11", "11") }))).toContain(
      "No trial failed, stopped or broke.",
    );
  });

  test("results made elsewhere have no transcript", () => {
    const run = makeRun({
      kind: "import",
      cases: ["a"],
      trials: [{ case: "a", arm: "candidate", completion: 0 }],
    });
    const lines = run.lines.map((line) => ({ ...line, events: [], answer: "" }));
    expect(textOf({ ...run, lines }, "a")).toContain("results made elsewhere: there is no transcript");
  });
});

describe("the command", () => {
  async function project(): Promise<string> {
    const dir = tempDir();
    await writeMadeRun(dir, shownRun());
    return dir;
  }

  test("RUN, RUN CASE, latest and a folder; --json is the line of trials.jsonl", async () => {
    const dir = await project();
    const run = shownRun();
    expect((await evalkit(dir, "show", "shown-run")).out).toBe(`${overviewOf(run)}\n`);
    const one = await evalkit(dir, "show", "latest", "web/static-page");
    expect(one).toEqual({ code: 0, out: `${textOf(run, "web/static-page")}\n`, err: "" });
    const json = await evalkit(dir, "show", "reports/shown-run", "web/static-page", "--trial", "2", "--json");
    expect(JSON.parse(json.out)).toEqual(run.lines[0]);
    const all = await evalkit(dir, "show", "shown-run", "--json");
    expect(JSON.parse(all.out)).toMatchObject({ runId: "shown-run", trials: run.lines.length });
  });

  test("a mistyped case, arm or number is answered with what there is, exit 2", async () => {
    const dir = await project();
    const asked = async (...args: string[]) => {
      const { code, out, err } = await evalkit(dir, "show", "latest", ...args);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      return err;
    };
    expect(await asked("web/static-pge")).toContain("Did you mean web/static-page?");
    expect(await asked("static")).toContain("its cases: web/static-page");
    expect(await asked("never/ran")).toContain("no trial of never/ran has ended");
    expect(await asked("fine/always", "--arm", "candidat")).toContain("Did you mean candidate?");
    expect(await asked("fine/always", "--trial", "0")).toContain("expected a whole number from 1");
    expect(await asked("fine/always", "--trial", "9", "--arm", "baseline")).toContain(
      "fine/always has no trial 9 of the baseline",
    );
    expect(await asked("--arm", "baseline")).toContain("no case is named");
  });
});
