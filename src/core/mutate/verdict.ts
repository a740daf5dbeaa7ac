import { LESS_IS_BETTER } from "../nouns/score.ts";
import type { Summary } from "../nouns/summary.ts";
import type { TrialLine } from "../nouns/run.ts";

/** What a suite made of one mutant. */
export interface MutantResult {
  readonly name: string;
  readonly what: string;
  /**
   * `gate`: the gate fails; `worse`: a metric is worse, by the exact test; `unsure`: cases changed, which may be chance;
   * `survived`: no case changed; `unknown`: no data.
   */
  readonly noticed: "gate" | "worse" | "unsure" | "survived" | "unknown";
  /** Cases that passed before and fail now. */
  readonly cases: readonly string[];
}

/** Reads a mutant's summary: the baseline is the undamaged variant, the candidate the mutant. */
export function mutantResult(name: string, what: string, summary: Summary): MutantResult {
  const cases = [...new Set(summary.comparisons.flatMap(({ passToFail }) => passToFail))].sort();
  const ended =
    (summary.arms.candidate?.trials.finished ?? 0) + (summary.arms.candidate?.trials.stopped ?? 0);
  if (ended === 0) return { name, what, noticed: "unknown", cases };
  if (summary.gate.verdict === "failed") return { name, what, noticed: "gate", cases };
  const worse = summary.comparisons.some(
    ({ metric, verdict }) => verdict === "worse" && !LESS_IS_BETTER.has(metric),
  );
  return { name, what, noticed: worse ? "worse" : cases.length > 0 ? "unsure" : "survived", cases };
}

/** How often each assertion of each case passed, undamaged and under mutants. */
export class AssertionLedger {
  private readonly seen = new Map<
    string,
    { case: string; check: string; base: number[]; mutants: number[] }
  >();

  /** Takes the evidence of one trial. */
  add(line: TrialLine): void {
    if (line.status === "broken") return;
    for (const score of Object.values(line.scores)) {
      if (score.status !== "scored") continue;
      for (const { check, passed } of score.evidence) {
        const key = JSON.stringify([line.case, check]);
        const entry = this.seen.get(key) ?? { case: line.case, check, base: [0, 0], mutants: [0, 0] };
        const counts = line.arm === "baseline" ? entry.base : entry.mutants;
        counts[passed ? 0 : 1] = (counts[passed ? 0 : 1] ?? 0) + 1;
        this.seen.set(key, entry);
      }
    }
  }

  /** Assertions that said the same of every trial, damaged or not: they tell nothing apart. */
  blind(): { case: string; check: string; always: "passed" | "failed" }[] {
    return [...this.seen.values()].flatMap(({ case: id, check, base, mutants }) => {
      const passed = (base[0] ?? 0) + (mutants[0] ?? 0);
      const failed = (base[1] ?? 0) + (mutants[1] ?? 0);
      if (passed > 0 && failed > 0) return [];
      return [{ case: id, check, always: failed === 0 ? ("passed" as const) : ("failed" as const) }];
    });
  }
}
