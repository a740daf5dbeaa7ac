import { openHeaders } from "../../core/config/secrets.ts";
import { join } from "node:path";
import type { Case } from "../../core/nouns/case.ts";
import type { Problem } from "../../core/nouns/problem.ts";
import type { Variant } from "../../core/nouns/variant.ts";
import type { Mutant } from "../../core/mutate/mutants.ts";
import { AssertionLedger, type MutantResult, mutantResult } from "../../core/mutate/verdict.ts";
import type { TrialRow } from "../../core/summary/rows.ts";
import { summarise } from "../../core/summary/summarise.ts";
import type { Project } from "../../io/project.ts";
import { maskJson } from "../../io/mask.ts";
import { createRun, writeSummary } from "../../io/run-store.ts";
import { openRun } from "../../io/open-run.ts";
import type { CliIo } from "../command.ts";
import { execute } from "./execute.ts";
import { maskFor } from "./mask.ts";
import { planRun } from "./prepare.ts";
import { writeAtomically } from "../../io/files.ts";

/** What a mutation check works on. */
export interface MutationCheck {
  readonly project: Project;
  readonly variant: Variant;
  readonly cases: readonly Case[];
  readonly problems: readonly Problem[];
  readonly mutants: readonly Mutant[];
  /** Folder that holds one run folder a mutant. */
  readonly dir: string;
}

/** What came out of it; `stopped` says why some mutants were not tried. */
export interface MutationReport {
  readonly mutants: readonly MutantResult[];
  /** Assertions that never told a mutant from the undamaged variant. */
  readonly blind: readonly {
    readonly case: string;
    readonly check: string;
    readonly always: "passed" | "failed";
  }[];
  readonly interrupted: boolean;
  readonly stopped: string | null;
}

/**
 * Runs the cases on each mutant against the undamaged variant, whose trials are run once, with the first mutant. Each
 * mutant is a saved run of its own; mutants.json sums up.
 */
export async function mutationCheck(check: MutationCheck, io: CliIo): Promise<MutationReport> {
  const results: MutantResult[] = [];
  const ledger = new AssertionLedger();
  let undamaged: readonly TrialRow[] = [];
  let end = { interrupted: false, stopped: null as string | null };
  for (const mutant of check.mutants) {
    if (!check.project.settings.quiet)
      io.err(`mutant ${results.length + 1} of ${check.mutants.length}: ${mutant.what}`);
    const run = await tryMutant(check, mutant, undamaged, io);
    undamaged = run.rows.filter(({ arm }) => arm === "baseline");
    end = run;
    if (run.stopped !== null) break;
    results.push(mutantResult(mutant.name, mutant.what, run.summary));
    for await (const line of (await openRun(check.dir, mutant.name)).trials()) ledger.add(line);
  }
  const report = {
    mutants: results,
    blind: ledger.blind(),
    interrupted: end.interrupted,
    stopped: end.stopped,
  };
  const text = maskJson(maskFor(check.project, io), `${JSON.stringify(report, null, 2)}\n`, 2);
  await writeAtomically(join(check.dir, "mutants.json"), text);
  return report;
}

async function tryMutant(check: MutationCheck, mutant: Mutant, undamaged: readonly TrialRow[], io: CliIo) {
  const { project, cases, problems, variant } = check;
  const arms = { baseline: variant, candidate: mutant.variant };
  const prepared = await planRun(project, cases, arms, problems, io);
  const record = { ...prepared.record, runId: mutant.name, caseChanges: null, sequential: null };
  const mask = maskFor(project, io);
  const writer = await createRun(check.dir, record, mask);
  const run = {
    root: project.root,
    settings: project.settings,
    record,
    cases,
    arms,
    writer,
    done: undamaged,
    mask,
    openHeaders: openHeaders(project.configFile?.values.headers),
  };
  const executed = await execute(run, io);
  const summary = summarise(record, executed.rows);
  await writeSummary(writer.dir, summary, mask);
  return { ...executed, summary };
}
