import { openHeaders } from "../../core/config/secrets.ts";
import type { Command } from "commander";
import { fail, formatProblem } from "../../core/nouns/problem.ts";
import { Faults } from "../../core/record/faults.ts";
import { type Project, reportsDir } from "../../io/project.ts";
import { createRun } from "../../io/run-store.ts";
import { openRun } from "../../io/open-run.ts";
import type { CliIo } from "../command.ts";
import { declareFlags, projectFor } from "../options.ts";
import { EXIT } from "../exit.ts";
import { execute, type ReadyRun } from "../run/execute.ts";
import { finish } from "../run/finish.ts";
import { type PreparedRun, prepare } from "../run/prepare.ts";
import { maskFor } from "../run/mask.ts";
import { asSaved, checkSame, reopen } from "../run/resume.ts";
import { visible } from "../../core/text/visible.ts";

const EXAMPLES = `
Examples:
  evalkit run --baseline main --candidate my-branch
  evalkit run --baseline main --candidate worktree --filter 'web-*' --trials 5
  evalkit run --baseline main+skill:web-access=off --candidate main
  evalkit run --resume latest

Exit codes: 0 passed, 1 failed, 2 bad input (nothing was run), 3 undecided,
4 provider or harness failure, 130 interrupted.
`;

/** `evalkit run`: both versions, all cases, several trials each; then the comparison, the reports and the verdict. */
export function define(command: Command, io: CliIo): void {
  declareFlags(command, ["arms", "cases", "run", "model", "limits", "gate", "judge", "layout", "output"]);
  command.addHelpText("after", EXAMPLES);
  command.action(async () => {
    const project = await projectFor(command, io, true);
    const run = project.settings.resume === null ? await fresh(project, io) : await resumed(project, io);
    io.exit(await carryOut(run, io));
  });
}

async function fresh(project: Project, io: CliIo): Promise<ReadyRun> {
  const prepared = await prepare(project, io);
  tellWarnings(prepared, io);
  const mask = maskFor(project, io);
  const writer = await createRun(reportsDir(project), prepared.record, mask);
  return ready(prepared, writer, [], mask);
}

async function resumed(project: Project, io: CliIo): Promise<ReadyRun> {
  const { resume, retryBroken } = project.settings;
  const saved = await openRun(reportsDir(project), resume ?? "latest", io.cwd);
  if (saved.record.kind === "import") {
    fail(
      "imported-run",
      { file: saved.dir },
      "the results of this run were imported: there is nothing to go on with",
      "import the whole results anew, or start a run",
    );
  }
  const prepared = await prepare(asSaved(project, saved.record), io);
  checkSame(saved.record, prepared.record);
  const mask = maskFor(project, io);
  const { writer, done } = await reopen(saved, mask, retryBroken);
  // Notes tell of the run as it is now: what stopped or broke it before may be mended.
  const faults = new Faults();
  for await (const line of saved.trials()) faults.add(line);
  const notes = [...prepared.record.notes, ...faults.sentences()];
  const record = { ...saved.record, policy: prepared.record.policy, notes };
  return ready({ ...prepared, record }, writer, done, mask);
}

function ready(
  prepared: PreparedRun,
  writer: ReadyRun["writer"],
  done: ReadyRun["done"],
  mask: ReadyRun["mask"],
): ReadyRun {
  const { project, record, cases, arms } = prepared;
  return {
    root: project.root,
    settings: project.settings,
    record,
    cases,
    arms,
    writer,
    done,
    mask,
    openHeaders: openHeaders(project.configFile?.values.headers),
  };
}

async function carryOut(run: ReadyRun, io: CliIo): Promise<number> {
  const { rows, texts, interrupted, stopped, settled, notes } = await execute(run, io);
  for (const note of notes) io.err(note);
  const record = {
    ...run.record,
    texts,
    notes: [
      ...new Set([
        ...run.record.notes,
        ...notes,
        ...(settled === null ? [] : [settled]),
        ...(stopped === null ? [] : [`stopped early: ${stopped}`]),
      ]),
    ],
  };
  const summary = await finish(
    { dir: run.writer.dir, record, rows, mask: run.mask, json: run.settings.json, root: run.root },
    io,
  );
  if (stopped !== null) {
    const again = rows.some(({ status }) => status === "broken");
    const how = again ? " --retry-broken` runs the rest and the broken ones again" : "` runs the rest";
    io.err(`stopped early: ${stopped}. \`evalkit run --resume ${record.runId}${how}.`);
  }
  return interrupted ? EXIT.interrupted : summary.gate.exitCode;
}

function tellWarnings({ warnings }: PreparedRun, io: CliIo): void {
  for (const text of new Set(warnings.map(formatProblem))) io.err(visible(text));
}
