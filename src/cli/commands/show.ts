import type { Command } from "commander";
import { fail } from "../../core/nouns/problem.ts";
import { type Arm, ARMS } from "../../core/nouns/score.ts";
import { overviewText } from "../../core/report/show/overview.ts";
import { type Picked, picker, type Wanted } from "../../core/report/show/pick.ts";
import { trialText } from "../../core/report/show/trial.ts";
import { troubles } from "../../core/report/show/trouble.ts";
import type { SavedRun } from "../../io/open-run.ts";
import type { CliIo } from "../command.ts";
import { declareFlags } from "../options.ts";
import { openSavedRun } from "../saved-run.ts";
import { didYouMean } from "../../core/text/nearest.ts";

const HELP = `
Without a case: the cases with trials that failed, stopped at a limit or broke, and why.
With one: the transcript of its first failing trial (the candidate's before the baseline's), else of the first.

Examples:
  evalkit show latest
  evalkit show latest web-static-page
  evalkit show latest web-static-page --arm baseline --trial 2 --full
`;

interface Options {
  readonly arm?: string;
  readonly trial?: string;
  readonly full?: boolean;
}

/** `evalkit show RUN [CASE]`: what happened in a saved run's trials, as a person reads it. Nothing is written. */
export function define(command: Command, io: CliIo): void {
  declareFlags(command, ["run", "output"], ["reports", "json"])
    .argument("<run>", "run id, run folder, or latest")
    .argument("[case]", "id of a case")
    .option("--arm <arm>", `only trials of this arm: ${ARMS.join(" or ")}`)
    .option("--trial <n>", "only the trial of this number, from 1")
    .option("--full", "fold nothing")
    .addHelpText("after", HELP)
    .action((run: string, id: string | undefined, options: Options) => show(run, id, options, command, io));
}

async function show(
  name: string,
  id: string | undefined,
  options: Options,
  command: Command,
  io: CliIo,
): Promise<void> {
  const wanted = { arm: armOf(options.arm), trial: numberOf(options.trial) };
  const { project, run } = await openSavedRun(name, command, io);
  const { json } = project.settings;
  if (id !== undefined) return showTrial(run, { case: id, ...wanted }, options.full === true, json, io);
  if (wanted.arm !== null || wanted.trial !== null || options.full === true)
    fail("no-case", {}, "--arm, --trial and --full choose a trial of one case, and no case is named");
  await showOverview(run, json, io);
}

async function showOverview(run: SavedRun, json: boolean, io: CliIo): Promise<void> {
  const found = troubles();
  for await (const line of run.trials()) found.take(line);
  const overview = found.done();
  const data = { runId: run.record.runId, ...overview };
  io.out(json ? JSON.stringify(data, null, 2) : overviewText(run.record, overview));
}

async function showTrial(
  run: SavedRun,
  wanted: Wanted,
  full: boolean,
  json: boolean,
  io: CliIo,
): Promise<void> {
  const picking = picker(wanted);
  for await (const line of run.trials()) picking.take(line);
  const { line, trials } = picking.done();
  if (line === null) return notThere(run, wanted, trials);
  io.out(json ? JSON.stringify(line, null, 2) : trialText({ record: run.record, line, trials, full }));
}

/** Says what is missing: the case, any of its trials, or the one that was asked for. */
function notThere(run: SavedRun, wanted: Wanted, trials: Picked["trials"]): never {
  const { record } = run;
  const ids = record.cases.map((one) => one.id);
  const where = { file: run.dir };
  if (trials.length > 0) {
    const there = trials.map(({ arm, trial }) => `${arm} ${trial}`);
    return fail(
      "no-trial",
      where,
      `${wanted.case} has no ${wanted.trial === null ? "trial" : `trial ${wanted.trial}`}${wanted.arm === null ? "" : ` of the ${wanted.arm}`}`,
      `there are: ${there.slice(0, 40).join(", ")}${there.length > 40 ? ", …" : ""}`,
    );
  }
  if (ids.includes(wanted.case))
    return fail(
      "no-trial",
      where,
      `no trial of ${wanted.case} has ended`,
      `evalkit run --resume ${record.runId} runs what is missing`,
    );
  return fail(
    "unknown-case",
    where,
    `the run ${record.runId} has no case ${JSON.stringify(wanted.case)}.${didYouMean(wanted.case, ids)}`,
    nearby(wanted.case, ids),
  );
}

/** Cases that hold what was typed, else the first few. */
function nearby(typed: string, ids: readonly string[]): string {
  const holding = ids.filter((id) => id.toLowerCase().includes(typed.toLowerCase()));
  const named = (holding.length > 0 ? holding : ids).slice(0, 10);
  const rest = (holding.length > 0 ? holding : ids).length - named.length;
  return `its cases: ${named.join(", ")}${rest > 0 ? `, and ${rest} more` : ""}`;
}

function armOf(text: string | undefined): Arm | null {
  if (text === undefined) return null;
  const arm = ARMS.find((one) => one === text);
  const expected = `expected ${ARMS.join(" or ")}, got ${JSON.stringify(text)}.${didYouMean(text, ARMS)}`;
  return arm ?? fail("bad-flag", { key: "--arm" }, expected);
}

function numberOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9]\d{0,6}$/.test(text))
    fail("bad-flag", { key: "--trial" }, `expected a whole number from 1, got ${JSON.stringify(text)}`);
  return Number(text);
}
