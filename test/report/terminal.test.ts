import fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { terminalReport } from "../../src/core/report/terminal.ts";
import { columnsOf } from "../../src/core/report/width.ts";
import { type MadeRun, makeRun, marks, times } from "../support/run-fixture.ts";
import { ATTACKS } from "./attacks.ts";
import { SAMPLE } from "./sample-run.ts";

const show = ({ record, summary }: MadeRun, width = 80, colour = false) =>
  terminalReport(record, summary, width, colour);
const colours = /\u001b\[\d+m/g;

test("a run at 80 columns, whole", async () => {
  await expect(show(makeRun(SAMPLE))).toMatchFileSnapshot("golden/terminal-80.txt");
});

test("narrower: intervals on a line of their own, then one paragraph a metric", async () => {
  await expect(`${show(makeRun(SAMPLE), 72)}\n\n=====\n\n${show(makeRun(SAMPLE), 40)}`).toMatchFileSnapshot(
    "golden/terminal-narrow.txt",
  );
});

test("colours only where asked for, and they change no letter", () => {
  const plain = show(makeRun(SAMPLE));
  const coloured = show(makeRun(SAMPLE), 80, true);
  expect(plain).not.toContain("\u001b");
  expect(coloured).toMatch(colours);
  expect(coloured.replace(colours, "")).toBe(plain);
});

test("recordings are called recordings of the model; a part of them is counted", () => {
  const ended = SAMPLE.trials.filter((one) => one.outcome?.status !== "broken");
  const all = ended.map((one) => ({ ...one, replies: "replayed" as const }));
  expect(show(makeRun({ ...SAMPLE, trials: all }))).toContain(
    "recordings of stub-model; no model was called",
  );
  const one = makeRun({
    ...SAMPLE,
    trials: SAMPLE.trials.map((trial, at) => (at === 0 ? { ...trial, replies: "replayed" as const } : trial)),
  });
  expect(show(one)).toMatch(/stub-model; 1 of \d+ trials are recordings of it/);
  const mixed = all.map((trial, at) => (at === 0 ? { ...trial, replies: "mixed" as const } : trial));
  const partly = show(makeRun({ ...SAMPLE, trials: mixed }));
  expect(partly).toContain(
    `stub-model; ${all.length - 1} of ${all.length} trials are recordings of it, 1 partly`,
  );
  expect(partly).not.toContain("no model was called");
  expect(show(makeRun(SAMPLE))).not.toContain("recordings");
});

test("no score at all is no data, never NaN, 0 % or an empty table", () => {
  const none = makeRun({ cases: ["a"], trials: [] });
  expect(show(none)).toContain("No metric has data");
  const broken = makeRun({
    cases: ["a"],
    trials: ["baseline" as const, "candidate" as const].flatMap((arm) =>
      times(2, {
        ...{ case: "a", arm },
        outcome: { status: "broken", failure: { kind: "server", message: "boom", status: 500, attempts: 5 } },
      }),
    ),
  });
  expect(show(broken)).toContain("2 planned: 0 finished, 2 broken (server 2)");
  for (const text of [show(none), show(broken)]) {
    expect(text).toContain("Changed cases: no data");
    expect(text).not.toMatch(/NaN|undefined|null|Infinity/);
  }
});

test("19 of 20 trials broke: what is left is shown as 1 of 20", () => {
  const failure = { kind: "network" as const, message: "gone", status: null, attempts: 4 };
  const trials = ["baseline" as const, "candidate" as const].flatMap((arm) =>
    times(20, { case: "a", arm }).map((one, at) =>
      at === 0 ? one : { ...one, outcome: { status: "broken" as const, failure } },
    ),
  );
  const text = show(makeRun({ cases: ["a"], trials }));
  expect(text).toContain("20 planned: 1 finished, 19 broken (network 19)");
  expect(text).toContain("Verdict: undecided");
  expect(text).toContain("below the floor of 95 %");
});

test("one arm only: its values, nothing compared", () => {
  const text = show(
    makeRun({
      cases: ["a"],
      candidate: null,
      kind: "import",
      trials: times(2, { case: "a", arm: "baseline" }),
    }),
  );
  expect(text).toContain("results made elsewhere");
  expect(text).toMatch(/task completion +100\.0 % +no data/);
});

const anyText = fc.oneof(fc.constantFrom(...ATTACKS), fc.string({ unit: "binary", maxLength: 200 }));

test("whatever the names, no line is wider than the terminal and none controls it or the CI runner", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(
        anyText.filter((id) => id.length > 0 && id.length <= 200),
        { minLength: 1, maxLength: 4 },
      ),
      fc.tuple(anyText, anyText, anyText, anyText),
      fc.integer({ min: 40, max: 130 }),
      (ids, [variant, model, note, runId], width) => {
        const trials = ids.flatMap((id, at) => marks(id, "11", at % 2 === 0 ? "00" : "11"));
        const run = makeRun({ runId, cases: ids, trials, candidate: { variant }, model, notes: [note] });
        for (const line of show(run, width).split("\n")) {
          expect(columnsOf(line)).toBeLessThanOrEqual(width);
          expect(stringWidth(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|^\s*::|##\[/);
        }
      },
    ),
    { numRuns: 300 },
  );
});
