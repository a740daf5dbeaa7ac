import { basename, dirname, join } from "node:path";
import { checksVersusPeople } from "../core/human/checks.ts";
import type { Mode } from "../core/nouns/case.ts";
import { formatProblem } from "../core/nouns/problem.ts";
import { type RunRecord, TrialLine } from "../core/nouns/run.ts";
import { type Arm, METRICS, type Metric } from "../core/nouns/score.ts";
import { clipTrial } from "../core/report/clip-trial.ts";
import type {
  ArmSample,
  CaseSample,
  ReplyCounts,
  ReportInput,
  SentPrompt,
  TrialCell,
} from "../core/report/input.ts";
import { casesOfInterest } from "../core/report/interest.ts";
import { humanPart } from "../core/report/rows.ts";
import type { Summary } from "../core/nouns/summary.ts";
import type { TrialRow } from "../core/summary/rows.ts";
import { openOf } from "../core/summary/open.ts";
import { failedTrial } from "../core/summary/passes.ts";
import { parseJson } from "../core/text/json.ts";
import { byText } from "../core/text/order.ts";
import { rewriteSummary } from "./human.ts";
import { linesOf } from "./lines.ts";
import { openRun } from "./open-run.ts";
import { readScores } from "./scores.ts";
import { type TrialHead, trialHead } from "./trial-head.ts";
import { oddLines } from "./trial-lines.ts";

/** run.json and summary.json as they lie in a run's folder. */
export interface WrittenRun {
  readonly record: RunRecord;
  readonly summary: Summary;
}

async function readWritten(runDir: string): Promise<WrittenRun> {
  const run = await openRun(dirname(runDir), basename(runDir));
  return { record: run.record, summary: (await run.summary()) ?? (await rewriteSummary(run)) };
}

/**
 * Reads all that reports are drawn from out of a run's folder. trials.jsonl is read line by line and a few shortened
 * transcripts are kept, so memory stays flat. Throws InputError when the folder holds no run.
 */
export async function readReportInput(runDir: string, written?: WrittenRun): Promise<ReportInput> {
  const { record, summary } = written ?? (await readWritten(runDir));
  const interest = casesOfInterest(summary);
  const collected = collector(record, new Set(interest.kept));
  const file = join(runDir, "trials.jsonl");
  const odd = oddLines(record);
  for await (const line of linesOf(file)) {
    const raw = parseJson(line);
    const head = trialHead(raw);
    if (odd.counts(head)) collected.take(head, raw);
  }
  const { rows, ...found } = collected.done();
  const warnings = odd.warnings();
  const human = humanPart(summary);
  const scores = human === null ? [] : await readScores(runDir);
  return {
    record: { ...record, notes: [...warnings.map(formatProblem), ...record.notes] },
    warnings,
    summary,
    ...found,
    withoutSample: interest.others,
    human,
    disagreements: checksVersusPeople(scores, rows),
  };
}

function collector(record: RunRecord, interest: ReadonlySet<string>) {
  const rows: TrialRow[] = [];
  const cells: TrialCell[] = [];
  const samples = new Map<string, Record<Arm, { passing: TrialLine | null; failing: TrialLine | null }>>();
  const replies = { baseline: noReplies(), candidate: noReplies() };
  const prompts = promptCollector(record);
  return {
    take(head: TrialHead, raw: unknown): void {
      const row = rowOf(head);
      const cell = cellOf(head, row);
      rows.push(row);
      cells.push(cell);
      replies[cell.arm][cell.replies] += 1;
      prompts.take(cell, raw);
      const shown = cell.passed ?? ((cell.openFailed ?? 0) > 0 ? false : null);
      if (interest.has(cell.case) && shown !== null) sample(samples, cell, shown, raw);
    },
    done: () => ({
      rows,
      trials: cells.sort(byKey),
      samples: samples as ReadonlyMap<string, CaseSample>,
      replies: replies satisfies Record<Arm, ReplyCounts>,
      prompts: prompts.done(),
    }),
  };
}

function noReplies(): Record<TrialLine["replies"], number> {
  return { live: 0, replayed: 0, mixed: 0, none: 0 };
}

type Samples = Map<string, Record<Arm, { -readonly [key in keyof ArmSample]: ArmSample[key] }>>;

/** Keeps the trial of the lowest number: trials end in any order, reports should not change with it. */
function sample(samples: Samples, cell: TrialCell, passed: boolean, raw: unknown): void {
  const own = samples.get(cell.case) ?? {
    baseline: { passing: null, failing: null },
    candidate: { passing: null, failing: null },
  };
  samples.set(cell.case, own);
  const slot = passed ? "passing" : "failing";
  const kept = own[cell.arm][slot];
  if (kept !== null && kept.trial <= cell.trial) return;
  const line = TrialLine.safeParse(raw);
  if (line.success) own[cell.arm][slot] = clipTrial(line.data);
}

/** System prompts by arm and role: looked up in the first trial of each mode, since modes differ in their roles. */
function promptCollector(record: RunRecord) {
  const modes = new Map(record.cases.map((entry) => [entry.id, entry.case?.mode ?? "agent"]));
  const seen = new Set<string>();
  const found: Record<Arm, Map<string, SentPrompt>> = { baseline: new Map(), candidate: new Map() };
  return {
    take(cell: TrialCell, raw: unknown): void {
      const mode: Mode = modes.get(cell.case) ?? "agent";
      const key = `${cell.arm} ${mode}`;
      if (seen.has(key) || cell.status === "broken") return;
      const line = TrialLine.safeParse(raw);
      if (!line.success) return;
      seen.add(key);
      for (const event of line.data.events) {
        if (event.type !== "conversation" || found[cell.arm].has(event.role)) continue;
        found[cell.arm].set(event.role, { role: event.role, digest: event.promptDigest });
      }
    },
    done: () => ({ baseline: [...found.baseline.values()], candidate: [...found.candidate.values()] }),
  };
}

function rowOf(head: TrialHead): TrialRow {
  const scores: Partial<Record<Metric, number>> = {};
  for (const metric of METRICS) {
    const score = head.scores[metric];
    if (score?.status === "scored") scores[metric] = score.value;
  }
  const { case: id, arm, trial, status } = head;
  const open = status === "broken" ? null : openOf(head.scores);
  return { case: id, arm, trial, status, scores, tokens: null, cost: null, brokenKind: null, open };
}

function cellOf(head: TrialHead, row: TrialRow): TrialCell {
  const { case: id, arm, trial, status, seconds, replies } = head;
  const failed = failedTrial(row);
  const passed = failed === null ? null : !failed;
  const openFailed = passed === null ? (row.open?.failed ?? null) : null;
  const turns = row.scores.turns ?? null;
  return { case: id, arm, trial, status, passed, openFailed, turns, seconds, replies };
}

function byKey(a: TrialCell, b: TrialCell): number {
  return byText(a.case, b.case) || byText(a.arm, b.arm) || a.trial - b.trial;
}
