import type { Arm } from "../core/nouns/score.ts";
import { blindFor } from "../core/sheet/blind.ts";
import { hasOutput, modelsIn, type Readable, readableTrial } from "../core/sheet/readable.ts";
import { byText } from "../core/text/order.ts";
import type { SavedRun } from "./run-store.ts";

/** One case and trial with both arms' outputs, blinded. */
export interface PairTexts {
  readonly case: string;
  readonly trial: number;
  readonly task: string;
  readonly baseline: Readable;
  readonly candidate: Readable;
}

/** Every case and trial of a run that has an output in both arms, sorted by case and trial; broken trials have none. */
export async function pairTexts(run: SavedRun): Promise<readonly PairTexts[]> {
  const cases = new Map(run.record.cases.map((one) => [one.id, one.case]));
  const models = new Set<string>();
  for await (const line of run.trials()) {
    for (const model of modelsIn(line)) models.add(model);
  }
  const blind = blindFor(run.record, models);
  const found = new Map<string, { case: string; trial: number; arms: Partial<Record<Arm, Readable>> }>();
  for await (const line of run.trials()) {
    if (!hasOutput(line)) continue;
    const id = JSON.stringify([line.case, line.trial]);
    const pair = found.get(id) ?? { case: line.case, trial: line.trial, arms: {} };
    pair.arms[line.arm] = readableTrial(line, cases.get(line.case) ?? null, blind);
    found.set(id, pair);
  }
  return [...found.values()]
    .flatMap(({ case: id, trial, arms: { baseline, candidate } }): PairTexts[] =>
      baseline && candidate ? [{ case: id, trial, task: baseline.task, baseline, candidate }] : [],
    )
    .sort((a, b) => byText(a.case, b.case) || a.trial - b.trial);
}
