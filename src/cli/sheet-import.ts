import { resolve } from "node:path";
import type { Command } from "commander";
import { humanLines } from "../core/human/text.ts";
import { type Imported, importScores } from "../io/scores.ts";
import { humanOf, rewriteSummary } from "../io/human.ts";
import { withRunLock } from "../io/lock.ts";
import { writeReports } from "../io/report-files.ts";
import { count } from "../core/text/count.ts";
import type { CliIo } from "./command.ts";
import { declareSavedRun, openSavedRun } from "./saved-run.ts";
import { tellProblems } from "./tell.ts";

interface Flags {
  readonly key: string;
  readonly rater?: string;
  readonly partial?: true;
  readonly replace?: true;
  readonly json?: true;
}

/** `evalkit sheet import RUN FILE…`. */
export function defineImport(command: Command, io: CliIo): void {
  declareSavedRun(command)
    .description("read scored sheets into the run: scores.jsonl, summary.json, reports")
    .argument("<run>", "run id, run folder, or latest")
    .argument("<files...>", "the raters' CSV files, as any spreadsheet saved them")
    .requiredOption("--key <file>", "the key.json that was written with the sheets")
    .option("--rater <name>", "whose sheets these are (default: sheet-NAME.csv tells)")
    .option("--partial", "take the rows that can be taken, though others can't")
    .option("--replace", "scores that differ from an earlier import of the same rater take its place")
    .option("--json", "print the human part of the summary as JSON")
    .addHelpText(
      "after",
      [
        "",
        "A row that can't be taken is listed with file, line and reason; then nothing is written and the exit code is 2.",
        "Importing the same file again changes nothing; an empty cell never takes a score away.",
        "",
        "Example:",
        "  evalkit sheet import latest sheet-ann.csv sheet-bob.csv --key sheets/key.json",
      ].join("\n"),
    )
    .action((run: string, files: string[], flags: Flags) => runImport(run, files, flags, command, io));
}

async function runImport(
  name: string,
  files: readonly string[],
  flags: Flags,
  command: Command,
  io: CliIo,
): Promise<void> {
  const { run } = await openSavedRun(name, command, io);
  const options = {
    key: resolve(io.cwd, flags.key),
    rater: flags.rater ?? null,
    partial: flags.partial === true,
    replace: flags.replace === true,
  };
  const paths = files.map((file) => resolve(io.cwd, file));
  const { imported, gate } = await withRunLock(run.dir, async () => {
    const taken = await importScores(run, paths, options);
    const { gate: decided } = await rewriteSummary(run);
    await writeReports(run.dir);
    return { imported: taken, gate: decided };
  });
  tellProblems(imported.problems, io);
  const human = await humanOf(run);
  if (human === null) return;
  if (flags.json) return io.out(JSON.stringify(human, null, 2));
  for (const line of [importedLine(imported), "", ...humanLines(human)]) io.out(line);
  if (run.record.policy.human.length > 0) io.out(`\nGate, with people's scores: ${gate.verdict}.`);
}

function importedLine({ taken, changed, raters, problems }: Imported): string {
  const refused = problems.filter((one) => one.severity === "error").length;
  const left = refused === 0 ? "" : `, ${refused} left out`;
  return `${count(taken, "row")} taken from ${raters.join(", ")}, ${changed} of them new or changed${left}.`;
}
