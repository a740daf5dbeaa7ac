import { createHash } from "node:crypto";
import { join } from "node:path";
import { Case } from "../../src/core/nouns/case.ts";
import { RunRecord, TrialLine } from "../../src/core/nouns/run.ts";
import { type Arm, ARMS } from "../../src/core/nouns/score.ts";
import type { Summary } from "../../src/core/nouns/summary.ts";
import type { Event, Outcome } from "../../src/core/nouns/transcript.ts";
import { rowOf } from "../../src/core/summary/rows.ts";
import { summarise } from "../../src/core/summary/summarise.ts";
import { createRun } from "../../src/io/run-store.ts";
import { writeAtomically } from "../../src/io/files.ts";

/** One arm of a made-up run: what was typed, its layers by path and its skills by name. */
export interface ArmSpec {
  readonly variant?: string;
  readonly commit?: string | null;
  readonly layers?: Readonly<Record<string, string>>;
  readonly skills?: Readonly<Record<string, { description?: string; body: string; enabled?: boolean }>>;
}

/** One step of a trial; `calls` are made in one reply, their results follow. */
export type StepSpec =
  | { readonly user: string; readonly injected?: readonly string[] }
  | { readonly says: string }
  | {
      readonly says?: string;
      readonly calls: readonly { name: string; args?: unknown; result?: string; error?: boolean }[];
    };

/** One trial; what is not given is a finished trial with one reply. */
export interface TrialSpec {
  readonly case: string;
  readonly arm: Arm;
  readonly trial?: number;
  readonly steps?: readonly StepSpec[];
  readonly answer?: string;
  readonly outcome?: Outcome;
  /** 1 passes, 0 fails, null: not scored. */
  readonly completion?: number | null;
  readonly tools?: number | null;
  /** Failed checks by name, with what was seen. */
  readonly failed?: Readonly<Record<string, string>>;
  readonly replies?: TrialLine["replies"];
  readonly seconds?: number;
}

/** A made-up run. */
export interface RunSpec {
  readonly runId?: string;
  readonly cases: readonly (string | (Partial<Case> & { id: string }))[];
  readonly trials: readonly TrialSpec[];
  readonly baseline?: ArmSpec | null;
  readonly candidate?: ArmSpec | null;
  readonly commits?: RunRecord["commits"];
  readonly notes?: readonly string[];
  readonly kind?: "run" | "import";
  readonly model?: string | null;
  readonly policy?: Partial<RunRecord["policy"]>;
}

/** All three of a made-up run, as they would be read from its folder; the summary is the real one of these trials. */
export interface MadeRun {
  readonly record: RunRecord;
  readonly lines: readonly TrialLine[];
  readonly summary: Summary;
}

/** Makes a run; every part goes through the schema that run folders are read with. */
export function makeRun(spec: RunSpec): MadeRun {
  const lines = spec.trials.map(trialLine);
  const record = recordOf(spec, Math.max(1, ...lines.map((line) => line.trial)));
  return { record, lines, summary: summarise(record, lines.map(rowOf)) };
}

/** Writes the run into `dir/reports/<run id>` as a finished run leaves it, but for the reports. Returns its folder. */
export async function writeMadeRun(dir: string, run: MadeRun): Promise<string> {
  const writer = await createRun(join(dir, "reports"), run.record);
  for (const line of run.lines) await writer.append(line);
  await writer.close();
  await writeAtomically(join(writer.dir, "summary.json"), JSON.stringify(run.summary));
  return writer.dir;
}

/** The same trial several times over, numbered from 1. */
export function times(count: number, spec: TrialSpec): TrialSpec[] {
  return Array.from({ length: count }, (_, at) => ({ ...spec, trial: at + 1 }));
}

const COMMITS: Readonly<Record<Arm, string>> = {
  baseline: "1f3c".repeat(10),
  candidate: "9ab2".repeat(10),
};
const LABELS: Readonly<Record<Arm, string>> = { baseline: "main", candidate: "branch" };

function recordOf(spec: RunSpec, trials: number): RunRecord {
  const texts: Record<string, string> = {};
  const armOf = (arm: Arm) => {
    const own = spec[arm];
    if (own === null) return null;
    const record = armRecord(arm, own ?? {}, texts);
    // Of results made elsewhere no more than the arm's name is known.
    return spec.kind === "import" ? { ...record, digest: null } : record;
  };
  const arms = { baseline: armOf("baseline"), candidate: armOf("candidate") };
  return RunRecord.parse({
    ...{ schema: "evalkit.run/1", runId: spec.runId ?? "made-up-run", createdAt: "2026-01-02T03:04:05.000Z" },
    ...{ evalkit: "0.1.0", node: "v20.0.0", kind: spec.kind ?? "run", aa: false, seed: 7, trials },
    ...{ arms, commits: spec.commits ?? [], caseChanges: null, settings: [], texts, notes: spec.notes ?? [] },
    cases: spec.cases.map((one) => caseEntry(typeof one === "string" ? { id: one } : one)),
    model: {
      name: spec.model === undefined ? "stub-model" : spec.model,
      ...{ server: "models.example.test", request: {}, replay: "auto" },
    },
    policy: {
      ...{ metrics: ["taskCompletion", "toolCallAccuracy"], margin: 0.05, alpha: 0.05, coverage: 0.95 },
      ...{ critical: true, caseRegressions: true, allowRemoved: [], allowChanged: [], maxCostIncrease: null },
      ...{ human: [], undecided: "fail", ...spec.policy },
    },
  });
}

function caseEntry(given: Partial<Case> & { id: string }) {
  const { id } = given;
  const own = { title: id, source: { file: "cases/made.yaml", line: 1 }, turns: [{ user: `Do ${id}.` }] };
  return { id, digest: digest(id), case: Case.parse({ ...own, ...given }) };
}

function armRecord(arm: Arm, spec: ArmSpec, texts: Record<string, string>) {
  const keep = (text: string): string => {
    const key = digest(text);
    texts[key] = text;
    return key;
  };
  const layers = Object.entries(spec.layers ?? {}).map(([path, text]) => ({
    ...{ path, tier: "builtin", file: `prompts/${path}`, replaces: [], digest: keep(text) },
    bytes: Buffer.byteLength(text),
  }));
  const skills = Object.entries(spec.skills ?? {}).map(
    ([name, { description = name, body, enabled = true }]) => ({
      ...{ name, description, tier: "builtin", file: `skills/${name}/SKILL.md`, replaces: [], enabled },
      ...{ digest: digest(description + body), bodyDigest: keep(body) },
    }),
  );
  const commit = spec.commit === undefined ? COMMITS[arm] : spec.commit;
  return {
    ...{ variant: spec.variant ?? LABELS[arm], commit, dirty: false, digest: digest(arm) },
    ...{
      profile: "layered",
      delivery: "next-user-message",
      model: null,
      layers,
      skills,
      tools: {},
      notes: [],
    },
    skillCounts: { found: skills.length, loaded: skills.length, refused: 0 },
  };
}

function trialLine(spec: TrialSpec): TrialLine {
  const outcome = spec.outcome ?? { status: "finished" };
  const steps = spec.steps ?? [{ user: `Do ${spec.case}.` }, { says: spec.answer ?? "Done." }];
  const events = eventsOf(steps);
  const turns = events.filter((event) => event.type === "reply").length;
  const evidence = Object.entries(spec.failed ?? {}).map(([check, detail]) => ({
    check,
    passed: false,
    detail,
  }));
  const score = (value: number | null | undefined) =>
    value === null
      ? { status: "unscored", reason: "the case has none" }
      : { status: "scored", value: value ?? 1, evidence };
  const last = steps.findLast((step) => "says" in step && step.says !== undefined);
  return TrialLine.parse({
    ...{ case: spec.case, arm: spec.arm, trial: spec.trial ?? 1, status: outcome.status, outcome, events },
    answer: spec.answer ?? (last !== undefined && "says" in last ? last.says : ""),
    scores: {
      ...{ taskCompletion: score(spec.completion), toolCallAccuracy: score(spec.tools) },
      turns: { status: "scored", value: turns, evidence: [] },
    },
    ...{
      replies: spec.replies ?? "live",
      startedAt: "2026-01-02T03:04:06.000Z",
      seconds: spec.seconds ?? 1.5,
    },
  });
}

function eventsOf(steps: readonly StepSpec[]): Event[] {
  const events: Event[] = [
    { type: "conversation", conversation: 0, role: "agent", promptDigest: digest("system"), tools: [] },
  ];
  let turn = 0;
  for (const step of steps) {
    if ("user" in step) {
      events.push({ type: "user", conversation: 0, text: step.user, injected: [...(step.injected ?? [])] });
      continue;
    }
    turn += 1;
    const made = "calls" in step ? step.calls : [];
    const calls = made.map(({ name, args = {} }, at) => ({
      ...{ id: `call-${turn}-${at}`, name },
      arguments: typeof args === "string" ? args : JSON.stringify(args),
    }));
    const reply = {
      content: step.says ?? "",
      reasoning: "",
      calls,
      finish: "stop",
      usage: null,
      model: null,
      notes: [],
    };
    events.push({ type: "reply", conversation: 0, turn, reply, ms: 100, attempts: 1, replayed: false });
    for (const [at, { name, result = "ok", error = false }] of made.entries())
      events.push({ type: "tool", conversation: 0, callId: `call-${turn}-${at}`, name, result, error });
  }
  return events;
}

/** As run folders write digests. */
export function digest(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/** Both arms of a case, each trial passing or failing as given: `pass("c", "110", "000")`. */
export function marks(
  id: string,
  baseline: string,
  candidate: string,
  more: Partial<TrialSpec> = {},
): TrialSpec[] {
  const of = { baseline, candidate };
  return ARMS.flatMap((arm) =>
    [...of[arm]].map((mark, at) => ({
      ...{ case: id, arm, trial: at + 1, completion: Number(mark), tools: Number(mark) },
      ...(mark === "1" ? {} : { failed: { "completion[0] answer contains": "the answer lacks it" } }),
      ...more,
    })),
  );
}
