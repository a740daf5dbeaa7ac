import type { RunRecord } from "../nouns/run.ts";
import type { Arm } from "../nouns/score.ts";
import { canonicalJson } from "../case/digest.ts";
import { caseChanges } from "../record/case-changes.ts";
import { judgeSettings } from "../record/judge-settings.ts";
import { plannedTrials } from "../summary/arm.ts";
import type { TrialRow } from "../summary/rows.ts";

/** An arm of a saved run with its rows. */
export interface ArmOfRun {
  readonly record: RunRecord;
  readonly arm: Arm;
  readonly rows: readonly TrialRow[];
}

/** Two arms of different runs put together as one run that can be summarised. */
export interface CrossRun {
  readonly record: RunRecord;
  readonly rows: readonly TrialRow[];
}

/**
 * Puts arms of two runs side by side. Planned trials that a run never got to count as broken, so that coverage is as
 * bad as it was. Cases that only the first has count as removed, those with another digest as changed.
 */
export function crossRun(
  first: ArmOfRun,
  second: ArmOfRun,
  policy: Pick<RunRecord, "policy" | "settings">,
): CrossRun {
  const { record } = second;
  return {
    record: {
      ...record,
      ...policy,
      runId: `${first.record.runId}#${first.arm}..${record.runId}#${second.arm}`,
      kind: "import",
      aa: false,
      trials: Math.max(first.record.trials, record.trials),
      planned: { baseline: plannedIn(first), candidate: plannedIn(second) },
      arms: { baseline: armOf(first), candidate: armOf(second) },
      commits: [],
      cases: union(record.cases, first.record.cases),
      caseChanges: changesBetween(first.record, record),
      sequential: null,
      notes: [
        ...modelNotes(first, second),
        ...judgeNotes(first, second),
        ...sequentialNotes(first.record),
        ...sequentialNotes(record),
      ],
    },
    rows: [...armRows(first, "baseline"), ...armRows(second, "candidate")],
  };
}

function plannedIn({ record, arm, rows }: ArmOfRun): number {
  return plannedTrials(record, arm, rows);
}

/** An arm with the model that its own run asked: the two may differ. */
function armOf({ record, arm }: ArmOfRun): RunRecord["arms"][Arm] {
  const own = record.arms[arm];
  return own === null ? null : { ...own, model: own.model ?? record.model.name };
}

/** Prompts are compared only where nothing else differs. */
function modelNotes(first: ArmOfRun, second: ArmOfRun): string[] {
  const models = [armOf(first)?.model ?? null, armOf(second)?.model ?? null];
  if (models.includes(null)) return [];
  const named = models[0] === models[1] ? [] : [`the models differ: ${models.join(" against ")}`];
  const [before, now] = [first, second].map(({ record }) => canonicalJson(record.model.request));
  const sent = before === now ? [] : [`the settings sent to the model differ: ${before} against ${now}`];
  return [...named, ...sent].map((text) => `warning: ${text}: this compares more than prompts and skills`);
}

/** A difference may be that of two judges. */
function judgeNotes(first: ArmOfRun, second: ArmOfRun): string[] {
  const [before, now] = [first, second].map(({ record }) => judgeSettings(record));
  if (!before || !now) return [];
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((key) => {
    const [was, is] = [before, now].map((settings) => {
      const known = settings.get(key);
      return known === undefined ? "unknown" : String(known.value);
    });
    return was === is
      ? []
      : [`warning: ${key} differs: ${was} against ${is}: judged checks can't be compared`];
  });
}

function armRows({ record, arm, rows }: ArmOfRun, as: Arm): TrialRow[] {
  const own = rows.filter((row) => row.arm === arm).map((row) => ({ ...row, arm: as }));
  if (record.kind === "import" || record.sequential) return own;
  const there = new Set(own.map((row) => JSON.stringify([row.case, row.trial])));
  const missing = record.cases.flatMap(({ id }) =>
    Array.from({ length: record.trials }, (_, at) => at + 1)
      .filter((trial) => !there.has(JSON.stringify([id, trial])))
      .map(
        (trial): TrialRow => ({
          case: id,
          arm: as,
          trial,
          status: "broken",
          scores: {},
          tokens: null,
          cost: null,
          brokenKind: "never-ran",
        }),
      ),
  );
  return [...own, ...missing];
}

function union(cases: RunRecord["cases"], others: RunRecord["cases"]): RunRecord["cases"] {
  const known = new Set(cases.map(({ id }) => id));
  return [...cases, ...others.filter(({ id }) => !known.has(id))];
}

/** Imported cases have no digest: they are told apart by id alone. */
function changesBetween(first: RunRecord, second: RunRecord): RunRecord["caseChanges"] {
  const digests = (record: RunRecord, other: RunRecord): Map<string, string> => {
    const unknown = new Set(other.cases.filter(({ digest }) => digest === "").map(({ id }) => id));
    return new Map(record.cases.map(({ id, digest }) => [id, unknown.has(id) ? "" : digest]));
  };
  return caseChanges(digests(first, second), digests(second, first));
}

function sequentialNotes(record: RunRecord): string[] {
  return record.sequential
    ? [
        `${record.runId} was a sequential run: its stopping was decided by its own comparison, not by this one`,
      ]
    : [];
}
