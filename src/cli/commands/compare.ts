import type { Command } from "commander";
import { crossRun } from "../../core/compare/cross-run.ts";
import { fail } from "../../core/nouns/problem.ts";
import { summarise } from "../../core/summary/summarise.ts";
import { reportsDir } from "../../io/project.ts";
import { readRows } from "../../io/saved-rows.ts";
import type { CliIo } from "../command.ts";
import { declareFlags, projectFor } from "../options.ts";
import { tellProblems } from "../tell.ts";
import { GATE_FLAG_NAMES, rulingOver } from "../verdict/policy.ts";
import { showVerdict } from "../verdict/show.ts";
import { openSide, type Side } from "../verdict/side.ts";

/** `evalkit compare RUN[#arm] RUN[#arm]`: compares arms of saved runs. */
export function define(command: Command, io: CliIo): void {
  declareFlags(command, ["run", "gate", "output"], ["reports", "json", ...GATE_FLAG_NAMES])
    .argument("<before>", "the arm to compare against: RUN or RUN#baseline, RUN#candidate")
    .argument("<after>", "the arm under test")
    .addHelpText("after", HELP)
    .action((before: string, after: string) => runCompare(before, after, command, io));
}

const HELP = `
RUN is a run id, a run's folder, or latest; without #arm its candidate is meant, or the only arm it has.
Cases are paired by id; those that only one side has, or that changed, are named and fail the gate unless allowed.
The second run's policy holds, but for what flags, EVALKIT_* variables or evalkit.yaml say today. Exit codes: as run.

Example:
  evalkit compare monday latest
  evalkit compare latest#baseline latest#candidate --json
`;

async function runCompare(before: string, after: string, command: Command, io: CliIo): Promise<void> {
  const project = await projectFor(command, io);
  tellProblems(project.problems, io);
  const reports = reportsDir(project);
  const first = await openSide(reports, before, io.cwd);
  const second = await openSide(reports, after, io.cwd);
  if (first.run.dir === second.run.dir && first.arm === second.arm) {
    fail(
      "same-arm",
      { key: after },
      `both sides are the ${first.arm} of ${first.run.record.runId}`,
      "name another run or arm",
    );
  }
  const { record, rows } = crossRun(
    await withRows(first),
    await withRows(second),
    rulingOver(second.run.record, project),
  );
  await showVerdict(record, summarise(record, rows), project.settings.json, io);
}

async function withRows({ run, arm }: Side) {
  return { record: run.record, arm, rows: await readRows(run) };
}
