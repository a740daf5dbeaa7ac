import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { Settings } from "../../core/config/settings.ts";
import type { Case } from "../../core/nouns/case.ts";
import type { RunRecord, TrialLine } from "../../core/nouns/run.ts";
import type { Arm } from "../../core/nouns/score.ts";
import { Faults } from "../../core/record/faults.ts";
import { silentTools } from "../../core/record/silent-tools.ts";
import { nextLook } from "../../core/sequential/next-look.ts";
import { rowOf, type TrialRow } from "../../core/summary/rows.ts";
import type { Brought } from "../../io/branch-recordings.ts";
import { systemClock } from "../../io/clock.ts";
import { sha256 } from "../../io/digest.ts";
import { progress } from "../../io/progress.ts";
import type { RunWriter } from "../../io/run-store.ts";
import { isCi } from "../../io/merge-target.ts";
import { type ShellPool, shellPool } from "../../io/shell-pool.ts";
import { budgetKeeper } from "../../run/budget.ts";
import type { Listener, TrialPlan } from "../../run/ports.ts";
import { refusalKeeper } from "../../run/refusals.ts";
import { runAll } from "../../run/runner.ts";
import { schedule } from "../../run/schedule.ts";
import { type ArmSetup, runTrial, type TrialDeps } from "../../run/trial.ts";
import type { CliIo } from "../command.ts";
import type { Variants } from "./arms.ts";
import { runJudge } from "./judge.ts";
import { broughtRecordings, testedModel } from "./model.ts";
import { stopping } from "./stopping.ts";
import { trialKey } from "../../core/record/trial-key.ts";

/** A run that is ready to be paid for. */
export interface ReadyRun {
  readonly root: string;
  readonly settings: Settings;
  readonly record: RunRecord;
  readonly cases: readonly Case[];
  readonly arms: Variants;
  readonly writer: RunWriter;
  /** Rows of trials that a resumed run has already. */
  readonly done: readonly TrialRow[];
  readonly mask: (text: string) => string;
  /** Headers that hold no secret, a part of the recordings' keys. */
  readonly openHeaders: Readonly<Record<string, string>>;
}

/** What became of it. `stopped` says why not all trials were run. */
export interface ExecutedRun {
  readonly rows: readonly TrialRow[];
  readonly texts: Readonly<Record<string, string>>;
  readonly interrupted: boolean;
  readonly stopped: string | null;
  /** Why a sequential run ended before all cases were seen: it is decided. */
  readonly settled: string | null;
  readonly notes: readonly string[];
}

/** Runs the trials that are missing. Finished ones are on disk whatever happens afterwards. */
export async function execute(run: ReadyRun, io: CliIo): Promise<ExecutedRun> {
  const { settings, record, writer } = run;
  const { state, signal, close, release } = stopping(settings);
  const listener = listenerFor(io, settings);
  const ledger = ledgerOf(run, close);
  const texts: Record<string, string> = { ...record.texts };
  const brought = await broughtRecordings(run, record.arms.baseline?.commit ?? null, io);
  const deps = await trialDeps(run, listener, texts, brought, { signal, close }, io.env);
  let settled: string | null = null;
  try {
    listener.tell({
      type: "start",
      trials: record.trials * run.cases.length * 2,
      cases: run.cases.length,
      done: run.done.length,
    });
    const closed = () => state.stopped !== null;
    const runBlock = (cases: readonly Case[]) =>
      runAll(schedule(cases, record.trials, ledger.done), {
        runTrial: (plan, signal) => runTrial(plan, armSetup(run, plan), { ...deps.trial, signal }),
        store: writer,
        listener,
        concurrency: settings.concurrency,
        signal,
        closed,
        finished: ledger.take,
      });
    settled = await inBlocks(run, ledger.rows, closed, runBlock);
    listener.tell({ type: "end" });
  } finally {
    release();
    await Promise.allSettled([writer.close(), deps.close()]);
  }
  return { rows: ledger.rows, texts, ...state, settled, notes: [...deps.notes(), ...ledger.notes()] };
}

/** What is kept of ended trials. It closes the run when a budget is used up or every request is refused. */
function ledgerOf(run: ReadyRun, close: (reason: string) => void) {
  const { prices, judge, limits, concurrency } = run.settings;
  const modelUnder = ({ arm }: { readonly arm: Arm }) => modelOf(run, arm);
  const budget = { tokens: limits.runTokens, cost: limits.runCost, prices, judge: judge.model };
  const spent = budgetKeeper(budget, modelUnder, close);
  const refused = refusalKeeper(concurrency, modelUnder, close);
  const faults = new Faults();
  const rows: TrialRow[] = [...run.done];
  const done = new Set(run.done.map(trialKey));
  return {
    rows,
    done,
    take: (line: TrialLine): void => {
      rows.push(rowOf(line));
      done.add(trialKey(line));
      spent(line);
      refused(line);
      faults.add(line);
    },
    notes: (): string[] => {
      const silent = silentTools(rows);
      return [...faults.sentences(), ...(silent === null ? [] : [silent])];
    },
  };
}

/**
 * Runs all cases at once, or a sequential run's block after block until its rule says stop. Returns the rule's sentence
 * when cases were left out because the verdict stands.
 */
async function inBlocks(
  run: ReadyRun,
  rows: readonly TrialRow[],
  stopped: () => boolean,
  runBlock: (cases: readonly Case[]) => Promise<void>,
): Promise<string | null> {
  if (run.record.sequential === null) {
    await runBlock(run.cases);
    return null;
  }
  const byId = new Map(run.cases.map((item) => [item.id, item]));
  const { order, looks } = run.record.sequential;
  for (const look of looks) {
    const seen = new Set(order.slice(0, look));
    await runBlock(order.slice(0, look).flatMap((id) => byId.get(id) ?? []));
    if (stopped()) return null;
    const next = nextLook(
      run.record,
      rows.filter((row) => seen.has(row.case)),
    );
    if (next.stop) return next.why === "all-seen" ? null : next.sentence;
  }
  return null;
}

function armSetup(run: ReadyRun, { key }: TrialPlan): ArmSetup {
  const variant = run.arms[key.arm];
  return { arm: key.arm, variant, model: modelOf(run, key.arm), salt: saltOf(run.record, key.arm) };
}

/** The model of an arm: its `+model:` suffix, else the run's. */
export function modelOf(run: Pick<ReadyRun, "arms" | "settings">, arm: Arm): string {
  return run.arms[arm].model ?? run.settings.model ?? "";
}

/** Both arms of an A/A run send the same requests; the salt keeps their recordings apart. */
function saltOf(record: RunRecord, arm: Arm): string {
  return record.aa && arm === "candidate" ? "candidate" : "";
}

async function trialDeps(
  run: ReadyRun,
  listener: Listener,
  texts: Record<string, string>,
  brought: Brought | null,
  ending: { readonly signal: AbortSignal; close(reason: string): void },
  env: CliIo["env"],
) {
  const { settings, root, mask, openHeaders } = run;
  const input = {
    root,
    settings,
    openHeaders,
    mask,
    env,
    clock: systemClock,
    brought,
    stop: ending.close,
    onWait: (reason: string, seconds: number) => listener.tell({ type: "wait", reason, seconds }),
  };
  const model = await testedModel(input);
  const judge = await runJudge(input);
  const shells = shellThreads();
  const trial: TrialDeps = {
    model,
    judge: judge?.judge ?? null,
    clock: systemClock,
    digest: sha256,
    limits: settings.limits,
    prices: settings.prices,
    signal: ending.signal,
    ...(shells === null ? {} : { openShell: shells.open }),
    keepText: (digest, text) => {
      texts[digest] = text;
    },
  };
  return {
    trial,
    close: () => Promise.allSettled([shells?.close()]),
    notes: () => [...model.stats().notes, ...(judge?.model.stats().notes ?? [])],
  };
}

/** Threads for commands; none where this file was not built, as in tests of the sources. */
function shellThreads(): ShellPool | null {
  const worker = new URL("./shell-worker.js", import.meta.url);
  if (!existsSync(worker)) return null;
  return shellPool({ worker, threads: Math.max(1, Math.min(4, availableParallelism())) });
}

function listenerFor(io: CliIo, settings: Settings): Listener {
  if (settings.quiet) return { tell: () => undefined };
  return progress({
    write: (text) => void process.stderr.write(text),
    interactive: process.stderr.isTTY === true && !isCi(io.env),
    width: io.width,
    now: () => performance.now(),
  });
}
