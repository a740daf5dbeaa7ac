import type { TrialLine } from "../core/nouns/run.ts";
import type { Listener, Store, TrialPlan } from "./ports.ts";

/** What the runner needs; how a trial is run is handed in. */
export interface RunnerDeps {
  /** Runs one trial; never throws. */
  runTrial(plan: TrialPlan, signal: AbortSignal): Promise<TrialLine>;
  readonly store: Store;
  readonly listener: Listener;
  /** Trials in flight at the most. */
  readonly concurrency: number;
  /** Aborted by Ctrl-C or a time limit: nothing new is started and what is in flight ends at once. */
  readonly signal: AbortSignal;
  /** Whether nothing new may be started, while what is in flight goes on to its end: a budget is used up. */
  closed(): boolean;
  /** Seen by the caller after each stored trial: budgets are kept here. */
  finished(line: TrialLine): void;
}

/**
 * Runs the plans in their order, `concurrency` at a time, and stores each trial when it ends. Plans are pulled one by
 * one and lines let go at once, so memory does not grow with their number. A trial cut short by the signal is not
 * stored: `--resume` runs it again. Rejects when the store fails (a full disk), after the trials in flight ended.
 */
export async function runAll(plans: Iterable<TrialPlan>, deps: RunnerDeps): Promise<void> {
  const queue = plans[Symbol.iterator]();
  const stop = new AbortController();
  const signal = AbortSignal.any([deps.signal, stop.signal]);
  let fault: unknown = null;
  const worker = async (): Promise<void> => {
    for (let next = queue.next(); !signal.aborted && !deps.closed() && !next.done; next = queue.next()) {
      try {
        await runOne(next.value, deps, signal);
      } catch (error) {
        fault ??= error;
        stop.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, deps.concurrency) }, worker));
  if (fault !== null) throw fault;
}

async function runOne(plan: TrialPlan, deps: RunnerDeps, signal: AbortSignal): Promise<void> {
  const line = await deps.runTrial(plan, signal);
  if (signal.aborted && line.status === "broken") return;
  await deps.store.append(line);
  deps.finished(line);
  deps.listener.tell({ type: "trial", line });
}
