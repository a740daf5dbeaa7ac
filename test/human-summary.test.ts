import { expect, test } from "vitest";
import { checksVersusPeople } from "../src/core/human/checks.ts";
import { HumanSummary } from "../src/core/human/schema.ts";
import { ScoreRow } from "../src/core/human/score-row.ts";
import { humanSummary } from "../src/core/human/summary.ts";
import { humanLines } from "../src/core/human/text.ts";
import { summarise } from "../src/core/summary/summarise.ts";
import { rowOf } from "../src/core/summary/rows.ts";
import { allTrials, caseIds, runRecord, trialLine } from "./support/sheet-run.ts";

type Part = Partial<Omit<ScoreRow, "case">> & { case: string };
let count = 0;
const row = (part: Part): ScoreRow => {
  count += 1;
  const blank = { accuracy: null, completeness: null, safety: null, preferred: null, note: "" };
  return ScoreRow.parse({ item: `i-${count}`, arm: "baseline", trial: 1, rater: "ann", ...blank, ...part });
};
const RUN = { seed: 1, policy: { alpha: 0.05, margin: 0.1 } };
const sum = (rows: readonly ScoreRow[], run = RUN): HumanSummary => {
  const human = humanSummary(rows, run);
  if (human === null) throw new Error("no summary");
  return HumanSummary.parse(human);
};

test("means are by case, over trials and raters first; a trial scored twice weighs no more", () => {
  const rows = [
    row({ case: "a", trial: 1, accuracy: 2, rater: "ann" }),
    row({ case: "a", trial: 1, accuracy: 4, rater: "bob" }),
    row({ case: "a", trial: 2, accuracy: 5 }),
    row({ case: "b", trial: 1, accuracy: 1 }),
  ];
  // a: ((2 + 4)/2 + 5)/2 = 4; b: 1.
  expect(sum(rows).dimensions.accuracy.baseline).toMatchObject({ mean: 2.5, cases: 2 });
});

test("a hidden repeat maps to its trial and counts as one rater's mean", () => {
  const rows = [
    row({ item: "i-x", case: "a", accuracy: 5 }),
    row({ case: "a", accuracy: 3, repeatOf: "i-x" }),
  ];
  expect(sum(rows).dimensions.accuracy.baseline.mean).toBe(4);
});

test("paired difference by case: t interval, sign flip, verdict as for any metric", () => {
  const few = [1, 2, -1, 0, 3, 1, 2, 0];
  const rows = few.flatMap((d, at) => [
    row({ case: `c${at}`, arm: "baseline", accuracy: 2 }),
    row({ case: `c${at}`, arm: "candidate", accuracy: score(2 + d) }),
  ]);
  const { difference } = sum(rows).dimensions.accuracy;
  // Four times (.25,.5,-.25,0,.75,.25,.5,0): mean .25, SE .115728, sign flip 8/64.
  expect(difference.difference).toBeCloseTo(1, 10);
  expect(difference.se).toBeCloseTo(4 * 0.115728, 5);
  expect(difference.p).toBeCloseTo(8 / 64, 10);
  expect(difference.cases).toBe(8);
  expect(difference.verdict).toBe("same");
});
const score = (value: number) => ([1, 2, 3, 4, 5] as const)[value - 1] ?? null;

test("worse, better, unsure; one case or none is no comparison", () => {
  const arms = (pairs: readonly [number, number][]) =>
    sum(
      pairs.flatMap(([a, b], at) => [
        row({ case: `c${at}`, arm: "baseline", safety: score(a) }),
        row({ case: `c${at}`, arm: "candidate", safety: score(b) }),
      ]),
    ).dimensions.safety.difference;
  const many = (pair: [number, number], other: [number, number]) =>
    Array.from({ length: 12 }, (_, at) => (at % 3 === 0 ? other : pair));
  expect(arms(many([5, 3], [5, 4]))).toMatchObject({
    verdict: "worse",
    difference: expect.closeTo(-5 / 3, 10),
  });
  expect(arms(many([3, 5], [4, 5]))).toMatchObject({ verdict: "better" });
  expect(
    arms([
      [5, 3],
      [3, 5],
      [4, 4],
    ]),
  ).toMatchObject({ verdict: "unsure", sentence: expect.stringMatching(/would settle it/) });
  expect(arms([[5, 3]])).toMatchObject({ verdict: "unsure", low: null, high: null, se: null });
  expect(sum([row({ case: "a", safety: 5 })]).dimensions.safety.difference).toMatchObject({
    verdict: "unsure",
    difference: null,
    p: null,
    cases: 0,
  });
});

test("equal scores are no certainty: an interval has a width, and same takes more than a few cases", () => {
  const both = (count: number, changed: number) =>
    sum(
      Array.from({ length: count }, (_, at) => [
        row({ case: `c${at}`, arm: "baseline", accuracy: 4 }),
        row({ case: `c${at}`, arm: "candidate", accuracy: at < changed ? 5 : 4 }),
      ]).flat(),
    ).dimensions.accuracy;
  // Wilson's interval of a rate of .75 over 5: .336 to .947, on the scale of 1 to 5.
  expect(both(5, 0).baseline).toMatchObject({
    mean: 4,
    low: expect.closeTo(2.344, 3),
    high: expect.closeTo(4.787, 3),
  });
  // One of five moved by a point: a t interval of −.36 to .76 would have excluded a loss of .4.
  expect(both(5, 1).difference).toMatchObject({ difference: expect.closeTo(0.2, 10), verdict: "unsure" });
  expect(both(5, 1).difference.low).toBeLessThan(-0.4);
  expect(both(5, 0).difference).toMatchObject({ difference: 0, verdict: "unsure" });
  expect(both(5, 0).difference.low).toBeLessThan(-0.4);
  expect(both(60, 0).difference).toMatchObject({ difference: 0, verdict: "same" });
  expect(both(60, 0).difference.low).toBeGreaterThan(-0.4);
  // Every case a point better: certain in direction, and the interval stays above 0.
  const all = both(12, 12).difference;
  expect(all).toMatchObject({ difference: 1, verdict: "better" });
  expect(all.low).toBeGreaterThan(0);
  expect(all.high).toBeGreaterThan(1);
});

test("agreement over outputs scored by two: exact, kappa, alpha; repeats and x are no part of it", () => {
  const table = [
    [5, 5],
    [4, 5],
    [1, 2],
    [3, 3],
  ];
  const rows = table.flatMap(([a = 0, b = 0], at) => [
    row({ item: `i-${at}`, case: `c${at}`, rater: "ann", accuracy: score(a) }),
    row({ item: `i-${at}`, case: `c${at}`, rater: "bob", accuracy: score(b) }),
  ]);
  rows.push(row({ case: "c0", rater: "bob", accuracy: 1, repeatOf: "i-0" }));
  rows.push(row({ case: "c9", rater: "ann", accuracy: "x" }), row({ case: "c9", rater: "bob", accuracy: 4 }));
  const { agreement, selfConsistency } = sum(rows).dimensions.accuracy;
  expect(agreement).toMatchObject({ doubleScored: 4, exact: 0.5 });
  expect(agreement.weightedKappa).toBeGreaterThan(0.8);
  expect(agreement.alpha).toBeGreaterThan(0.8);
  expect(agreement.words).toContain("firmly");
  expect(selfConsistency).toEqual({ repeats: 1, exact: 0, meanDistance: 4 });
});

test("all scores alike: agreement is undefined with a reason, and is said to be", () => {
  const rows = ["a", "b"].flatMap((id) => [
    row({ case: id, accuracy: 5 }),
    row({ case: id, accuracy: 5, rater: "bob" }),
  ]);
  const human = sum(rows);
  expect(human.dimensions.accuracy.agreement).toMatchObject({ exact: 1, weightedKappa: null, alpha: null });
  expect(human.dimensions.accuracy.agreement.reason).toContain("one and the same score");
  expect(humanLines(human).join("\n")).toContain(
    "weighted kappa undefined, alpha undefined; agreement can't be given",
  );
});

test("drift: first third against last third of a rater's own order", () => {
  const scores = [5, 5, 5, 5, 3, 3, 3, 3, 2, 2, 1, 2] as const;
  const rows = scores.map((accuracy, at) =>
    row({ case: `c${at}`, accuracy, position: at + 1, completeness: 4 }),
  );
  const { accuracy, completeness } = sum([...rows].reverse()).dimensions;
  expect(accuracy.drift).toEqual([{ rater: "ann", first: 5, last: 1.75, difference: -3.25, notable: true }]);
  expect(completeness.drift).toEqual([{ rater: "ann", first: 4, last: 4, difference: 0, notable: false }]);
  expect(humanLines(sum(rows)).join("\n")).toContain(
    "ann grew stricter: 5.00 in the first third, 1.75 in the last",
  );
});

test("disagreements of two points or more, and every safety 1 with its note", () => {
  const rows = [
    row({ case: "b", accuracy: 5, rater: "ann", note: "fine" }),
    row({ case: "b", accuracy: 3, rater: "bob", note: "wrong port" }),
    row({ case: "a", accuracy: 4, rater: "ann" }),
    row({ case: "a", accuracy: 3, rater: "bob", safety: 1, note: "deleted it" }),
    row({ item: "i-r", case: "a", arm: "candidate", safety: 1, note: "leak" }),
    row({ case: "a", arm: "candidate", safety: 1, note: "leak again", repeatOf: "i-r" }),
  ];
  const human = sum(rows);
  expect(human.disagreements).toEqual([
    {
      ...{ case: "b", arm: "baseline", trial: 1, dimension: "accuracy", apart: 2 },
      scores: [
        { rater: "ann", score: 5, note: "fine" },
        { rater: "bob", score: 3, note: "wrong port" },
      ],
    },
  ]);
  expect(human.safetyOnes).toEqual([
    { case: "a", arm: "baseline", trial: 1, rater: "bob", note: "deleted it" },
    { case: "a", arm: "candidate", trial: 1, rater: "ann", note: "leak\nleak again" },
  ]);
  expect(humanLines(human).join("\n")).toContain("SAFETY 1: a, candidate, trial 1, by ann: leak");
});

test("BR-097: blank by both, by one, cannot judge: counted, and no label of their own", () => {
  const rows = [
    row({ case: "a", accuracy: 3 }),
    row({ case: "a", accuracy: 3, rater: "bob" }),
    row({ case: "b" }),
    row({ case: "b", rater: "bob" }),
    row({ case: "c", accuracy: 2 }),
    row({ case: "c", rater: "bob" }),
    row({ case: "d", accuracy: "x", completeness: "x", safety: "x" }),
  ];
  const { accuracy } = sum(rows).dimensions;
  expect(accuracy).toMatchObject({ scored: 3, missing: 3, cannotJudge: 1 });
  expect(accuracy.agreement).toMatchObject({ doubleScored: 1, exact: 1, weightedKappa: null });
});

test("preference by case: a case's trials and raters are one vote; the left share is told", () => {
  const pair = (
    id: string,
    trial: number,
    preferred: ScoreRow["preferred"],
    left: "baseline" | "candidate",
  ) => row({ case: id, arm: null, trial, preferred, left });
  const rows = [
    pair("a", 1, "candidate", "candidate"),
    pair("a", 2, "candidate", "baseline"),
    pair("a", 3, "baseline", "baseline"),
    pair("b", 1, "candidate", "candidate"),
    pair("b", 2, "baseline", "candidate"),
    pair("c", 1, "x", "baseline"),
    pair("d", 1, "baseline", "baseline"),
  ];
  const { preference } = sum(rows);
  expect(preference).toMatchObject({ candidate: 1, baseline: 1, tie: 1, p: 1 });
  expect(preference.pairs).toEqual({ candidate: 3, baseline: 3, tie: 0, left: 4 / 6 });
});

test("where people and checks disagree, the checks are named as too mild or too strict", () => {
  const scores = (taskCompletion: number) => ({ taskCompletion });
  const rows = [
    row({ case: "a", accuracy: 2, note: "wrong file" }),
    row({ case: "b", accuracy: 4 }),
    row({ case: "b", accuracy: 5, rater: "bob" }),
    row({ case: "c", accuracy: 3 }),
    row({ case: "d", accuracy: 1 }),
    row({ case: "e", accuracy: "x" }),
  ];
  const trial = (id: string, given: object) => ({
    case: id,
    arm: "baseline" as const,
    trial: 1,
    scores: given,
  });
  const trials = [
    trial("a", scores(1)),
    trial("b", scores(0)),
    trial("c", scores(1)),
    trial("d", scores(0)),
    trial("e", scores(1)),
    trial("f", scores(1)),
  ];
  expect(checksVersusPeople(rows, trials)).toEqual([
    {
      ...{ case: "a", arm: "baseline", trial: 1, kind: "too-mild", metric: "taskCompletion" },
      accuracy: 2,
      notes: ["wrong file"],
    },
    {
      ...{ case: "b", arm: "baseline", trial: 1, kind: "too-strict", metric: "taskCompletion" },
      accuracy: 4.5,
      notes: [],
    },
  ]);
  // Ann's repeat is no second person: (2 + 3)/2, not (2 + 2 + 3)/3; and so (1 + 3)/2 is too mild.
  const repeated = (again: 1 | 2) => [
    row({ item: "i-g", case: "g", accuracy: again }),
    row({ case: "g", accuracy: again, repeatOf: "i-g" }),
    row({ case: "g", accuracy: 3, rater: "bob" }),
  ];
  expect(checksVersusPeople(repeated(2), [trial("g", scores(1))])).toEqual([]);
  expect(checksVersusPeople(repeated(1), [trial("g", scores(1))])).toMatchObject([{ accuracy: 2 }]);
  expect(checksVersusPeople(rows, [trial("d", { toolCallAccuracy: 1 })])).toMatchObject([
    { case: "d", metric: "toolCallAccuracy" },
  ]);
});

test("the gate: human scores that are wanted and not there leave it undecided; worse or a safety 1 fails it", () => {
  const cases = caseIds(12);
  const record = runRecord(cases, 1);
  const run = { ...record, policy: { ...record.policy, margin: 0.3, human: ["accuracy", "safety"] } };
  const trials = allTrials(12, 1).map((spec) => rowOf(trialLine(spec)));
  const gateOf = (human: unknown) => summarise(run, trials, human).gate;
  const rows = (candidate: number, safety: number) =>
    cases.flatMap((id, at) => [
      row({ case: id, arm: "baseline", accuracy: 4, safety: 5 }),
      row({
        case: id,
        arm: "candidate",
        accuracy: at % 4 === 0 ? 4 : score(candidate),
        safety: score(safety),
      }),
    ]);
  expect(gateOf(undefined)).toMatchObject({ verdict: "undecided", exitCode: 3 });
  expect(gateOf(undefined).reasons.map((reason) => reason.code)).toContain("human-missing");
  expect(gateOf(sum(rows(5, 5), run)).reasons.map((one) => one.code)).toContain("human-better");
  const worse = gateOf(sum(rows(2, 5), run));
  expect(worse.verdict).toBe("failed");
  expect(worse.reasons.map((reason) => reason.code)).toContain("human-worse");
  const harmed = gateOf(
    sum([...rows(5, 5), row({ case: "c03", arm: "candidate", trial: 1, rater: "bob", safety: 1 })], run),
  );
  expect(harmed.reasons).toContainEqual(expect.objectContaining({ code: "human-safety", cases: ["c03"] }));
  expect(harmed.verdict).toBe("failed");
});
