import type { TrialLine } from "../nouns/run.ts";
import type { Arm } from "../nouns/score.ts";
import { passedTrial } from "../summary/passes.ts";
import { rowOf } from "../summary/rows.ts";
import { byText } from "../text/order.ts";

/** A case over past runs. */
export interface LedgerCase {
  readonly id: string;
  readonly runs: number;
  readonly trials: number;
  readonly passes: number;
  readonly broken: number;
  /** Groups of two or more trials, and those among them that were neither all passed nor all failed. */
  readonly groups: number;
  readonly wavering: number;
  /** `flaky` when a group wavered; `stable` when none of at least one did; else `unknown`. */
  readonly state: "flaky" | "stable" | "unknown";
}

/** An assertion over past runs. */
export interface LedgerCheck {
  readonly case: string;
  readonly check: string;
  readonly passed: number;
  readonly failed: number;
}

/** What past runs tell of the suite. */
export interface Ledger {
  readonly runs: number;
  /** Trials left out: replays of a recording that is counted already, since they tell nothing new. */
  readonly copies: number;
  readonly cases: readonly LedgerCase[];
  /** Assertions that were seen often enough and never failed: they may not check anything. */
  readonly neverFailed: readonly LedgerCheck[];
  /** Assertions that never passed: they may be wrong. */
  readonly neverPassed: readonly LedgerCheck[];
}

interface CaseNotes {
  readonly runs: Set<string>;
  /** Trials of one run and arm: the same prompts, model and case, so that a difference among them is a flake. */
  readonly groups: Map<string, { trials: number; passes: number }>;
  broken: number;
}

/** Collects trials of many runs one by one; of a trial no more is kept than the key of its recording. */
export class LedgerBuilder {
  readonly #runs = new Set<string>();
  /** Recordings that are counted, and whether only a replay of them was met so far. */
  readonly #recordings = new Map<string, "met" | "replay only">();
  #copies = 0;
  readonly #cases = new Map<string, CaseNotes>();
  readonly #checks = new Map<string, { case: string; check: string; passed: number; failed: number }>();

  /** `recording`: the key that replays of one recording share (`recordingOf`, or its digest); null: not known. */
  add(run: string, line: TrialLine, recording: string | null = null): void {
    this.#runs.add(run);
    const notes = this.#notesOf(line.case);
    notes.runs.add(run);
    if (line.status === "broken") {
      notes.broken += 1;
      return;
    }
    if (recording !== null && this.#isCopy(line, recording)) {
      this.#copies += 1;
      return;
    }
    const passed = passedTrial(rowOf(line));
    if (passed !== null) count(notes.groups, groupKey(run, line.arm), passed);
    this.#addChecks(line);
  }

  /** `least`: how often an assertion must have been seen before it is named. */
  finish(least: number): Ledger {
    const checks = [...this.#checks.values()]
      .filter((one) => one.passed + one.failed >= least)
      .sort((a, b) => byText(`${a.case}\n${a.check}`, `${b.case}\n${b.check}`));
    return {
      runs: this.#runs.size,
      copies: this.#copies,
      cases: [...this.#cases].map(([id, notes]) => summed(id, notes)).sort((a, b) => byText(a.id, b.id)),
      neverFailed: checks.filter((one) => one.failed === 0),
      neverPassed: checks.filter((one) => one.passed === 0),
    };
  }

  /**
   * A replay of what is counted is a copy. So is the original where a replay was met before it: runs are read in the
   * order of their names. Two live trials are two, whatever they replied.
   */
  #isCopy({ replies }: TrialLine, recording: string): boolean {
    const known = this.#recordings.get(recording);
    if (replies === "replayed") {
      if (known === undefined) this.#recordings.set(recording, "replay only");
      return known !== undefined;
    }
    this.#recordings.set(recording, "met");
    return known === "replay only";
  }

  #notesOf(id: string): CaseNotes {
    const known = this.#cases.get(id);
    if (known !== undefined) return known;
    const fresh: CaseNotes = { runs: new Set(), groups: new Map(), broken: 0 };
    this.#cases.set(id, fresh);
    return fresh;
  }

  #addChecks(line: TrialLine): void {
    for (const score of Object.values(line.scores)) {
      for (const { check, passed } of score?.evidence ?? []) {
        const key = JSON.stringify([line.case, check]);
        const tally = this.#checks.get(key) ?? { case: line.case, check, passed: 0, failed: 0 };
        if (passed) tally.passed += 1;
        else tally.failed += 1;
        this.#checks.set(key, tally);
      }
    }
  }
}

function groupKey(run: string, arm: Arm): string {
  return JSON.stringify([run, arm]);
}

function count(groups: CaseNotes["groups"], key: string, passed: boolean): void {
  const group = groups.get(key) ?? { trials: 0, passes: 0 };
  groups.set(key, { trials: group.trials + 1, passes: group.passes + (passed ? 1 : 0) });
}

function summed(id: string, notes: CaseNotes): LedgerCase {
  const groups = [...notes.groups.values()];
  const repeated = groups.filter(({ trials }) => trials > 1);
  const wavering = repeated.filter(({ trials, passes }) => passes > 0 && passes < trials).length;
  return {
    id,
    runs: notes.runs.size,
    trials: groups.reduce((so, { trials }) => so + trials, 0),
    passes: groups.reduce((so, { passes }) => so + passes, 0),
    broken: notes.broken,
    groups: repeated.length,
    wavering,
    state: wavering > 0 ? "flaky" : repeated.length > 0 ? "stable" : "unknown",
  };
}
