import { expect, test } from "vitest";
import { TrialLine } from "../../src/core/nouns/run.ts";
import { budgetKeeper } from "../../src/run/budget.ts";

const usage = { prompt: 1_000_000, cached: 0, completion: 0, reasoning: 0 };

/** A trial of one reply and one judgement. */
function trial(replayed: boolean, judge: TrialLine["judge"]): TrialLine {
  const reply = { content: "", reasoning: "", calls: [], finish: null, usage, model: null, notes: [] };
  return TrialLine.parse({
    ...{ case: "a", arm: "candidate", trial: 1, status: "finished", outcome: { status: "finished" } },
    ...{ answer: "", scores: {}, replies: replayed ? "replayed" : "live", startedAt: "", seconds: 1, judge },
    events: [{ type: "reply", conversation: 0, turn: 1, reply, ms: 1, attempts: 1, replayed }],
  });
}

function spend(line: TrialLine): string[] {
  const prices = { agent: { prompt: 2, completion: 0 }, judge: { prompt: 50, completion: 0 } };
  const stops: string[] = [];
  const keep = budgetKeeper(
    { tokens: null, cost: 0.01, prices, judge: "judge" },
    () => "agent",
    (reason) => stops.push(reason),
  );
  keep(line);
  return stops;
}

test("a live judge of a replayed trial is paid for, at the judge's own price", () => {
  const judge = { calls: 1, replayed: 0, unparsable: 0, usage, cost: null };
  expect(spend(trial(true, judge))).toEqual(["the run's budget of 0.01 is used up (50.0000 spent)"]);
  expect(spend(trial(false, judge))).toEqual(["the run's budget of 0.01 is used up (52.0000 spent)"]);
});

test("what is replayed costs nothing, the judge's calls included", () => {
  expect(spend(trial(true, { calls: 1, replayed: 1, unparsable: 0, usage, cost: null }))).toEqual([]);
  expect(spend(trial(true, null))).toEqual([]);
});
