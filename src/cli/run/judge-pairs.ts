import type { JudgementLine } from "../../core/human/judge-record.ts";
import { openHeaders } from "../../core/config/secrets.ts";
import { fail } from "../../core/nouns/problem.ts";
import type { RunRecord } from "../../core/nouns/run.ts";
import { byText } from "../../core/text/order.ts";
import { visible } from "../../core/text/visible.ts";
import { systemClock } from "../../io/clock.ts";
import type { Pairs, PairTexts } from "../../io/pair-texts.ts";
import type { Project } from "../../io/project.ts";
import type { RecordedModel } from "../../io/recordings.ts";
import { spendingKeeper } from "../../run/budget.ts";
import { areEqual, judgePair } from "../../run/judge-pair.ts";
import { onAbort } from "../../run/on-abort.ts";
import type { CliIo } from "../command.ts";
import { runJudge } from "./judge.ts";
import { maskFor } from "./mask.ts";
import { broughtRecordings } from "./model.ts";
import { stopping } from "./stopping.ts";

/** What a judge model said of a run's pairs. `stopped`: why it was not asked about all of them. */
export interface JudgedPairs {
  readonly lines: readonly JudgementLine[];
  readonly notJudged: number;
  readonly stopped: string | null;
  readonly interrupted: boolean;
}

/**
 * Puts pairs to the judge, several at a time, until all are judged, the run's budget or time is used up, or Ctrl-C. A
 * pair that was begun when the budget ran out is finished, one that was torn off is not judged.
 */
export async function judgePairs(
  pairs: Pairs,
  record: RunRecord,
  project: Project,
  criterion: string,
  io: CliIo,
): Promise<JudgedPairs> {
  const { settings } = project;
  const { state, signal, close, release } = stopping(settings);
  const model = await judgeModel(project, record, close, io).catch((error: unknown) => {
    release();
    throw error;
  });
  const name = settings.judge.model ?? "";
  const { runTokens: tokens, runCost: cost } = settings.limits;
  const spent = spendingKeeper({ tokens, cost, prices: settings.prices }, close);
  let done = 0;
  const one = async (pair: PairTexts): Promise<JudgementLine | null> => {
    if (state.stopped !== null && !areEqual(pair)) return null;
    const key = { case: pair.case, arm: "candidate" as const, trial: pair.trial };
    const own = new AbortController();
    const letGo = onAbort(signal, () => own.abort());
    const context = { key, salt: "judge", occurrence: 0, signal: own.signal };
    const verdict = judgePair(model, pair, { model: name, criterion }, context);
    const { preferred, orders } = await verdict.finally(letGo);
    spent(
      orders.flatMap(({ usage, replayed }) => (usage === null || replayed ? [] : [{ model: name, usage }])),
    );
    if (signal.aborted && preferred === null) return null;
    done += 1;
    if (!settings.quiet && done % 20 === 0) io.err(`${done} of ${pairs.count} pairs judged`);
    return { case: pair.case, trial: pair.trial, preferred, orders: [...orders] };
  };
  try {
    const all = await inTurn(pairs.texts(), settings.concurrency, one);
    const lines = all
      .filter((line) => line !== null)
      .sort((a, b) => byText(a.case, b.case) || a.trial - b.trial);
    return { lines, notJudged: pairs.count - lines.length, ...state };
  } finally {
    release();
    for (const note of model.stats().notes) io.err(visible(note));
  }
}

/** Does work on things as they come, at most `most` at a time. Rejects with the first failure, once nothing is under way. */
async function inTurn<T, R>(
  things: AsyncIterable<T>,
  most: number,
  work: (thing: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  const under = new Set<Promise<void>>();
  for await (const thing of things) {
    if (failures.length > 0) break;
    const task = work(thing)
      .then((result) => void results.push(result))
      .catch((error: unknown) => void failures.push(error))
      .finally(() => under.delete(task));
    under.add(task);
    if (under.size >= most) await Promise.race(under);
  }
  await Promise.all(under);
  if (failures.length > 0) throw failures[0];
  return results;
}

async function judgeModel(
  project: Project,
  record: RunRecord,
  close: (reason: string) => void,
  io: CliIo,
): Promise<RecordedModel> {
  const { root, settings } = project;
  const brought = await broughtRecordings(project, record.arms.baseline?.commit ?? null, io);
  const built = await runJudge({
    ...{ root, settings, mask: maskFor(project, io), env: io.env, clock: systemClock, brought },
    openHeaders: openHeaders(project.configFile?.values.headers),
    stop: close,
    onWait: (reason, seconds) => io.err(`waiting ${Math.round(seconds)} s: ${reason}`),
  });
  return built === null ? noJudge() : built.model;
}

/** Throws InputError: there is nobody to ask. */
export function noJudge(): never {
  return fail("no-judge", { key: "judge.model" }, "no judge model is named", "give --judge-model NAME");
}
