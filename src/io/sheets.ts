import { createHash } from "node:crypto";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "../core/nouns/problem.ts";
import type { TrialKey } from "../core/nouns/score.ts";
import { blindFor } from "../core/sheet/blind.ts";
import { type DealOptions, dealSheets } from "../core/sheet/deal.ts";
import { minutesFor } from "../core/sheet/effort.ts";
import { scoringGuide } from "../core/sheet/guide.ts";
import { isPair, type SheetKey } from "../core/sheet/key.ts";
import { sheetPage } from "../core/sheet/page/page.ts";
import { hasOutput, modelsIn, type Readable, readableTrial } from "../core/sheet/readable.ts";
import { fillKey, itemsFor, type ShownItem, sheetCsv } from "../core/sheet/sheet.ts";
import type { SavedRun } from "./open-run.ts";
import { exists } from "./files.ts";
import { makeFolder } from "./make-folder.ts";
import { refuseWrite } from "./write-errors.ts";
import { trialKey } from "../core/record/trial-key.ts";

const KEY = "key.json";

/** What an export wrote. */
export interface Exported {
  readonly key: SheetKey;
  readonly out: string;
  /** Names of the files in `out`, the key last. */
  readonly files: readonly string[];
  /** About how many minutes each rater will need. */
  readonly minutes: Readonly<Record<string, number>>;
  /** Broken trials, which have no output to score. */
  readonly broken: number;
}

/**
 * Writes a CSV and an HTML sheet for each rater, the scoring guide and key.json into `out`. Texts are read only of
 * the trials that were drawn. Throws InputError when there is nothing to score, or when `out` holds a key already:
 * without its key, sheets that are out with raters would be lost.
 */
export async function exportSheets(
  run: SavedRun,
  out: string,
  options: Omit<DealOptions, "runId"> & { readonly force: boolean },
): Promise<Exported> {
  if (!options.force && (await exists(join(out, KEY)))) {
    fail(
      "key-exists",
      { file: join(out, KEY) },
      "there are sheets in this folder already, and their key would be lost",
      "choose another --out, or give --force",
    );
  }
  const { trials, models, broken } = await survey(run);
  const dealt = dealSheets(trials, { ...options, runId: run.record.runId });
  if (Object.keys(dealt.items).length === 0) nothingToScore(run, options.kind, trials.length);
  const texts = await readTexts(run, dealt, models);
  const { key, shown } = fillKey(dealt, (trial) => {
    const text = texts.get(trialKey(trial));
    if (text === undefined) throw new Error(`the trial ${trialKey(trial)} has gone from trials.jsonl`);
    return text;
  });
  const minutes = (key.raters ?? []).map(
    (rater) => [rater, minutesFor(itemsFor(key, shown, rater))] as const,
  );
  return { key, out, files: await writeAll(out, key, shown), minutes: Object.fromEntries(minutes), broken };
}

async function survey(
  run: SavedRun,
): Promise<{ trials: TrialKey[]; models: ReadonlySet<string>; broken: number }> {
  const trials = new Map<string, TrialKey>();
  const models = new Set<string>();
  const broken = new Set<string>();
  for await (const line of run.trials()) {
    const id = trialKey(line);
    for (const model of modelsIn(line)) models.add(model);
    if (!hasOutput(line)) broken.add(id);
    else trials.set(id, { case: line.case, arm: line.arm, trial: line.trial });
  }
  return { trials: [...trials.values()], models, broken: [...broken].filter((id) => !trials.has(id)).length };
}

function nothingToScore(run: SavedRun, kind: string, trials: number): never {
  const why =
    trials === 0
      ? run.record.kind === "import"
        ? "its results were imported, without transcripts"
        : "no trial of it was finished"
      : `no case and trial has an output of both arms, which a sheet of kind ${kind} needs`;
  return fail("nothing-to-score", { file: run.dir }, `there is nothing to score in this run: ${why}`);
}

async function readTexts(
  run: SavedRun,
  key: SheetKey,
  models: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Readable>> {
  const wanted = new Set(
    Object.values(key.items).flatMap((item) =>
      (isPair(item) ? [item.left, item.right] : [item.arm]).map((arm) =>
        trialKey({ case: item.case, arm, trial: item.trial }),
      ),
    ),
  );
  const cases = new Map(run.record.cases.map((one) => [one.id, one.case]));
  const blind = blindFor(run.record, models);
  const texts = new Map<string, Readable>();
  for await (const line of run.trials()) {
    const id = trialKey(line);
    if (wanted.has(id) && hasOutput(line))
      texts.set(id, readableTrial(line, cases.get(line.case) ?? null, blind));
  }
  return texts;
}

async function writeAll(
  out: string,
  key: SheetKey,
  shown: ReadonlyMap<string, ShownItem>,
): Promise<string[]> {
  const kind = key.kind ?? "single";
  const files: [name: string, text: string][] = [["scoring-guide.txt", scoringGuide(kind)]];
  for (const rater of key.raters ?? []) {
    const items = itemsFor(key, shown, rater);
    files.push([`sheet-${rater}.csv`, sheetCsv(key, items)]);
    files.push([`sheet-${rater}.html`, sheetPage({ rater, kind, items }, sha256Base64)]);
  }
  files.push([KEY, `${JSON.stringify(key, null, 2)}\n`]);
  try {
    makeFolder(out);
    // The key is never open to others, not even while it is written.
    for (const [name, text] of files)
      await writeFile(join(out, name), text, { mode: name === KEY ? 0o600 : 0o666 });
    await chmod(join(out, KEY), 0o600);
  } catch (error) {
    refuseWrite(error, out, "choose another --out");
  }
  return files.map(([name]) => name);
}

/** As a content security policy names a script or style. */
function sha256Base64(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
