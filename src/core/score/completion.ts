import type { CommandCheck, CompletionCheck, FileCheck } from "../nouns/case.ts";
import type { Evidence, Score } from "../nouns/score.ts";
import { answerEvidence } from "./answer.ts";
import { allPassed, scored, unscored } from "./make.ts";
import { sameText, textEvidence } from "./text.ts";

/** What a command of a check printed, run in the simulated shell after the trial. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** A judge's word on one criterion. `unscored` says why there is none; it is counted, never read as a fail. */
export interface Verdict {
  readonly verdict: "pass" | "fail" | "unscored";
  readonly reason: string;
}

/** What completion checks look at. `commands` and `verdicts` are keyed by the index of their check. */
export interface CompletionView {
  readonly answer: string;
  readonly files: ReadonlyMap<string, string>;
  readonly commands: ReadonlyMap<number, CommandResult>;
  readonly verdicts: ReadonlyMap<number, Verdict>;
  /** Added to failed answer checks, such as that the server did not honour tools. */
  readonly note: string | null;
}

/**
 * `taskCompletion`: 1 when all completion checks hold, else 0. One check that could not be judged leaves the trial
 * unscored even where another failed: dropping only the passes would drag the mean down.
 */
export function scoreCompletion(checks: readonly CompletionCheck[] | undefined, view: CompletionView): Score {
  if (checks === undefined) return unscored("the case has no completion checks");
  const open = unjudged(checks, view);
  const evidence = checks.flatMap((check, at) => evidenceOf(check, at, view));
  return open === null
    ? allPassed(evidence)
    : unscored(`${open}; of the other checks ${tally(evidence)}`, evidence);
}

/** A trial that a limit stopped did not complete its task. */
export function stoppedCompletion(checks: readonly CompletionCheck[] | undefined, limit: string): Score {
  if (checks === undefined) return unscored("the case has no completion checks");
  return scored(0, [{ check: "ended by itself", passed: false, detail: `stopped: ${limit}` }]);
}

function unjudged(checks: readonly CompletionCheck[], view: CompletionView): string | null {
  for (const [at, check] of checks.entries()) {
    if (!("judge" in check)) continue;
    const verdict = view.verdicts.get(at);
    if (verdict === undefined) return `completion[${at}]: no judge is set up`;
    if (verdict.verdict === "unscored")
      return `completion[${at}]: the judge gave no verdict (${verdict.reason})`;
  }
  return null;
}

function tally(evidence: readonly Evidence[]): string {
  const passed = evidence.filter((one) => one.passed).length;
  return `${passed} held and ${evidence.length - passed} did not`;
}

function evidenceOf(check: CompletionCheck, at: number, view: CompletionView): readonly Evidence[] {
  const place = `completion[${at}]`;
  if ("answer" in check) return answerEvidence(`${place}.answer`, check.answer, view.answer, view.note);
  if ("file" in check) return fileEvidence(`${place}.file`, check.file, view.files);
  if ("command" in check) return commandEvidence(`${place}.command`, check.command, view.commands.get(at));
  const verdict = view.verdicts.get(at);
  if (verdict === undefined || verdict.verdict === "unscored") return [];
  return [
    {
      check: `${place}.judge ${check.judge.rubric}`,
      passed: verdict.verdict === "pass",
      detail: verdict.reason,
    },
  ];
}

function fileEvidence(
  place: string,
  check: FileCheck,
  files: ReadonlyMap<string, string>,
): readonly Evidence[] {
  const text = files.get(check.path.replace(/^\.\//, ""));
  const name = `${place} ${check.path}`;
  if (check.absent === true || check.exists === false) {
    return [
      {
        check: `${name} is absent`,
        passed: text === undefined,
        detail: text === undefined ? "" : "it is there",
      },
    ];
  }
  const there = {
    check: `${name} exists`,
    passed: text !== undefined,
    detail: text === undefined ? "no such file" : "",
  };
  if (text === undefined) return [there];
  const rest = textEvidence(name, check, text);
  return check.exists === true || rest.length === 0 ? [there, ...rest] : rest;
}

function commandEvidence(
  place: string,
  check: CommandCheck,
  result: CommandResult | undefined,
): readonly Evidence[] {
  const name = `${place} ${JSON.stringify(check.run)}`;
  if (result === undefined) return [{ check: name, passed: false, detail: "the command was not run" }];
  const wanted = check.exitCode ?? 0;
  const asksOnlyOutput = check.exitCode === undefined && (check.stdout ?? check.stdoutContains) !== undefined;
  const exit = {
    check: `${name} exits with ${wanted}`,
    passed: result.exitCode === wanted,
    detail:
      result.exitCode === wanted
        ? ""
        : `exit code ${result.exitCode}${result.stderr === "" ? "" : `: ${result.stderr}`}`,
  };
  const printed = textEvidence(`${name} stdout`, { contains: check.stdoutContains }, result.stdout);
  const whole = check.stdout === undefined ? [] : [stdoutEvidence(name, check.stdout, result.stdout)];
  return asksOnlyOutput ? [...whole, ...printed] : [exit, ...whole, ...printed];
}

function stdoutEvidence(name: string, wanted: string, came: string): Evidence {
  const passed = sameText(wanted, came);
  return { check: `${name} prints ${JSON.stringify(wanted)}`, passed, detail: passed ? "" : `came: ${came}` };
}
