import type { Score } from "../core/nouns/score.ts";
import type { Listener, RunEvent } from "../run/ports.ts";
import { count } from "../core/text/count.ts";

/** Where progress goes and what the terminal can do. */
export interface ProgressOptions {
  write(text: string): void;
  readonly interactive: boolean;
  readonly width: number;
  now(): number;
}

interface Counts {
  planned: number;
  done: number;
  fresh: number;
  failed: number;
  stopped: number;
  broken: number;
  replayed: number;
}

/**
 * Progress on stderr: counts, rate and time left. On a terminal one line is redrawn at most ten times a second;
 * elsewhere (CI) a line is printed at tenths of the run, two seconds apart at the least, and for each wait of over five.
 */
export function progress(options: ProgressOptions): Listener {
  const counts: Counts = { planned: 0, done: 0, fresh: 0, failed: 0, stopped: 0, broken: 0, replayed: 0 };
  let started = 0;
  let drawn = Number.NEGATIVE_INFINITY;
  let tenth = 0;
  const draw = (end: boolean): void => {
    const line = describe(counts, (options.now() - started) / 1000);
    options.write(`\r\u001b[2K${line.slice(0, Math.max(10, options.width - 1))}${end ? "\n" : ""}`);
    drawn = options.now();
  };
  const say = (text: string): void =>
    options.write(options.interactive ? `\r\u001b[2K${text}\n` : `${text}\n`);
  const step = (): void => {
    if (options.interactive) {
      if (options.now() - drawn >= 100) draw(false);
      return;
    }
    const now = counts.planned === 0 ? 10 : Math.floor((counts.done * 10) / counts.planned);
    if (now <= tenth || now >= 10 || options.now() - drawn < 2000) return;
    drawn = options.now();
    say(describe(counts, (options.now() - started) / 1000));
    tenth = now;
  };
  const finish = (): void => {
    if (options.interactive) draw(true);
    else say(describe(counts, (options.now() - started) / 1000));
  };
  const tell = (event: RunEvent): void => {
    if (event.type === "start") {
      started = options.now();
      if (!options.interactive) drawn = started;
      counts.planned = event.trials;
      counts.done = event.done;
      say(startLine(event));
    } else if (event.type === "trial") {
      tally(counts, event);
      step();
    } else if (event.type === "wait") {
      if (event.seconds > 5) say(`waiting ${Math.round(event.seconds)} s: ${event.reason}`);
    } else finish();
  };
  return { tell };
}

function startLine(event: Extract<RunEvent, { type: "start" }>): string {
  const resumed = event.done === 0 ? "" : `, ${event.done} of them done before`;
  return `${event.trials} trials: ${count(event.cases, "case")} in two arms${resumed}`;
}

function tally(counts: Counts, event: Extract<RunEvent, { type: "trial" }>): void {
  counts.done += 1;
  counts.fresh += 1;
  if (event.line.status === "broken") counts.broken += 1;
  if (event.line.status === "stopped") counts.stopped += 1;
  if (event.line.replies === "replayed") counts.replayed += 1;
  if (Object.values(event.line.scores).some(isMiss)) counts.failed += 1;
}

/** Something the case expects did not hold. */
function isMiss(score: Score): boolean {
  return (score.evidence ?? []).some((item) => !item.passed);
}

function describe(counts: Counts, seconds: number): string {
  const rate = seconds > 0 ? counts.fresh / seconds : 0;
  const left = counts.planned - counts.done;
  const parts = [`${counts.done}/${counts.planned} trials`];
  if (counts.failed > 0) parts.push(`${counts.failed} missed a check`);
  if (counts.stopped > 0) parts.push(`${counts.stopped} stopped`);
  if (counts.broken > 0) parts.push(`${counts.broken} broken`);
  if (counts.replayed > 0) parts.push(`${counts.replayed} replayed`);
  if (rate > 0) parts.push(`${rate >= 10 ? Math.round(rate) : rate.toFixed(1)}/s`);
  parts.push(left > 0 && rate > 0 ? `${duration(left / rate)} left` : `${duration(seconds)}`);
  return parts.join(" · ");
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
