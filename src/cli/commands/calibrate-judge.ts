import type { Command } from "commander";
import {
  type Calibration,
  calibrate,
  type JudgedTrial,
  type Trust,
  trustIn,
} from "../../core/human/calibrate.ts";
import { calibrationText } from "../../core/human/calibrate-text.ts";
import { humanWords, judgedTrial, type LabelOptions } from "../../core/human/judged.ts";
import {
  type PairAgreement,
  pairAgreement,
  type PositionBias,
  positionBias,
} from "../../core/human/pair-agreement.ts";
import { pairAgreementText } from "../../core/human/pair-agreement-text.ts";
import { type PairTrust, pairTrust } from "../../core/human/pair-trust.ts";
import type { ScoreRow } from "../../core/human/score-row.ts";
import { fail } from "../../core/nouns/problem.ts";
import type { Arm } from "../../core/nouns/score.ts";
import { DIMENSIONS } from "../../core/sheet/columns.ts";
import { readJudging } from "../../io/judgements.ts";
import type { SavedRun } from "../../io/open-run.ts";
import { readScores } from "../../io/scores.ts";
import type { CliIo } from "../command.ts";
import { EXIT } from "../exit.ts";
import { declareSavedRun, openSavedRun } from "../saved-run.ts";

interface Flags {
  readonly dimension: string;
  readonly pass: string;
  readonly check?: string;
  readonly json?: true;
}

/** `evalkit calibrate-judge RUN`: a judge model held against people's scores. */
export function define(command: Command, io: CliIo): void {
  declareSavedRun(command)
    .description(
      "Hold a run's judge against people: its judge checks against scores, its preferences against theirs",
    )
    .argument("<run>", "run id, run folder, or latest")
    .option("--dimension <name>", `which of people's scores: ${DIMENSIONS.join(", ")}`, "accuracy")
    .option("--pass <score>", "people's mean score from which an output is a pass", "4")
    .option("--check <text>", "only judge checks whose rubric holds this text (default: all of a case's)")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      [
        "",
        "Needs imported sheets (evalkit sheet import): of single outputs for cases with judge checks, of pairs for",
        "evalkit judge. Exit code 3 when people's words are too few to tell.",
        "",
        "Example:",
        "  evalkit calibrate-judge latest --dimension completeness",
      ].join("\n"),
    )
    .action((run: string, flags: Flags) => runCalibrate(run, flags, command, io));
}

/** The judge checks against people's scores of single outputs. */
interface Checks {
  readonly result: Record<Arm | "all", Calibration>;
  readonly trust: Trust;
}

/** The judge's preferences against people's. */
interface Pairs extends PairAgreement {
  readonly model: string;
  /** What the judge was asked; people are asked the same only if it was the usual question. */
  readonly criterion: string;
  readonly notJudged: number;
  readonly trust: PairTrust;
  readonly position: PositionBias;
}

async function runCalibrate(name: string, flags: Flags, command: Command, io: CliIo): Promise<void> {
  const options = labelOptions(flags);
  const { run } = await openSavedRun(name, command, io);
  const rows = await scoresOf(run);
  const pairs = options.check === null ? await pairsPart(run, rows) : null;
  const checks = await checksPart(run, rows, options, pairs !== null);
  if (checks === null && pairs === null) noVerdict(run, options.check);
  if (flags.json) io.out(JSON.stringify(json(checks, pairs, options), null, 2));
  else {
    for (const line of checks === null ? [] : calibrationText(checks.result, options)) io.out(line);
    if (checks !== null) io.out(checks.trust.sentence);
    if (checks !== null && pairs !== null) io.out("");
    for (const line of pairs === null ? [] : pairAgreementText(pairs, pairs, pairs.position)) io.out(line);
    if (pairs !== null) io.out(pairs.trust.sentence);
  }
  // People's labels are too few: unknown is never green.
  const words = [checks?.trust.word, pairs?.trust.word];
  if (words.includes("cannot-tell")) io.exit(EXIT.undecided);
}

function json(checks: Checks | null, pairs: Pairs | null, { dimension, pass }: LabelOptions) {
  const none = { all: null, baseline: null, candidate: null };
  return {
    ...{ schema: "evalkit.calibration/1", dimension, pass, trust: checks?.trust ?? null },
    ...(checks?.result ?? none),
    pairs,
  };
}

function labelOptions(flags: Flags): LabelOptions {
  const dimension = DIMENSIONS.find((one) => one === flags.dimension);
  if (dimension === undefined) {
    fail(
      "bad-flag",
      { key: "--dimension" },
      `--dimension is ${DIMENSIONS.join(", ")}, not ${flags.dimension}`,
    );
  }
  const pass = Number(flags.pass);
  if (!(pass > 1 && pass <= 5)) {
    fail("bad-flag", { key: "--pass" }, `--pass is a score above 1 and up to 5, not ${flags.pass}`);
  }
  return { dimension, pass, check: flags.check ?? null };
}

async function scoresOf(run: SavedRun): Promise<readonly ScoreRow[]> {
  const rows = await readScores(run.dir);
  if (rows.length > 0) return rows;
  const message = "no people's scores were imported into this run";
  return fail("no-scores", { file: run.dir }, message, "evalkit sheet import");
}

/** Null where no judge check gave a verdict, or where people scored pairs alone and those can be had (`otherwise`). */
async function checksPart(
  run: SavedRun,
  rows: readonly ScoreRow[],
  options: LabelOptions,
  otherwise: boolean,
): Promise<Checks | null> {
  const words = humanWords(rows, options);
  if (words.size === 0 && otherwise) return null;
  const trials: JudgedTrial[] = [];
  for await (const line of run.trials()) {
    const trial = judgedTrial(line, words, options.check);
    if (trial !== null) trials.push(trial);
  }
  if (trials.length === 0) return null;
  const result = calibrate(trials, run.record.policy.alpha);
  return { result, trust: trustIn(result) };
}

/** Null where no judge compared the run's pairs, or people none of them. */
async function pairsPart(run: SavedRun, rows: readonly ScoreRow[]): Promise<Pairs | null> {
  const judging = await readJudging(run.dir);
  if (judging === null) return null;
  const { alpha } = run.record.policy;
  const agreement = pairAgreement(judging.lines, rows, alpha);
  if (agreement.pairs + agreement.unjudged === 0) return null;
  const position = positionBias(judging.lines, alpha);
  const { model, criterion, notJudged } = judging.record;
  return { model, criterion, notJudged, trust: pairTrust(agreement), ...agreement, position };
}

function noVerdict(run: SavedRun, check: string | null): never {
  const which = check === null ? "" : ` whose rubric holds ${JSON.stringify(check)}`;
  return fail(
    "no-judge",
    { file: run.dir },
    `no trial of this run has a verdict of a judge check${which}, and no judge compared pairs that people judged`,
    "evalkit judge, and evalkit sheet export --kind pair",
  );
}
