import type { Command } from "commander";
import { fail } from "../../core/nouns/problem.ts";
import { ASSUMED_NOISE } from "../../core/plan/design.ts";
import { designPart, noiseText, planText, type PlanReport } from "../../core/plan/report.ts";
import { noiseSeen, usageSeen } from "../../core/plan/seen.ts";
import { type CaseUsage, reckonRun } from "../../core/plan/usage.ts";
import type { TrialRow } from "../../core/summary/rows.ts";
import { loadCases, type Project, recordingsDir, reportsDir } from "../../io/project.ts";
import { recordedUsage } from "../../io/recorded-usage.ts";
import { openRun } from "../../io/open-run.ts";
import { readRows } from "../../io/saved-rows.ts";
import type { CliIo } from "../command.ts";
import { declareFlags, projectFor } from "../options.ts";
import { tellProblems } from "../tell.ts";
import { visible } from "../../core/text/visible.ts";

/** `evalkit plan`: what a run costs and what it can detect, before it is paid for. */
export function define(command: Command, io: CliIo): void {
  declareFlags(
    command,
    ["cases", "run", "model", "gate", "output"],
    [
      ...["cases", "filter", "tag", "trials", "recordings", "reports", "model"],
      ...["metrics", "margin", "alpha", "json"],
    ],
  )
    .option("--from <run>", "take calls, tokens and noise from this earlier run (else calls from recordings)")
    .option("--detect <share>", "drop that should be found, such as 0.1", "0.1")
    .option("--power <share>", "chance to find it", "0.8")
    .addHelpText("after", "\nExample:\n  evalkit plan --trials 5 --from latest --detect 0.05\n")
    .action((flags: PlanFlags) => runPlan(flags, command, io));
}

interface PlanFlags {
  readonly from?: string;
  readonly detect: string;
  readonly power: string;
}

async function runPlan(flags: PlanFlags, command: Command, io: CliIo): Promise<void> {
  const project = await projectFor(command, io);
  tellProblems(project.problems, io);
  const detect = share("--detect", flags.detect);
  const power = share("--power", flags.power);
  const { cases } = await loadCases(project);
  const ids = cases.map(({ id }) => id);
  const earlier = flags.from === undefined ? null : await earlierRun(project, flags.from, io.cwd);
  const report = await reportOf(project, ids, earlier, { detect, power });
  io.out(project.settings.json ? JSON.stringify(report, null, 2) : visible(planText(report)));
}

interface Earlier {
  readonly id: string;
  readonly rows: readonly TrialRow[];
}

async function earlierRun(project: Project, name: string, cwd: string): Promise<Earlier> {
  const saved = await openRun(reportsDir(project), name, cwd);
  return { id: saved.record.runId, rows: await readRows(saved) };
}

async function reportOf(
  project: Project,
  ids: readonly string[],
  earlier: Earlier | null,
  { detect, power }: { readonly detect: number; readonly power: number },
): Promise<PlanReport> {
  const { trials, gate, model, prices } = project.settings;
  const noise = earlier === null ? ASSUMED_NOISE : noiseSeen(earlier.rows, gate.metrics);
  const question = { noise, alpha: gate.alpha, power };
  const { usage, from } = await knownUsage(project, ids, earlier);
  const price = model === null ? null : (prices[model] ?? null);
  const design = { cases: ids.length, trials, margin: gate.margin, detect, question };
  return {
    cases: ids.length,
    trials,
    usage: reckonRun(ids, trials, usage, price),
    usageFrom: from,
    model,
    margin: gate.margin,
    question,
    noiseFrom: noiseText(question, earlier?.id ?? null),
    detect,
    ...designPart(design),
  };
}

async function knownUsage(
  project: Project,
  ids: readonly string[],
  earlier: Earlier | null,
): Promise<{ usage: ReadonlyMap<string, CaseUsage>; from: string | null }> {
  if (earlier !== null) return { usage: usageSeen(earlier.rows), from: `run ${earlier.id}` };
  const usage = await recordedUsage(recordingsDir(project), ids);
  return { usage, from: usage.size === 0 ? null : "recordings" };
}

function share(flag: string, text: string): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  return value > 0 && value < 1
    ? value
    : fail("bad-setting", { key: flag }, `expected a share between 0 and 1, got ${JSON.stringify(text)}`);
}
