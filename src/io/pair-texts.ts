import type { TrialLine } from "../core/nouns/run.ts";
import { blindFor } from "../core/sheet/blind.ts";
import { hasOutput, modelsIn, type Readable, readableTrial } from "../core/sheet/readable.ts";
import type { SavedRun } from "./open-run.ts";

/** One case and trial with both arms' outputs, blinded. */
export interface PairTexts {
  readonly case: string;
  readonly trial: number;
  readonly task: string;
  readonly baseline: Readable;
  readonly candidate: Readable;
}

/** The pairs of a run: how many there are, and their texts as they are read. */
export interface Pairs {
  readonly count: number;
  readonly texts: () => AsyncIterable<PairTexts>;
}

/**
 * Every case and trial of a run that has an output in both arms; broken trials have none. A pair is given out as soon as
 * its second half is read, in the order of the file: arms of a case run side by side, so that few texts wait in memory.
 */
export async function pairsOf(run: SavedRun): Promise<Pairs> {
  const models = new Set<string>();
  const halves = new Map<string, number>();
  for await (const line of run.trials()) {
    for (const model of modelsIn(line)) models.add(model);
    if (hasOutput(line)) halves.set(idOf(line), (halves.get(idOf(line)) ?? 0) + 1);
  }
  const whole = new Set([...halves].filter(([, arms]) => arms === 2).map(([id]) => id));
  const blind = blindFor(run.record, models);
  const cases = new Map(run.record.cases.map((one) => [one.id, one.case]));
  const readable = (line: TrialLine): Readable => readableTrial(line, cases.get(line.case) ?? null, blind);
  return { count: whole.size, texts: () => joined(run, whole, readable) };
}

async function* joined(
  run: SavedRun,
  whole: ReadonlySet<string>,
  readable: (line: TrialLine) => Readable,
): AsyncGenerator<PairTexts> {
  const waiting = new Map<string, Readable>();
  for await (const line of run.trials()) {
    const id = idOf(line);
    if (!hasOutput(line) || !whole.has(id)) continue;
    const one = readable(line);
    const other = waiting.get(id);
    if (other === undefined) {
      waiting.set(id, one);
      continue;
    }
    waiting.delete(id);
    const [baseline, candidate] = line.arm === "baseline" ? [one, other] : [other, one];
    yield { case: line.case, trial: line.trial, task: baseline.task, baseline, candidate };
  }
}

function idOf(line: TrialLine): string {
  return JSON.stringify([line.case, line.trial]);
}
