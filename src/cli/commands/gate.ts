import type { Command } from "commander";
import { summarise } from "../../core/summary/summarise.ts";
import { humanOf } from "../../io/human.ts";
import { readRows } from "../../io/saved-rows.ts";
import type { CliIo } from "../command.ts";
import { declareFlags } from "../options.ts";
import { openSavedRun } from "../saved-run.ts";
import { GATE_FLAG_NAMES, rulingOver } from "../verdict/policy.ts";
import { showVerdict } from "../verdict/show.ts";

/** `evalkit gate RUN`: decides a saved run again from its files alone; nothing is written. */
export function define(command: Command, io: CliIo): void {
  declareFlags(command, ["run", "gate", "output"], ["reports", "json", ...GATE_FLAG_NAMES])
    .argument("<run>", "run id, run folder, or latest")
    .addHelpText("after", HELP)
    .action((run: string) => runGate(run, command, io));
}

const HELP = `
The run's own policy holds, but for what flags, EVALKIT_* variables or evalkit.yaml say today. No model is called.
Exit codes: 0 passed, 1 failed, 3 undecided, 4 everything broke.

Example:
  evalkit gate latest --margin 0.05 --allow-removed old-case
`;

async function runGate(name: string, command: Command, io: CliIo): Promise<void> {
  const { project, run } = await openSavedRun(name, command, io);
  const record = { ...run.record, ...rulingOver(run.record, project) };
  const summary = summarise(record, await readRows(run), await humanOf(run));
  await showVerdict(record, summary, project.settings.json, io);
}
