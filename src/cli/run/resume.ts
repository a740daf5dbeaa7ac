import { camel } from "../../core/config/keys.ts";
import { Settings } from "../../core/config/settings.ts";
import { InputError } from "../../core/nouns/problem.ts";
import type { RunRecord } from "../../core/nouns/run.ts";
import type { Arm } from "../../core/nouns/score.ts";
import { differencesOf } from "../../core/record/same-run.ts";
import type { TrialRow } from "../../core/summary/rows.ts";
import { parseVariantSpec } from "../../core/variant/spec.ts";
import type { Project } from "../../io/project.ts";
import { type Mask, openWriter, type RunWriter } from "../../io/run-store.ts";
import type { SavedRun } from "../../io/open-run.ts";
import { readRows } from "../../io/saved-rows.ts";
import { refuseWrite } from "../../io/write-errors.ts";

/** Settings that belong to the machine or to this call, never to the saved run. */
const OF_TODAY = [
  "api-key",
  "judge.api-key",
  "headers",
  "resume",
  "retry-broken",
  "quiet",
  "json",
  "reports",
  "run-id",
];

/**
 * The project as the saved run saw it: its settings, with what flags and environment say now on top, and its versions pinned to the
 * commits they were then, so that a branch that has moved since does not matter.
 */
export function asSaved(project: Project, saved: RunRecord): Project {
  const given = new Set(
    project.provenance.filter(({ from }) => from === "flag" || from === "env").map(({ key }) => key),
  );
  const values = new Map<string, unknown>(Object.entries(project.settings));
  for (const { key, value } of saved.settings) {
    if (!OF_TODAY.includes(key) && !given.has(key)) put(values, key, value);
  }
  for (const arm of ["baseline", "candidate"] as const) {
    if (!given.has(arm)) values.set(arm, pinned(saved, arm));
  }
  const settings = Settings.parse(Object.fromEntries(values));
  const paths = given.has("cases") ? project.selection.paths : savedPaths(saved, settings, project);
  return { ...project, settings, selection: { paths, filters: settings.filter, tags: settings.tag } };
}

/**
 * Opens a saved run for writing, then reads what it has: in this order, since another process may be writing to it.
 * Throws InputError where one is.
 */
export async function reopen(
  run: SavedRun,
  mask: Mask,
  retryBroken: boolean,
): Promise<{ writer: RunWriter; done: TrialRow[] }> {
  const writer = await openWriter(run.dir, mask, retryBroken).catch((error) => refuseWrite(error, run.dir));
  try {
    return { writer, done: await readRows(run) };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** Throws InputError with everything that differs from the saved run. */
export function checkSame(saved: RunRecord, now: RunRecord): void {
  const problems = differencesOf(saved, now);
  if (problems.length > 0) throw new InputError(problems);
}

/** Sets `gate.max-cost-increase` at `gate` → `maxCostIncrease`. */
function put(values: Map<string, unknown>, key: string, value: unknown): void {
  const [outer = "", inner] = key.split(".").map(camel);
  if (inner === undefined) values.set(outer, value);
  else values.set(outer, { ...Object(values.get(outer)), [inner]: value });
}

function pinned(saved: RunRecord, arm: Arm): string | null {
  const record = saved.arms[arm];
  if (record === null) return null;
  const { base } = parseVariantSpec(record.variant);
  if (base.kind !== "git" || record.commit === null) return record.variant;
  return `${record.commit}${record.variant.slice(base.rev.length)}`;
}

/** `--cases` of the saved run; a config's own `cases` are no selection. */
function savedPaths(saved: RunRecord, settings: Settings, project: Project): readonly string[] | null {
  const from = saved.settings.find(({ key }) => key === "cases")?.from;
  return from === "flag" || from === "env" ? settings.cases : project.selection.paths;
}
