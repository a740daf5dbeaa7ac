import { join } from "node:path";
import { Case } from "../../src/core/nouns/case.ts";
import { RunRecord, TrialLine } from "../../src/core/nouns/run.ts";
import { ARMS, type Arm } from "../../src/core/nouns/score.ts";
import type { Event } from "../../src/core/nouns/transcript.ts";
import { createRun } from "../../src/io/run-store.ts";

/** What a trial of a made-up run did; the rest is filled in. */
export interface TrialSpec {
  readonly case: string;
  readonly arm: Arm;
  readonly trial: number;
  readonly answer?: string;
  readonly events?: readonly Event[];
  readonly status?: "finished" | "stopped" | "broken";
  readonly completion?: 0 | 1;
}

export const COMMITS: Readonly<Record<Arm, string>> = {
  baseline: "a1b2c3d4".repeat(5),
  candidate: "d9e8f7a6".repeat(5),
};
export const MODEL = "acme/glow-9b-chat";

function armRecord(arm: Arm) {
  return {
    ...{ variant: arm === "baseline" ? "main" : "feature/short-answers", commit: COMMITS[arm], dirty: false },
    ...{ digest: `sha256:${arm}`, profile: "layered", delivery: "next-user-message", model: null },
    ...{ layers: [], skills: [], skillCounts: { found: 0, loaded: 0, refused: 0 }, tools: {}, notes: [] },
  };
}

/** A run record over these cases. */
export function runRecord(
  cases: readonly string[],
  trials: number,
  runId = "2026-11-30-short-answers",
): RunRecord {
  return RunRecord.parse({
    ...{
      schema: "evalkit.run/1",
      runId,
      createdAt: "2026-11-30T10:00:00.000Z",
      evalkit: "0.1.0",
      node: "20",
    },
    ...{
      kind: "run",
      aa: false,
      seed: 7,
      trials,
      commits: [],
      caseChanges: null,
      texts: {},
      notes: [],
      settings: [],
    },
    arms: { baseline: armRecord("baseline"), candidate: armRecord("candidate") },
    cases: cases.map((id) => ({
      id,
      digest: `sha256:${id}`,
      case: Case.parse({
        ...{ id, title: id, source: { file: `${id}.yaml`, line: 1 } },
        turns: [{ user: `Please do what ${id} says.` }],
      }),
    })),
    model: { name: MODEL, server: "models.example.test", request: {}, replay: "auto" },
    policy: {
      ...{ metrics: ["taskCompletion"], margin: 0.05, alpha: 0.05, coverage: 0.95, critical: true },
      ...{ caseRegressions: true, allowRemoved: [], allowChanged: [], maxCostIncrease: null, human: [] },
      undecided: "fail",
    },
  });
}

/** A transcript with one tool call and an answer. */
export function eventsOf(spec: TrialSpec): Event[] {
  const reply = { reasoning: "", finish: "stop", usage: null, model: MODEL, notes: [] };
  const place = { type: "reply", conversation: 0, ms: 5, attempts: 1, replayed: false } as const;
  const call = { id: "call_1", name: "read_file", arguments: '{"path":"notes.md"}' };
  return [
    { type: "conversation", conversation: 0, role: "agent", promptDigest: "sha256:p", tools: ["read_file"] },
    { type: "user", conversation: 0, text: `Please do what ${spec.case} says.`, injected: [] },
    { ...place, turn: 1, reply: { ...reply, content: "", calls: [call] } },
    {
      type: "tool",
      conversation: 0,
      callId: "call_1",
      name: "read_file",
      result: "line one\nline two",
      error: false,
    },
    { ...place, turn: 2, reply: { ...reply, content: answerOf(spec), calls: [] } },
  ];
}

function answerOf(spec: TrialSpec): string {
  return (
    spec.answer ??
    `Done ${spec.case} (${spec.arm === "baseline" ? "one way" : "another way"}, ${spec.trial}).`
  );
}

export function trialLine(spec: TrialSpec): TrialLine {
  const status = spec.status ?? "finished";
  const failure = { kind: "network", message: "gone", status: null, attempts: 4 };
  const outcome =
    status === "broken"
      ? { status, failure }
      : status === "stopped"
        ? { status, limit: "turns", message: "6 turns" }
        : { status };
  const completion = { status: "scored", value: spec.completion ?? 1, evidence: [] };
  return TrialLine.parse({
    ...{ case: spec.case, arm: spec.arm, trial: spec.trial, status, outcome },
    answer: status === "broken" ? "" : answerOf(spec),
    events: spec.events ?? (status === "broken" ? [] : eventsOf(spec)),
    scores: status === "broken" ? {} : { taskCompletion: completion },
    ...{ replies: "live", startedAt: "2026-11-30T10:00:01.000Z", seconds: 1.5 },
  });
}

/** All trials of both arms of `cases` cases named c01, c02, … */
export function allTrials(cases: number, trials: number): TrialSpec[] {
  return caseIds(cases).flatMap((id) =>
    ARMS.flatMap((arm) => Array.from({ length: trials }, (_, at) => ({ case: id, arm, trial: at + 1 }))),
  );
}

export function caseIds(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `c${String(at + 1).padStart(2, "0")}`);
}

/** Writes the run into `dir/reports` and returns its id. */
export async function writeRun(dir: string, specs: readonly TrialSpec[], runId?: string): Promise<string> {
  const ids = [...new Set(specs.map((spec) => spec.case))];
  const record = runRecord(ids, Math.max(...specs.map((spec) => spec.trial)), runId);
  const writer = await createRun(join(dir, "reports"), record);
  for (const spec of specs) await writer.append(trialLine(spec));
  await writer.close();
  return record.runId;
}
