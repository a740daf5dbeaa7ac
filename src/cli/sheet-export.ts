import { randomInt } from "node:crypto";
import { resolve } from "node:path";
import type { Command } from "commander";
import { fail } from "../core/nouns/problem.ts";
import { KINDS } from "../core/sheet/key.ts";
import { parseRaters } from "../core/sheet/rater.ts";
import { count } from "../core/text/count.ts";
import { type Exported, exportSheets } from "../io/sheets.ts";
import type { CliIo } from "./command.ts";
import { declareSavedRun, openSavedRun } from "./saved-run.ts";

interface Flags {
  readonly raters: string;
  readonly kind: string;
  readonly double: string;
  readonly repeat: string;
  readonly sample?: string;
  readonly seed?: string;
  readonly out: string;
  readonly force?: true;
  readonly json?: true;
}

/** `evalkit sheet export RUN`. */
export function defineExport(command: Command, io: CliIo): void {
  declareSavedRun(command)
    .description("write a blinded CSV and an offline HTML sheet for each rater, and the key")
    .argument("<run>", "run id, run folder, or latest")
    .option("--raters <names>", "who scores, separated by commas", "rater-1")
    .option(
      "--kind <kind>",
      "single: one output an item; pair: both versions' outputs side by side",
      "single",
    )
    .option("--double <share>", "share of the items that a second rater scores too", "0.2")
    .option("--repeat <share>", "share of the items that a rater gets a second time, unannounced", "0.05")
    .option("--sample <n>", "score only so many outputs, balanced over the cases")
    .option("--seed <text>", "draws ids, order and sides; without it a new one is drawn and kept in the key")
    .requiredOption("--out <dir>", "folder for the sheets and the key")
    .option("--force", "write over sheets and a key that are there")
    .option("--json", "print what was written as JSON")
    .addHelpText(
      "after",
      "\nExample:\n  evalkit sheet export latest --raters ann,bob --kind pair --out sheets\n",
    )
    .action((run: string, flags: Flags) => runExport(run, flags, command, io));
}

async function runExport(name: string, flags: Flags, command: Command, io: CliIo): Promise<void> {
  const raters = parseRaters(flags.raters);
  const kind = KINDS.find((one) => one === flags.kind);
  if (kind === undefined) fail("bad-flag", { key: "--kind" }, `--kind is single or pair, not ${flags.kind}`);
  const options = {
    ...{ kind, raters, double: shareOf("--double", flags.double), repeat: shareOf("--repeat", flags.repeat) },
    sample: flags.sample === undefined ? null : countOf("--sample", flags.sample),
    // Drawn anew: a seed that a rater could guess would give the ids, and with them the arms, away.
    seed: flags.seed ?? String(randomInt(2 ** 47)),
    force: flags.force === true,
  };
  const { run } = await openSavedRun(name, command, io);
  const exported = await exportSheets(run, resolve(io.cwd, flags.out), options);
  if (flags.json) io.out(JSON.stringify(summaryOf(exported), null, 2));
  else for (const line of report(exported, name)) io.out(line);
}

function summaryOf({ key, out, files, broken, minutes }: Exported) {
  const items = Object.fromEntries(
    (key.raters ?? []).map((rater) => [rater, key.order?.[rater]?.length ?? 0]),
  );
  return {
    runId: key.runId,
    kind: key.kind,
    seed: key.seed,
    out,
    files,
    items,
    minutes,
    brokenTrials: broken,
  };
}

function report(exported: Exported, run: string): string[] {
  const { key, out, broken, minutes } = exported;
  const items = Object.values(key.items);
  const repeats = items.filter((item) => item.repeatOf !== undefined).length;
  const doubles = items.filter((item) => (item.raters?.length ?? 0) > 1).length;
  const raters = key.raters ?? [];
  const lines = raters.map((rater) => {
    const own = key.order?.[rater]?.length ?? 0;
    return `  sheet-${rater}.csv and sheet-${rater}.html: ${own} items, about ${minutes[rater] ?? 0} minutes`;
  });
  const alone = raters.length < 2 ? " With one rater no agreement can be measured." : "";
  return [
    `Sheets of run ${key.runId} are in ${out}:`,
    ...lines,
    `  scoring-guide.txt: the scales, for those who work in a spreadsheet`,
    `  key.json: which version made what`,
    "",
    `${items.length - repeats} outputs, ${doubles} of them for two raters, ${count(repeats, "hidden repeat")}.${alone}`,
    ...(broken > 0 ? [`${broken} broken trials have no output and are left out.`] : []),
    "",
    "Give each rater one of their two files. Keep key.json from the raters: it undoes the blinding.",
    `When they are done: evalkit sheet import ${run} ${out}/sheet-*.csv --key ${out}/key.json`,
  ];
}

function shareOf(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  return fail(
    "bad-flag",
    { key: flag },
    `${flag} is a share from 0 to 1, such as 0.2, not ${JSON.stringify(text)}`,
  );
}

function countOf(flag: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text.trim())) return Number(text);
  return fail("bad-flag", { key: flag }, `${flag} is a whole number from 1, not ${JSON.stringify(text)}`);
}
