import type { Command } from "commander";
import { type Ledger, LedgerBuilder } from "../../core/flakes/ledger.ts";
import { recordingOf } from "../../core/flakes/recording.ts";
import { ledgerText } from "../../core/flakes/report.ts";
import { fail, InputError } from "../../core/nouns/problem.ts";
import { sha256 } from "../../io/digest.ts";
import { reportsDir } from "../../io/project.ts";
import { openRun, type SavedRun } from "../../io/open-run.ts";
import { runFolders } from "../../io/saved-rows.ts";
import type { CliIo } from "../command.ts";
import { declareFlags, projectFor } from "../options.ts";
import { tellProblems } from "../tell.ts";
import { visible } from "../../core/text/visible.ts";

/** `evalkit flakes`: which cases waver, and which assertions never fail or never pass, over past runs. */
export function define(command: Command, io: CliIo): void {
  declareFlags(command, ["run", "output"], ["reports", "json"])
    .argument("[runs...]", "run ids, folders or latest; without any, all runs in the reports folder")
    .option("--least <n>", "name an assertion only after it was seen so often", "5")
    .addHelpText("after", HELP)
    .action((runs: string[], flags: { least: string }) => runFlakes(runs, flags.least, command, io));
}

const HELP = `
A case is flaky when trials of one run and arm neither all passed nor all failed. However many runs replay a recording,
it counts once. An A/A run is the best source:
  evalkit run --baseline main --candidate main --aa --trials 5

Example:
  evalkit flakes --json
`;

async function runFlakes(
  names: readonly string[],
  least: string,
  command: Command,
  io: CliIo,
): Promise<void> {
  const project = await projectFor(command, io);
  tellProblems(project.problems, io);
  if (!/^[1-9]\d{0,6}$/.test(least)) {
    fail("bad-setting", { key: "--least" }, `expected a whole number from 1, got ${JSON.stringify(least)}`);
  }
  const ledger = await read(await runsOf(reportsDir(project), names, io), Number(least));
  io.out(project.settings.json ? JSON.stringify(ledger, null, 2) : visible(ledgerText(ledger)));
}

/** Named runs must be there; of all runs, those that cannot be read are told of and left out. */
async function runsOf(reports: string, names: readonly string[], io: CliIo): Promise<SavedRun[]> {
  if (names.length > 0) return Promise.all(names.map((name) => openRun(reports, name, io.cwd)));
  const runs: SavedRun[] = [];
  for (const folder of await runFolders(reports)) {
    try {
      runs.push(await openRun(reports, folder));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      io.err(visible(`left out: ${error.message}`));
    }
  }
  return runs;
}

async function read(runs: readonly SavedRun[], least: number): Promise<Ledger> {
  const builder = new LedgerBuilder();
  for (const run of runs) {
    for await (const line of run.trials()) {
      const recording = recordingOf(run.record, line);
      builder.add(run.record.runId, line, recording === null ? null : sha256(recording));
    }
  }
  return builder.finish(least);
}
