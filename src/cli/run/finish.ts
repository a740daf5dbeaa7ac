import { join } from "node:path";
import type { RunRecord } from "../../core/nouns/run.ts";
import type { Summary } from "../../core/nouns/summary.ts";
import { terminalReport } from "../../core/report/terminal.ts";
import type { TrialRow } from "../../core/summary/rows.ts";
import { summarise } from "../../core/summary/summarise.ts";
import { tellGitHub } from "../../io/github.ts";
import { writeReports } from "../../io/report-files.ts";
import { humanOf } from "../../io/human.ts";
import { type Mask, writeRecord, writeSummary } from "../../io/run-store.ts";
import type { CliIo } from "../command.ts";
import { visible } from "../../core/text/visible.ts";

/** A run whose trials are on disk. */
export interface FinishedRun {
  readonly dir: string;
  readonly record: RunRecord;
  readonly rows: readonly TrialRow[];
  readonly mask: Mask;
  readonly json: boolean;
  /** The project's root, where its own report template is looked for; else the project around the run's folder. */
  readonly root?: string;
}

/**
 * Draws everything from the trials: summary.json, reports, the table on stdout (or the summary as JSON), the folder on
 * stderr. Returns the summary, whose gate holds the exit code.
 */
export async function finish(run: FinishedRun, io: CliIo): Promise<Summary> {
  const summary = summarise(run.record, run.rows, await humanOf(run));
  const written = {
    record: await writeRecord(run.dir, run.record, run.mask),
    summary: await writeSummary(run.dir, summary, run.mask),
  };
  const template = run.root === undefined ? {} : { root: run.root };
  for (const told of await writeReports(run.dir, template, written)) io.err(visible(told));
  if (run.json) io.out(JSON.stringify(summary, null, 2));
  else io.out(terminalReport(run.record, summary, io.width, io.colour.stdout));
  for (const told of await tellGitHub(run.record, summary, io.env, run.mask)) io.annotate(told);
  io.err(`report: ${join(run.dir, "report.md")}`);
  return summary;
}
