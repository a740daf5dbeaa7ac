import { resolve } from "node:path";
import type { Command } from "commander";
import { summarise } from "../../core/summary/summarise.ts";
import { humanOf } from "../../io/human.ts";
import { openRun } from "../../io/run-store.ts";
import { readRows } from "../../io/saved-rows.ts";
import type { CliIo } from "../command.ts";
import { declareFlags, projectFor } from "../options.ts";
import { GATE_FLAG_NAMES, rulingOver } from "../verdict/policy.ts";
import { showVerdict, warn } from "../verdict/show.ts";

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
  const project = await projectFor(command, io);
  warn(project, io);
  const saved = await openRun(resolve(project.root, project.settings.reports), name, io.cwd);
  const record = { ...saved.record, ...rulingOver(saved.record, project) };
  const summary = summarise(record, await readRows(saved), await humanOf(saved));
  await showVerdict(record, summary, project.settings.json, io);
}
