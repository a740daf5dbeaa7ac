import { join } from "node:path";
import type { Command } from "commander";
import pLimit from "p-limit";
import { judgeFigures, type JudgementLine, JudgeRecord } from "../../core/human/judge-record.ts";
import { fail, warning } from "../../core/nouns/problem.ts";
import { priceOf } from "../../core/score/cost.ts";
import { settingsBody } from "../../core/reply/request.ts";
import { figure as costText } from "../../core/text/figures.ts";
import { count } from "../../core/text/count.ts";
import { visible } from "../../core/text/visible.ts";
import type { Brought } from "../../io/branch-recordings.ts";
import { systemClock } from "../../io/clock.ts";
import { sha256 } from "../../io/digest.ts";
import { maskJson } from "../../io/mask.ts";
import { pairTexts } from "../../io/pair-texts.ts";
import { type Project, reportsDir } from "../../io/project.ts";
import type { RecordedModel } from "../../io/recordings.ts";
import { openRun, type SavedRun } from "../../io/run-store.ts";
import { readScores } from "../../io/scores.ts";
import { DEFAULT_CRITERION, judgePair, PAIR_SYSTEM } from "../../run/judge-pair.ts";
import type { CliIo } from "../command.ts";
import { EXIT } from "../exit.ts";
import { declareFlags, projectFor } from "../options.ts";
import { connectionChangedSince } from "../run/connection.ts";
import { judgeRequest, runJudge } from "../run/judge.ts";
import { maskFor } from "../run/mask.ts";
import { broughtRecordings } from "../run/model.ts";
import { tellProblems } from "../tell.ts";
import { writeAtomically } from "../../io/files.ts";

const FLAGS = [
  ...["judge-model", "judge-base-url", "judge-temperature", "base-url", "stream", "timeout", "retries"],
  ...["concurrency", "replay", "recordings", "reports", "json", "quiet"],
];

/** `evalkit judge RUN`: a judge model compares the arms' outputs pair by pair, in both orders. */
export function define(command: Command, io: CliIo): void {
  declareFlags(command, ["judge", "model", "run", "output"], FLAGS)
    .argument("<run>", "run id, run folder, or latest")
    .option("--criterion <text>", "the one criterion", DEFAULT_CRITERION)
    .addHelpText(
      "after",
      [
        "",
        "Each pair is judged with either arm first. An arm wins only if both orders name it; orders that contradict",
        "each other are a tie; a reply that is no verdict leaves the pair unscored. Calls are recorded and replayed as",
        "those of a run are; they are counted in judge.json and not among the run's.",
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
  const tested = [
    saved.record.model.name,
    saved.record.arms.baseline?.model,
    saved.record.arms.candidate?.model,
  ];
  const judgesItself = tested.includes(settings.judge.model);
  const changed = await connectionChangedSince(saved.record, project, io);
  tellProblems(
    [...project.problems, ...changed, ...(judgesItself ? [itself(settings.judge.model)] : [])],
    io,
  );
  const lines = await judgeAll(saved, project, criterion, io);
  const record = JudgeRecord.parse({
    ...{ schema: "evalkit.judge/1", runId: saved.record.runId, model: settings.judge.model, criterion },
    promptDigest: sha256(PAIR_SYSTEM),
    request: settingsBody(judgeRequest(settings), 1, true),
    judgesItself,
    ...judgeFigures(lines, await readScores(saved.dir), priceOf(settings.prices, settings.judge.model ?? "")),
  });
  const mask = maskFor(project, io);
  const text = lines.map((line) => `${maskJson(mask, JSON.stringify(line))}\n`).join("");
  await writeAtomically(join(saved.dir, "judgements.jsonl"), text);
  await writeAtomically(
    join(saved.dir, "judge.json"),
    maskJson(mask, `${JSON.stringify(record, null, 2)}\n`, 2),
  );
  if (settings.json) io.out(JSON.stringify(record, null, 2));
  else for (const line of report(record)) io.out(line);
  io.exit(exitCode(record));
}

async function judgeAll(
  saved: SavedRun,
  project: Project,
  criterion: string,
  io: CliIo,
): Promise<readonly JudgementLine[]> {
  const { settings } = project;
  const brought = await broughtRecordings(project, saved.record.arms.baseline?.commit ?? null, io);
  const model = await judgeModel(project, brought, io);
  const pairs = await pairTexts(saved);
  if (pairs.length === 0)
    fail("nothing-to-judge", { file: saved.dir }, "no case and trial has an output of both arms");
  const limit = pLimit(settings.concurrency);
  let done = 0;
  const lines = await Promise.all(
    pairs.map((pair) =>
      limit(async () => {
        const key = { case: pair.case, arm: "candidate" as const, trial: pair.trial };
        const context = { key, salt: "judge", occurrence: 0, signal: new AbortController().signal };
        const options = { model: settings.judge.model ?? "", criterion };
        const verdict = await judgePair(model, pair, options, context);
        done += 1;
        if (!settings.quiet && done % 20 === 0) io.err(`${done} of ${pairs.length} pairs judged`);
        return {
          case: pair.case,
          trial: pair.trial,
          preferred: verdict.preferred,
          orders: [...verdict.orders],
        };
      }),
    ),
  );
  await model.close();
  for (const note of model.stats().notes) io.err(visible(note));
  return lines;
}

async function judgeModel(project: Project, brought: Brought | null, io: CliIo): Promise<RecordedModel> {
  const { root, settings } = project;
  const built = await runJudge({
    ...{ root, settings, mask: maskFor(project, io), env: io.env, clock: systemClock, brought },
    onWait: (reason, seconds) => io.err(`waiting ${Math.round(seconds)} s: ${reason}`),
  });
  if (built !== null) return built.model;
  return noJudge();
}

function noJudge(): never {
  return fail("no-judge", { key: "judge.model" }, "no judge model is named", "give --judge-model NAME");
}

function itself(model: string | null) {
  return warning(
    "judge-is-tested",
    { key: "judge.model" },
    `the judge ${model} is a model under test: it favours its own outputs`,
    "a judge of another family is less partial",
  );
}

/** A judging without a single verdict is no success: calls that failed are the server's fault, the rest is undecided. */
function exitCode({ pairs, unscored, unparsable }: JudgeRecord): number {
  if (unscored < pairs) return EXIT.ok;
  return unparsable === 0 ? EXIT.harness : EXIT.undecided;
}

function report(record: JudgeRecord): string[] {
  const { preference, unscored, pairs, calls, tokens, cost, people } = record;
  const equal = pairs - calls / 2;
  return [
    `${record.model} judged ${count(pairs, "pair")} in both orders (${count(calls, "call")}): ${record.criterion}`,
    ...(equal === 0 ? [] : [`${count(equal, "pair")} of equal outputs: a tie without a call.`]),
    preference.p === null
      ? "No pair got a verdict: nothing is known of which version is better."
      : `By case: candidate ${preference.candidate}, baseline ${preference.baseline}, tie ${preference.tie}; sign test p ${figure(preference.p)}.`,
    `Both orders agree in ${percent(record.consistent)} of the pairs; the output standing first is named in ${percent(record.firstPlace)} of the verdicts.`,
    ...(unscored === 0
      ? []
      : [`${unscored} pairs are unscored (${record.unparsable} replies were no verdict).`]),
    people.pairs === 0
      ? "Not held against people yet: evalkit sheet export --kind pair."
      : `It agrees with people in ${percent(people.agree)} of ${people.pairs} judgements of the same pairs.`,
    tokens === null
      ? `Tokens: unknown, ${record.model}'s server sends no usage.`
      : `Tokens: ${tokens.prompt} prompt, ${tokens.completion} completion; cost ${cost === null ? `unknown, no price is set for ${record.model}` : costText(cost)}.`,
  ];
}

function figure(value: number | null): string {
  return value === null ? "undefined" : value.toFixed(3);
}

function percent(value: number | null): string {
  return value === null ? "an undefined share" : `${Math.round(value * 100)} %`;
}
