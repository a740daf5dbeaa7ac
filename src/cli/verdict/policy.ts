import { GATE_FLAGS } from "../../core/config/flags.ts";
import { camel } from "../../core/config/keys.ts";
import type { Settings } from "../../core/config/settings.ts";
import { GatePolicy, type RunRecord } from "../../core/nouns/run.ts";
import type { Project } from "../../io/project.ts";

/** Names of the gate's flags, for commands that take these and few others. */
export const GATE_FLAG_NAMES: readonly string[] = GATE_FLAGS.map(({ name }) => name);

/** The part of a record that a verdict is made under. */
export interface Ruling {
  readonly policy: GatePolicy;
  readonly settings: RunRecord["settings"];
}

/** The project's policy of today: flags over environment over file over defaults. */
export function rulingOf(project: Project): Ruling {
  return { policy: project.settings.gate, settings: gateSettings(project) };
}

/** A saved run's own policy, with whatever today's flags, environment or config say otherwise. */
export function rulingOver(record: RunRecord, project: Project): Ruling {
  const today = gateSettings(project).filter(({ from }) => from !== "default");
  const names = new Set(today.map(({ key }) => key));
  const changed = Object.fromEntries(
    today.map(({ key }) => [camelOf(key), settingOf(project.settings, key)]),
  );
  return {
    policy: GatePolicy.parse({ ...record.policy, ...changed }),
    settings: [...record.settings.filter(({ key }) => !names.has(key)), ...today],
  };
}

function gateSettings(project: Project): RunRecord["settings"] {
  return project.provenance
    .filter(({ key }) => key.startsWith("gate."))
    .map(({ key, value, from }) => ({ key, value, from }));
}

function camelOf(key: string): string {
  return camel(key.slice("gate.".length));
}

function settingOf(settings: Settings, key: string): unknown {
  return Reflect.get(settings.gate, camelOf(key));
}
