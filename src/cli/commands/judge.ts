import type { Command } from "commander";
import { judgeFigures } from "../../core/human/judge-figures.ts";
import { JudgeRecord } from "../../core/human/judge-record.ts";
import { judgeText } from "../../core/human/judge-text.ts";
import { fail, warning } from "../../core/nouns/problem.ts";
import { settingsBody } from "../../core/reply/request.ts";
import { priceOf } from "../../core/score/cost.ts";
import { sha256 } from "../../io/digest.ts";
import { readJudging, writeJudging } from "../../io/judgements.ts";
import { withRunLock } from "../../io/lock.ts";
import { pairsOf } from "../../io/pair-texts.ts";
import { type Project, reportsDir } from "../../io/project.ts";
import { openRun, type SavedRun } from "../../io/open-run.ts";
import { readScores } from "../../io/scores.ts";
import { DEFAULT_CRITERION, pairPrompt } from "../../run/judge-pair.ts";
import type { CliIo } from "../command.ts";
import { EXIT } from "../exit.ts";
import { declareFlags, projectFor } from "../options.ts";
import { unpriced } from "../run/budget-warnings.ts";
import { connectionChangedSince } from "../run/connection.ts";
import { judgeRequest } from "../run/judge.ts";
import { type JudgedPairs, judgePairs, noJudge } from "../run/judge-pairs.ts";
import { maskFor } from "../run/mask.ts";
import { tellProblems } from "../tell.ts";

const FLAGS = [
  ...["judge-model", "judge-base-url", "judge-temperature", "base-url", "stream", "timeout", "retries"],
  ...["concurrency", "replay", "recordings", "reports", "json", "quiet"],
  ...["max-run-seconds", "max-run-tokens", "max-run-cost"],
];

/** `evalkit judge RUN`: a judge model compares the arms' outputs pair by pair, in both orders. */
export function define(command: Command, io: CliIo): void {
  declareFlags(command, ["judge", "model", "run", "limits", "output"], FLAGS)
    .argument("<run>", "run id, run folder, or latest")
    .option("--criterion <text>", "the one criterion", DEFAULT_CRITERION)
    .addHelpText(
      "after",
      [
        "",
        "Each pair is judged with either arm first. An arm wins only if both orders name it; orders that contradict",
        "each other are a tie; a reply that is no verdict leaves the pair unscored. Calls are recorded and replayed as",
        "those of a run are; they are counted in judge.json and not among the run's. The limits of a run hold for a",
        "judging too: what was judged until then is kept, and asked for again it goes on from its recordings.",
        "",
        "Example:",
        "  evalkit judge latest --judge-model some-model",
      ].join("\n"),
    )
    .action((run: string, flags: { readonly criterion: string }) =>
      runJudging(run, flags.criterion, command, io),
    );
}

async function runJudging(name: string, criterion: string, command: Command, io: CliIo): Promise<void> {
  const project = await projectFor(command, io, true);
  const { settings } = project;
  if (settings.judge.model === null) noJudge();
  const saved = await openRun(reportsDir(project), name, io.cwd);
  await tellAbout(project, saved, io);
  // Under the lock: a run that is still going is refused here, before anything is paid.
  const pairs = await withRunLock(saved.dir, () => pairsOf(saved));
  if (pairs.count === 0)
    fail("nothing-to-judge", { file: saved.dir }, "no case and trial has an output of both arms");
  const judged = await judgePairs(pairs, saved.record, project, criterion, io);
  const record = await keep(judged, saved, project, criterion, io);
  if (settings.json) io.out(JSON.stringify(record, null, 2));
  else for (const line of judgeText(record)) io.out(line);
  io.exit(judged.interrupted ? EXIT.interrupted : exitCode(record));
}

async function tellAbout(project: Project, saved: SavedRun, io: CliIo): Promise<void> {
  const { model } = project.settings.judge;
  const changed = await connectionChangedSince(saved.record, project, io);
  const itself = judgesItself(saved, model) ? [itselfWarning(model)] : [];
  tellProblems([...project.problems, ...changed, ...itself, ...unpriced([model], project.settings)], io);
}

/** Writes judgements.jsonl and judge.json as one; people's scores are read in the same turn. */
async function keep(
  { lines, notJudged, stopped }: JudgedPairs,
  saved: SavedRun,
  project: Project,
  criterion: string,
  io: CliIo,
): Promise<JudgeRecord> {
  const { settings } = project;
  const model = settings.judge.model ?? "";
  const mask = maskFor(project, io);
  const { alpha } = saved.record.policy;
  return withRunLock(saved.dir, async () => {
    const record = JudgeRecord.parse({
      ...{ schema: "evalkit.judge/1", runId: saved.record.runId, model, criterion },
      promptDigest: sha256(pairPrompt()),
      request: settingsBody(judgeRequest(settings), 1, true),
      judgesItself: judgesItself(saved, model),
      ...judgeFigures(lines, await readScores(saved.dir), priceOf(settings.prices, model), alpha),
      ...{ notJudged, stopped },
    });
    if (await replacesMore(saved.dir, record)) {
      io.err("an earlier judging by the same judge and criterion holds more pairs: it is kept");
      return record;
    }
    await writeJudging(saved.dir, { record, lines }, mask);
    return record;
  });
}

/** Whether a judging that was stopped would take the place of one that went further. */
async function replacesMore(dir: string, now: JudgeRecord): Promise<boolean> {
  if (now.stopped === null) return false;
  const before = (await readJudging(dir))?.record;
  return (
    before !== undefined &&
    before.pairs > now.pairs &&
    before.model === now.model &&
    before.criterion === now.criterion &&
    before.promptDigest === now.promptDigest
  );
}

function judgesItself({ record }: SavedRun, model: string | null): boolean {
  return [record.model.name, record.arms.baseline?.model, record.arms.candidate?.model].includes(model);
}

function itselfWarning(model: string | null) {
  return warning(
    "judge-is-tested",
    { key: "judge.model" },
    `the judge ${model} is a model under test: it favours its own outputs`,
    "a judge of another family is less partial",
  );
}

/**
 * A judging without a single verdict is no success: calls that failed are the server's fault, the rest is undecided. So
 * is one that was stopped with pairs left.
 */
function exitCode({ pairs, unscored, unparsable, notJudged }: JudgeRecord): number {
  if (pairs > 0 && unscored === pairs && unparsable === 0) return EXIT.harness;
  return unscored === pairs || notJudged > 0 ? EXIT.undecided : EXIT.ok;
}
