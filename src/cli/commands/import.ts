import { relative, resolve } from "node:path";
import type { Command } from "commander";
import { systemClock } from "../../io/clock.ts";
import { importRun, readResults } from "../../io/import.ts";
import { reportsDir } from "../../io/project.ts";
import { newRunId } from "../../io/random-id.ts";
import type { CliIo } from "../command.ts";
import { declareFlags, projectFor } from "../options.ts";
import { finish } from "../run/finish.ts";
import { maskFor } from "../run/mask.ts";
import { tellProblems } from "../tell.ts";
import { GATE_FLAG_NAMES, rulingOf } from "../verdict/policy.ts";
import { VERSION } from "../version.ts";

/** `evalkit import FILE`: a run of results made elsewhere, compared, gated and reported as any other. */
export function define(command: Command, io: CliIo): void {
  declareFlags(
    command,
    ["run", "gate", "model", "output"],
    [...["reports", "run-id", "seed", "json"], ...GATE_FLAG_NAMES],
  )
    .argument("<file>", "results, one JSON object a line")
    .addHelpText("after", HELP)
    .action((file: string) => runImport(file, command, io));
}

const HELP = `
A line is {"case", "arm", "trial"} and any of toolCallAccuracy, taskCompletion (0 to 1), turns, and the other metrics
of a summary; "status" is finished (default), stopped or broken. arm is baseline or candidate; trials
count from 1, and a number without a line counts as a trial that is lost.
Exit codes: 0 passed or one arm only, 1 failed, 2 a line is wrong, 3 undecided, 4 everything broke.

Example:
  echo '{"case":"a","arm":"baseline","trial":1,"taskCompletion":1}' > results.jsonl
  evalkit import results.jsonl --margin 0.05
`;

async function runImport(file: string, command: Command, io: CliIo): Promise<void> {
  const project = await projectFor(command, io);
  tellProblems(project.problems, io);
  const path = resolve(io.cwd, file);
  const shown = relative(io.cwd, path) || file;
  const rows = await readResults(path, shown);
  const at = systemClock.iso();
  const mask = maskFor(project, io);
  const run = await importRun(reportsDir(project), rows, {
    runId: project.settings.runId ?? newRunId(new Date(at)),
    at,
    evalkit: VERSION,
    node: process.version,
    seed: project.settings.seed ?? 1,
    source: shown,
    ...rulingOf(project),
    mask,
  });
  const json = project.settings.json;
  const summary = await finish({ ...run, mask, json }, io);
  io.exit(summary.gate.exitCode);
}
