import { fail, type Problem, warning } from "../core/nouns/problem.ts";
import { type RunRecord, TrialLine } from "../core/nouns/run.ts";
import { trialGuard, type TrialName } from "../core/record/trial-guard.ts";
import { count } from "../core/text/count.ts";
import { parseJson } from "../core/text/json.ts";
import { linesOf } from "./lines.ts";

const TAKE_OUT =
  "take the line out: what is missing counts as never run, and evalkit run --resume runs it again";

/**
 * The trials of a run. Throws InputError at a line that is none of them, but for a torn last one.
 */
export async function* readTrials(path: string, record: RunRecord): AsyncIterable<TrialLine> {
  const refusal = trialGuard(record);
  for await (const { trial, line } of readLines(path)) {
    const why = refusal(trial);
    if (why !== null) fail("foreign-trial", { file: path, line }, why, TAKE_OUT);
    yield trial;
  }
}

/** Trials with their lines. What is no trial may stand at the end only, where a crash left it. */
export async function* readLines(
  path: string,
): AsyncGenerator<{ text: string; trial: TrialLine; line: number }> {
  let number = 0;
  let torn: number | null = null;
  for await (const text of linesOf(path)) {
    number += 1;
    if (torn !== null) fail("broken-line", { file: path, line: torn }, "this line is not a trial", TAKE_OUT);
    const trial = parseTrial(text);
    if (trial === null) torn = number;
    else yield { text, trial, line: number };
  }
}

/** A trial from its line; null for what is none. */
export function parseTrial(line: string): TrialLine | null {
  const parsed = TrialLine.safeParse(parseJson(line));
  return parsed.success ? parsed.data : null;
}

/**
 * Counts the lines that are none of the run's trials. A last one that can't be read is how a crash leaves it and is let
 * pass; whatever else is left out is told.
 */
export function oddLines(record: RunRecord) {
  const refusal = trialGuard(record);
  const found: { readonly line: number; readonly why: string }[] = [];
  let line = 0;
  let torn: number | null = null;
  const untear = (): void => {
    if (torn !== null) found.push({ line: torn, why: "this line is not a trial" });
    torn = null;
  };
  return {
    counts<T extends TrialName>(trial: T | null): trial is T {
      line += 1;
      untear();
      if (trial === null) {
        torn = line;
        return false;
      }
      const why = refusal(trial);
      if (why !== null) found.push({ line, why });
      return why === null;
    },
    warnings(): Problem[] {
      const first = found[0];
      if (first === undefined) return [];
      const left = `${count(found.length, "line")} left out of this report, the first because: ${first.why}`;
      const hint =
        "the verdict was made when they were whole; evalkit gate decides nothing until they are mended";
      return [warning("lines-left-out", { file: "trials.jsonl", line: first.line }, left, hint)];
    },
  };
}
