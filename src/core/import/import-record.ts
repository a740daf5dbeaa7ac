import type { ArmRecord, GatePolicy, RunRecord, TrialLine } from "../nouns/run.ts";
import type { Arm } from "../nouns/score.ts";
import { count } from "../text/count.ts";
import { importedTrials } from "../record/imported-trials.ts";
import { caseChanges } from "../record/case-changes.ts";
import type { ImportedRow } from "./parse-results.ts";

/** What an imported run is made of besides its rows. */
export interface ImportOptions {
  readonly runId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly evalkit: string;
  readonly node: string;
  readonly policy: GatePolicy;
  readonly seed: number;
  readonly settings: RunRecord["settings"];
  /** Where the results came from, as given by the user. */
  readonly source: string;
}

/** run.json of imported results. Cases that the candidate lacks count as removed, those only it has as added. */
export function importRecord(rows: readonly ImportedRow[], options: ImportOptions): RunRecord {
  const ids = [...new Set(rows.map((row) => row.case))].sort();
  const has = (arm: Arm): boolean => rows.some((row) => row.arm === arm);
  return {
    schema: "evalkit.run/1",
    runId: options.runId,
    createdAt: options.at,
    evalkit: options.evalkit,
    node: options.node,
    kind: "import",
    aa: false,
    seed: options.seed,
    trials: mostTrials(rows),
    arms: {
      baseline: has("baseline") ? importedArm("baseline") : null,
      candidate: has("candidate") ? importedArm("candidate") : null,
    },
    commits: [],
    cases: ids.map((id) => ({ id, digest: "", case: null })),
    caseChanges:
      has("baseline") && has("candidate")
        ? caseChanges(idsOf(rows, "baseline"), idsOf(rows, "candidate"))
        : null,
    judgePrompt: null,
    policyChanges: [],
    model: { name: null, server: null, request: {}, replay: "off" },
    settings: options.settings,
    policy: options.policy,
    sequential: null,
    planned: { baseline: importedTrials(rows, "baseline"), candidate: importedTrials(rows, "candidate") },
    texts: {},
    notes: [`imported from ${options.source}: ${count(rows.length, "result")}, ${count(ids.length, "case")}`],
  };
}

/** An arm of which nothing is known but its name. */
export function importedArm(variant: string): ArmRecord {
  return {
    variant,
    commit: null,
    dirty: false,
    digest: null,
    profile: null,
    delivery: null,
    model: null,
    layers: [],
    skills: [],
    skillCounts: { found: 0, loaded: 0, refused: 0 },
    tools: {},
    notes: [],
  };
}

/** A row as a line of trials.jsonl: scores without evidence, no transcript. */
export function importedLine(row: ImportedRow, at: string): TrialLine {
  return {
    case: row.case,
    arm: row.arm,
    trial: row.trial,
    status: row.status,
    outcome: outcomeOf(row.status),
    answer: "",
    events: [],
    scores: Object.fromEntries(
      Object.entries(row.scores).map(([metric, value]) => [
        metric,
        { status: "scored", value, evidence: [] },
      ]),
    ),
    replies: "none",
    startedAt: at,
    seconds: 0,
    judge: null,
  };
}

function outcomeOf(status: ImportedRow["status"]): TrialLine["outcome"] {
  switch (status) {
    case "finished":
      return { status };
    case "stopped":
      return { status, limit: "turns", message: "imported as stopped" };
    case "broken":
      return {
        status,
        failure: { kind: "harness", message: "imported as broken", status: null, attempts: 0 },
      };
  }
}

/** Trials count from 1: the highest number says how many there were, lost ones included. */
function mostTrials(rows: readonly ImportedRow[]): number {
  return rows.reduce((most, { trial }) => Math.max(most, trial), 0);
}

function idsOf(rows: readonly ImportedRow[], arm: Arm): Map<string, string> {
  return new Map(rows.filter((row) => row.arm === arm).map((row) => [row.case, ""]));
}
