import { describe, expect, test } from "vitest";
import { Case } from "../../src/core/nouns/case.ts";
import type { RunRecord } from "../../src/core/nouns/run.ts";
import { nextLook } from "../../src/core/sequential/next-look.ts";
import { levelAt, planSequential } from "../../src/core/sequential/plan.ts";
import { levelText } from "../../src/core/text/figures.ts";
import type { TrialRow } from "../../src/core/summary/rows.ts";
import { summarise } from "../../src/core/summary/summarise.ts";
import { plan, rowsOf } from "./results.ts";

const ids = Array.from({ length: 40 }, (_, at) => `c${at}`);
const run = (critical: readonly string[] = []): RunRecord =>
  plan({
    kind: "run",
    sequential: planSequential(ids, 1),
    cases: ids.map((id) => ({
      id,
      digest: "",
      case: Case.parse({
        ...{ id, title: id, critical: critical.includes(id) },
        ...{ turns: [{ user: "x" }], source: { file: "c.yaml", line: 1 } },
      }),
    })),
  });

/** Goes from look to look; `trials` gives the two arms' trials of a case. */
function follow(record: RunRecord, trials: (id: string) => [string, string]) {
  const rows: TrialRow[] = [];
  const blocks: (readonly string[])[] = [];
  for (;;) {
    const next = nextLook(record, rows);
    if (next.stop) return { ...next, rows, blocks, summary: summarise(record, rows) };
    blocks.push(next.cases);
    rows.push(...next.cases.flatMap((id) => rowsOf(id, ...trials(id))));
  }
}

describe("the plan", () => {
  test("every case once, in an order that the seed gives, in four blocks", () => {
    const { order, looks } = planSequential(ids, 1);
    expect([...order].sort()).toEqual([...ids].sort());
    expect(order).not.toEqual([...ids].sort());
    expect(planSequential([...ids].reverse(), 1).order).toEqual(order);
    expect(planSequential(ids, 2).order).not.toEqual(order);
    expect(looks).toEqual([10, 20, 30, 40]);
  });
  test("too few cases for looks are looked at once, at the full level", () => {
    expect(planSequential(["a", "b", "c"], 1).looks).toEqual([3]);
    expect(levelAt(1, 1, 0.05)).toBe(0.05);
  });
  test("O'Brien and Fleming's levels: strict early, almost 0.05 at last, computed for any alpha", () => {
    const levels = [1, 2, 3, 4].map((k) => levelAt(k, 4, 0.05));
    expect(levels.map((level) => level.toFixed(5))).toEqual(["0.00005", "0.00420", "0.01942", "0.04294"]);
    expect(levelAt(4, 4, 0.1)).toBeGreaterThan(0.08);
    expect(levelAt(4, 4, 0.1)).toBeLessThan(0.1);
  });
});

describe("looks", () => {
  test("a collapse is seen at half", () => {
    const end = follow(run(), () => ["111", "000"]);
    expect(end).toMatchObject({ why: "worse", look: 2 });
    expect(end.blocks.map(({ length }) => length)).toEqual([10, 10]);
    expect(end.summary.gate).toMatchObject({ verdict: "failed", exitCode: 1 });
    expect(end.summary.arms.candidate?.trials.planned).toBe(60);
  });
  test("no difference needs all of forty cases, and the last level", () => {
    const end = follow(run(), () => ["111", "111"]);
    expect(end).toMatchObject({ why: "settled", look: 4 });
    expect(end.summary.gate.verdict).toBe("passed");
    expect(end.summary.comparisons[0]?.notes.join()).toContain("sequential, look 4");
  });
  test("what is still open at the end is open", () => {
    const end = follow(run(), (id) => (Number(id.slice(1)) % 2 === 0 ? ["111", "001"] : ["001", "111"]));
    expect(end.why).toBe("all-seen");
    expect(end.summary.gate.verdict).toBe("undecided");
  });
  test("an early pass waits for the critical cases", () => {
    const many = Array.from({ length: 120 }, (_, at) => `c${at}`);
    const record = { ...run(), sequential: planSequential(many, 1) };
    const entries = (critical: string): RunRecord["cases"] =>
      many.map((id) => ({
        id,
        digest: "",
        case: { ...run([critical]).cases[0]?.case, id, critical: id === critical } as Case,
      }));
    const last = record.sequential.order[119] ?? "";
    const first = record.sequential.order[0] ?? "";
    expect(follow({ ...record, cases: entries(first) }, () => ["111", "111"]).look).toBe(3);
    expect(follow({ ...record, cases: entries(last) }, () => ["111", "111"]).look).toBe(4);
  });
  test("a run cut off inside a block is judged at that block's level and below its coverage", () => {
    const record = run();
    const first = nextLook(record, []);
    const some = first.stop ? [] : first.cases.slice(0, 4).flatMap((id) => rowsOf(id, "111", "000"));
    const { gate } = summarise(record, some);
    expect(gate.verdict).toBe("undecided");
    expect(gate.reasons[0]?.message).toContain("12 of 30 planned trials");
  });
});

describe("the level of a look stands wherever its interval does", () => {
  test.each([
    [0.05, "95 %"],
    [0.0158, "98.4 %"],
    [0.000052, "99.995 %"],
    [1e-9, "99.9999999 %"],
  ])("alpha %d is %s", (alpha, words) => {
    expect(levelText(alpha)).toBe(words);
  });
});
