import { join } from "node:path";
import { expect, test } from "vitest";
import { calibrate, correctedRate, type JudgedTrial, trustIn } from "../src/core/human/calibrate.ts";
import { ScoreRow } from "../src/core/human/score-row.ts";
import type { Arm } from "../src/core/nouns/score.ts";
import { createRun } from "../src/io/run-store.ts";
import { evalkit } from "./support/in-process.ts";
import { tempDir } from "./support/project.ts";
import { caseIds, runRecord, trialLine } from "./support/sheet-run.ts";
import { writeAtomically } from "../src/io/files.ts";

test("the corrected rate of Rogan and Gladen with its interval", () => {
  const known = { raw: 0.7, n: 500, sensitivity: 0.9, passes: 100, specificity: 0.85, fails: 100 };
  const found = correctedRate(known, 0.05);
  expect(found).toEqual({
    rate: expect.closeTo(0.733333, 6),
    se: expect.closeTo(0.042051, 6),
    low: expect.closeTo(0.6509, 4),
    high: expect.closeTo(0.8158, 4),
  });
});

test("only if sensitivity and specificity together exceed 1; never outside 0 to 1", () => {
  const coin = { raw: 0.5, n: 100, sensitivity: 0.5, passes: 50, specificity: 0.5, fails: 50 };
  expect(correctedRate(coin, 0.05)).toEqual({ rate: null, reason: expect.stringContaining("as often") });
  const high = correctedRate({ ...coin, raw: 1, sensitivity: 0.9, specificity: 0.9 }, 0.05);
  expect(high).toMatchObject({ rate: 1, high: 1 });
});

let cases = 0;
/** Trials of as many cases. */
const times = (count: number, trial: Omit<JudgedTrial, "case">): JudgedTrial[] =>
  Array.from({ length: count }, () => {
    cases += 1;
    return { case: `c${cases}`, ...trial };
  });
const labels = (arm: Arm, [truePass, falsePass, falseFail, trueFail]: [number, number, number, number]) => [
  ...times(truePass, { arm, judge: true, human: true }),
  ...times(falsePass, { arm, judge: true, human: false }),
  ...times(falseFail, { arm, judge: false, human: true }),
  ...times(trueFail, { arm, judge: false, human: false }),
];

test("confusion, per arm too; what nobody scored counts in the judge's own rate alone", () => {
  const trials = [
    ...labels("baseline", [40, 4, 2, 30]),
    ...labels("candidate", [38, 3, 4, 31]),
    ...times(10, { arm: "candidate", judge: true, human: null }),
  ];
  const { all, baseline, candidate } = calibrate(trials, 0.05);
  expect(all.confusion).toEqual({ truePass: 78, falsePass: 7, falseFail: 6, trueFail: 61 });
  expect(all.sensitivity).toMatchObject({ rate: 78 / 84, of: 84 });
  expect(all.specificity).toMatchObject({ rate: 61 / 68, of: 68 });
  expect(all).toMatchObject({ judged: 162, raw: 95 / 162 });
  expect(baseline.confusion.falsePass).toBe(4);
  expect(candidate.judged).toBe(86);
});

test("trials of one case that are alike widen every interval, and say no more for being many", () => {
  const single = labels("baseline", [40, 6, 5, 30]);
  const fourfold = single.flatMap((trial) => [trial, trial, trial, trial]);
  const [one, four] = [calibrate(single, 0.05).all, calibrate(fourfold, 0.05).all];
  expect(four.confusion.truePass).toBe(160);
  expect(four.sensitivity).toMatchObject({ rate: one.sensitivity.rate, of: 180 });
  for (const side of ["low", "high"] as const) {
    expect(four.sensitivity.interval?.[side]).toBeCloseTo(one.sensitivity.interval?.[side] ?? 0, 10);
    expect(four.specificity.interval?.[side]).toBeCloseTo(one.specificity.interval?.[side] ?? 0, 10);
  }
  if (one.corrected.rate === null || four.corrected.rate === null) throw new Error("no corrected rate");
  expect(four.corrected.se).toBeCloseTo(one.corrected.se, 10);
  const lone = single.map((trial) => ({ ...trial, case: "only" }));
  expect(calibrate(lone, 0.05).all).toMatchObject({
    sensitivity: { rate: 40 / 45, interval: null },
    corrected: { rate: null, reason: expect.stringContaining("of one case") },
  });
});

test("the plain word: trusted, corrected, not trusted, partial to an arm, cannot tell", () => {
  const word = (baseline: [number, number, number, number], candidate = baseline) =>
    trustIn(calibrate([...labels("baseline", baseline), ...labels("candidate", candidate)], 0.05));
  expect(word([40, 1, 1, 40]).word).toBe("trust");
  expect(word([40, 8, 4, 32]).word).toBe("correct");
  expect(word([40, 20, 4, 20]).word).toBe("distrust");
  expect(word([40, 2, 2, 38], [40, 16, 2, 24])).toMatchObject({
    word: "distrust",
    sentence: expect.stringContaining("specificity is 95 % in the baseline and 60 % in the candidate"),
  });
  expect(word([14, 1, 0, 20]).word).toBe("cannot-tell");
  expect(word([20, 1, 0, 13]).sentence).toBe(
    "Cannot tell: people passed 40 and failed 28 of the outputs that the judge judged; 30 of each are needed.",
  );
});

/** A run of `cases` cases and two arms whose judge and people say what `say` tells. */
async function judgedRun(cases: number, say: (at: number) => { judge: boolean; human: 1 | 2 | 4 | 5 }) {
  const dir = tempDir();
  const ids = caseIds(cases);
  const record = runRecord(ids, 1);
  const writer = await createRun(join(dir, "reports"), record);
  const rows: ScoreRow[] = [];
  for (const [at, id] of ids.entries()) {
    for (const arm of ["baseline", "candidate"] as const) {
      const { judge, human } = say(at);
      const evidence = [
        { check: "completion[0].answer contains x", passed: true, detail: "" },
        { check: "completion[1].judge Names the package manager.", passed: judge, detail: "because" },
      ];
      const line = trialLine({ case: id, arm, trial: 1 });
      await writer.append({
        ...line,
        scores: { taskCompletion: { status: "scored", value: judge ? 1 : 0, evidence } },
      });
      const none = { completeness: null, safety: null, preferred: null, note: "" };
      rows.push(
        ScoreRow.parse({
          item: `i-${at}-${arm}`,
          case: id,
          arm,
          trial: 1,
          rater: "ann",
          accuracy: human,
          ...none,
        }),
      );
    }
  }
  await writer.close();
  await writeAtomically(
    join(writer.dir, "scores.jsonl"),
    rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
  );
  return dir;
}

test("the command: table, rates, a plain word; exit code 3 when it can't be told", async () => {
  const good = await judgedRun(40, (at) => ({ judge: at % 2 === 0, human: at % 2 === 0 ? 5 : 2 }));
  const { code, out } = await evalkit(good, "calibrate-judge", "latest");
  expect(code).toBe(0);
  expect(out).toContain("judge: pass            40    0");
  expect(out).toContain("judge: fail             0   40");
  expect(out).toContain("This judge can be trusted");
  const json = await evalkit(good, "calibrate-judge", "latest", "--json", "--check", "package manager");
  expect(JSON.parse(json.out)).toMatchObject({
    schema: "evalkit.calibration/1",
    trust: { word: "trust" },
    all: { judged: 80 },
  });
  const few = await judgedRun(10, (at) => ({ judge: at % 2 === 0, human: at % 2 === 0 ? 4 : 1 }));
  const told = await evalkit(few, "calibrate-judge", "latest");
  expect(told).toMatchObject({
    code: 3,
    out: expect.stringContaining("Cannot tell: people passed 10 and failed 10"),
  });
});

test("no scores, no judge checks, bad flags: said as such", async () => {
  const dir = await judgedRun(3, () => ({ judge: true, human: 5 }));
  const other = await evalkit(dir, "calibrate-judge", "latest", "--check", "nothing like it");
  expect(other).toMatchObject({
    code: 2,
    err: expect.stringContaining("no trial of this run has a verdict of a judge check"),
  });
  expect(await evalkit(dir, "calibrate-judge", "latest", "--pass", "9")).toMatchObject({ code: 2 });
  expect(await evalkit(dir, "calibrate-judge", "latest", "--dimension", "style")).toMatchObject({ code: 2 });
  const empty = tempDir();
  const writer = await createRun(join(empty, "reports"), runRecord(["a"], 1));
  await writer.close();
  expect(await evalkit(empty, "calibrate-judge", "latest")).toMatchObject({
    code: 2,
    err: expect.stringContaining("no people's scores were imported"),
  });
});
