import type { Command } from "commander";
import {
  type Calibration,
  calibrate,
  type JudgedTrial,
  type Share,
  trustIn,
} from "../../core/human/calibrate.ts";
import { humanWords, judgedTrial, type LabelOptions } from "../../core/human/judged.ts";
import { fail } from "../../core/nouns/problem.ts";
import { DIMENSIONS } from "../../core/sheet/columns.ts";
import type { SavedRun } from "../../io/run-store.ts";
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
    .description("Hold the judge checks of a run against people's scores: may the judge be trusted?")
    .argument("<run>", "run id, run folder, or latest")
    .option("--dimension <name>", `which of people's scores: ${DIMENSIONS.join(", ")}`, "accuracy")
    .option("--pass <score>", "people's mean score from which an output is a pass", "4")
    .option("--check <text>", "only judge checks whose rubric holds this text (default: all of a case's)")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      [
        "",
        "Needs imported sheets (evalkit sheet import) and cases with judge checks. Exit code 3 when people's passes",
        "and fails are too few to tell.",
        "",
        "Example:",
        "  evalkit calibrate-judge latest --dimension completeness",
      ].join("\n"),
    )
    .action((run: string, flags: Flags) => runCalibrate(run, flags, command, io));
}

async function runCalibrate(name: string, flags: Flags, command: Command, io: CliIo): Promise<void> {
  const options = labelOptions(flags);
  const { run } = await openSavedRun(name, command, io);
  const trials = await judgedTrials(run, options);
  const result = calibrate(trials, run.record.policy.alpha);
  const trust = trustIn(result);
  if (flags.json) {
    const { dimension, pass } = options;
    io.out(JSON.stringify({ schema: "evalkit.calibration/1", dimension, pass, trust, ...result }, null, 2));
  } else {
    for (const line of report(result, options)) io.out(line);
    io.out(trust.sentence);
  }
  // People's labels are too few: unknown is never green.
  if (trust.word === "cannot-tell") io.exit(EXIT.undecided);
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

async function judgedTrials(saved: SavedRun, options: LabelOptions): Promise<readonly JudgedTrial[]> {
  const rows = await readScores(saved.dir);
  if (rows.length === 0) {
    fail(
      "no-scores",
      { file: saved.dir },
      "no people's scores were imported into this run",
      "evalkit sheet import",
    );
  }
  const words = humanWords(rows, options);
  const trials: JudgedTrial[] = [];
  for await (const line of saved.trials()) {
    const trial = judgedTrial(line, words, options.check);
    if (trial !== null) trials.push(trial);
  }
  if (trials.length > 0) return trials;
  const which = options.check === null ? "" : ` whose rubric holds ${JSON.stringify(options.check)}`;
  return fail("no-judge", { file: saved.dir }, `no trial of this run has a verdict of a judge check${which}`);
}

function report(result: ReturnType<typeof calibrate>, { dimension, pass }: LabelOptions): string[] {
  return [
    `People pass an output from a mean ${dimension} of ${pass}.`,
    "",
    ...armLines("all outputs", result.all),
    ...armLines("baseline", result.baseline),
    ...armLines("candidate", result.candidate),
    "Trials of one case are not independent: take the corrected rate's interval for the narrowest it can be.",
    "",
  ];
}

function armLines(name: string, one: Calibration): string[] {
  const { truePass, falsePass, falseFail, trueFail } = one.confusion;
  const width = Math.max(
    ...[truePass, falsePass, falseFail, trueFail].map((count) => String(count).length),
    4,
  );
  const cell = (count: number): string => String(count).padStart(width);
  const { corrected } = one;
  return [
    `${name}: ${one.judged} judged, the judge's own pass rate ${percent(one.raw)}`,
    `               people: ${"pass".padStart(width)} ${"fail".padStart(width)}`,
    `  judge: pass          ${cell(truePass)} ${cell(falsePass)}`,
    `  judge: fail          ${cell(falseFail)} ${cell(trueFail)}`,
    `  sensitivity ${shareText(one.sensitivity)}, specificity ${shareText(one.specificity)}`,
    corrected.rate === null
      ? `  corrected rate: undefined, ${corrected.reason}`
      : `  corrected rate ${percent(corrected.rate)} (${percent(corrected.low)} to ${percent(corrected.high)})`,
    "",
  ];
}

function shareText({ rate, of, interval }: Share): string {
  if (rate === null || interval === null) return "undefined";
  return `${percent(rate)} of ${of} (${percent(interval.low)} to ${percent(interval.high)})`;
}

function percent(rate: number | null): string {
  return rate === null ? "undefined" : `${(rate * 100).toFixed(1)} %`;
}
