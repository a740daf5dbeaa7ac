import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { judgeFigures } from "../src/core/human/judge-figures.ts";
import type { JudgementLine } from "../src/core/human/judge-record.ts";
import { pairAgreement, positionBias, type Word } from "../src/core/human/pair-agreement.ts";
import { pairTrust } from "../src/core/human/pair-trust.ts";
import { ScoreRow } from "../src/core/human/score-row.ts";
import { evalkit } from "./support/in-process.ts";
import { tempDir } from "./support/project.ts";
import { allTrials, caseIds, writeRun } from "./support/sheet-run.ts";
import { reply, startStub } from "./support/stub-server.ts";

const row = (id: string, rater: string, preferred: Word | "x" | null, more: Partial<ScoreRow> = {}) =>
  ScoreRow.parse({
    ...{ item: `i-${id}-${rater}`, case: id, arm: null, trial: 1, rater, preferred, note: "" },
    ...{ accuracy: null, completeness: null, safety: null },
    ...more,
  });

/** A judge's line; `orders`: its word with the baseline first, then with the candidate first. */
const line = (id: string, preferred: Word | null, orders: (Word | null)[] = [preferred, preferred]) => ({
  ...{ case: id, trial: 1, preferred },
  orders: orders.map((word, at) => ({
    ...({ first: at === 0 ? "baseline" : "candidate", preferred: word } as const),
    ...{ reason: "", unparsable: word === null, usage: null, replayed: false },
  })),
});

test("a pair counts once, by the mean of its raters and of each rater's repeats", () => {
  const lines: JudgementLine[] = [
    line("a", "candidate"),
    line("b", "tie"),
    line("c", "baseline"),
    line("d", null),
  ];
  const rows = [
    // Two of three for the candidate; one of them said it twice, once otherwise.
    ...[row("a", "ann", "candidate"), row("a", "bob", "baseline"), row("a", "cy", "candidate")],
    ...[row("b", "ann", "candidate"), row("b", "bob", "baseline")],
    ...[row("c", "ann", "candidate"), row("c", "ann", "candidate", { item: "again", repeatOf: "i-c-ann" })],
    ...[row("d", "ann", "tie"), row("e", "ann", "tie"), row("a", "dee", "x"), row("a", "eve", null)],
  ];
  const found = pairAgreement(lines, rows, 0.05);
  expect(found).toMatchObject({ pairs: 3, cases: 3, unjudged: 1, agree: { rate: 2 / 3, of: 3 } });
  // Rows judge, columns people: candidate, baseline, tie.
  expect(found.table).toEqual([
    [1, 0, 0],
    [1, 0, 0],
    [0, 0, 1],
  ]);
  expect(found.decided).toMatchObject({ rate: 0.5, of: 2 });
  // Observed agreement 2/3; by chance (1·2 + 1·0 + 1·1)/9 = 1/3.
  expect(found.kappa).toMatchObject({ value: 0.5 });
  expect(judgeFigures(lines, rows, null, 0.05).people).toEqual({
    ...{ pairs: 3, cases: 3, agree: 2 / 3 },
    ...{ low: found.agree.interval?.low, high: found.agree.interval?.high },
  });
});

test("kappa's interval is that of leaving each case out", () => {
  const words = ["candidate", "baseline", "tie"] as const;
  const pairs = Array.from({ length: 24 }, (_, at) => ({
    id: `c${at % 8}`,
    trial: 1 + Math.floor(at / 8),
    people: words[at % 3] ?? "tie",
    judge: words[(at % 3) + (at % 5 === 0 ? 1 : 0)] ?? "candidate",
  }));
  const kappa = (some: typeof pairs) =>
    pairAgreement(
      some.map(({ id, trial, judge }) => ({ ...line(id, judge), trial })),
      some.map(({ id, trial, people }) => row(id, "ann", people, { trial })),
      0.05,
    ).kappa;
  const without = [0, 1, 2, 3, 4, 5, 6, 7].map(
    (left) => kappa(pairs.filter(({ id }) => id !== `c${left}`)).value ?? Number.NaN,
  );
  const centre = without.reduce((so, value) => so + value, 0) / 8;
  const se = Math.sqrt((7 / 8) * without.reduce((so, value) => so + (value - centre) ** 2, 0));
  // Student's t of 7 degrees at .975: 2.364624.
  const { value, interval } = kappa(pairs);
  expect(interval?.low).toBeCloseTo((value ?? 0) - 2.364624 * se, 5);
  expect(interval?.high).toBeCloseTo(Math.min(1, (value ?? 0) + 2.364624 * se), 5);
});

test("position: how often the order changed the verdict, and what standing first brings", () => {
  const lines = [
    line("a", "tie", ["baseline", "candidate"]),
    line("b", "tie", ["baseline", "tie"]),
    line("c", "candidate"),
    line("d", null, ["baseline", null]),
    { ...line("e", "tie"), orders: [] },
  ];
  const { changed, first } = positionBias(lines, 0.05);
  expect(changed).toMatchObject({ rate: 2 / 3, of: 3 });
  // Named first: a twice, b once, c once of two, d once.
  expect(first).toMatchObject({ rate: 5 / 6, of: 6 });
});

/** Forty pairs of forty cases: `judge(at, people)` beside people's words in turn. */
function verdictOn(judge: (at: number, people: Word) => Word, count = 40) {
  const words = ["candidate", "baseline", "tie", "candidate", "baseline"] as const;
  const ids = caseIds(count);
  const people = (at: number): Word => words[at % words.length] ?? "tie";
  return pairTrust(
    pairAgreement(
      ids.map((id, at) => line(id, judge(at, people(at)))),
      ids.map((id, at) => row(id, "ann", people(at))),
      0.05,
    ),
  );
}

test("the plain word: trusted, with care, not trusted, partial, cannot tell", () => {
  const turned = { candidate: "baseline", baseline: "candidate", tie: "tie" } as const;
  expect(verdictOn((_, people) => people).word).toBe("trust");
  expect(verdictOn((at, people) => (at % 4 < 1 ? turned[people] : people)).word).toBe("trust");
  expect(verdictOn((at, people) => (at % 3 > 0 ? turned[people] : people), 30).word).toBe("cannot-tell");
  expect(verdictOn((at, people) => (at % 3 < 1 ? turned[people] : people)).word).toBe("care");
  expect(verdictOn((_, people) => turned[people])).toMatchObject({
    word: "distrust",
    sentence: expect.stringContaining(
      "Do not trust this judge with pairs: it agrees with people in 20 % of 40",
    ),
  });
  expect(verdictOn((at, people) => (at % 3 === 0 ? "candidate" : people))).toMatchObject({
    word: "distrust",
    sentence: expect.stringContaining("it favours the candidate, by 0."),
  });
  expect(verdictOn(() => "tie").word).toBe("distrust");
  expect(verdictOn((_, people) => people, 29)).toMatchObject({
    word: "cannot-tell",
    sentence: expect.stringContaining("both judged 29 pairs of 29 cases; 30 pairs of 10 cases are needed"),
  });
  const alike = caseIds(40);
  const same = pairAgreement(
    alike.map((id) => line(id, "tie")),
    alike.map((id) => row(id, "ann", "tie")),
    0.05,
  );
  expect(pairTrust(same)).toMatchObject({
    word: "cannot-tell",
    sentence: expect.stringContaining("both say one and the same throughout"),
  });
});

test("calibrate-judge holds a judging against imported pairs; too few: exit 3", async () => {
  const ask = async (cases: number) => {
    const dir = tempDir();
    const run = await writeRun(dir, allTrials(cases, 1));
    const scores = caseIds(cases).map((id, at) => row(id, "ann", at % 4 === 0 ? "baseline" : "candidate"));
    const text = scores.map((one) => `${JSON.stringify(one)}\n`).join("");
    writeFileSync(join(dir, "reports", run, "scores.jsonl"), text);
    return dir;
  };
  const stub = await startStub(({ body }) => {
    const shown = body.messages?.at(-1)?.content ?? "";
    const first = /<first-answer>\n(.*?)\n<\/first-answer>/s.exec(shown)?.[1] ?? "";
    // People find the baseline better in every fourth case, and so does this judge.
    const baseline = Number(/c(\d+)/.exec(shown)?.[1]) % 4 === 1;
    const word = first.includes("one way") === baseline ? "FIRST" : "SECOND";
    return reply(JSON.stringify({ reason: "r", verdict: word }));
  });
  const many = await ask(32);
  const before = await evalkit(many, "calibrate-judge", "latest");
  expect(before).toMatchObject({ code: 2, err: expect.stringContaining("no judge compared pairs") });
  const judged = await evalkit(many, "judge", "latest", "--judge-model", "j", "--base-url", stub.url);
  expect(judged.out).toContain("It agrees with people in 100 % (88 % to 100 %) of 32 pairs of 32 cases");
  const { code, out } = await evalkit(many, "calibrate-judge", "latest");
  expect(code).toBe(0);
  expect(out).toContain("pairs: j against people, 32 pairs of 32 cases");
  expect(out).toContain("  asked: Which output would you rather hand to the user");
  expect(out).toContain("  judge: candidate          24         0         0");
  expect(out).toContain("  kappa 1.00");
  expect(out).toContain("the verdict changed with the order in 0.0 % of 32");
  expect(out).toContain("This judge can be trusted with pairs: it agrees with people in 100 % of 32 pairs");
  const json = await evalkit(many, "calibrate-judge", "latest", "--json");
  expect(JSON.parse(json.out)).toMatchObject({
    ...{ schema: "evalkit.calibration/1", trust: null, all: null },
    pairs: { pairs: 32, trust: { word: "trust" }, agree: { rate: 1 }, position: { changed: { rate: 0 } } },
  });
  const few = await ask(5);
  await evalkit(few, "judge", "latest", "--judge-model", "j", "--base-url", stub.url);
  expect(await evalkit(few, "calibrate-judge", "latest")).toMatchObject({
    code: 3,
    out: expect.stringContaining("Cannot tell: people and the judge both judged 5 pairs of 5 cases"),
  });
});
