import { type Problem, problem, type Where } from "../nouns/problem.ts";
import type { ConfigFile } from "./file.ts";
import { ALL_FLAGS, type Flag, type FlagKind, variableOf } from "./flags.ts";
import { SETTING_PATHS, type SettingPath, settingName } from "./keys.ts";
import { type RawValue, readRaw } from "./raw.ts";
import { field } from "../text/json.ts";

/** Where a setting's value came from. */
export type Origin = "flag" | "env" | "file" | "default";

/** A value that somebody gave to a setting. */
export interface Pick {
  readonly path: SettingPath;
  readonly value: unknown;
  readonly from: Origin;
  /** `--trials`, `EVALKIT_TRIALS` or the key's place in the file. */
  readonly where: Where;
}

/** Flags as they were given on the command line. */
export type GivenFlags = readonly { readonly flag: Flag; readonly raw: RawValue }[];

/** The environment, as a process has it. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Variables that are no flags: keys don't belong on a command line, and other tools' names for the server. */
const VARIABLES: readonly { path: SettingPath; name: string; kind: FlagKind }[] = [
  ...ALL_FLAGS.map(({ path, name, kind }) => ({ path, kind, name: variableOf(name) })),
  { path: ["apiKey"], name: "EVALKIT_API_KEY", kind: "text" },
  { path: ["judge", "apiKey"], name: "EVALKIT_JUDGE_API_KEY", kind: "text" },
  { path: ["baseUrl"], name: "OPENAI_BASE_URL", kind: "text" },
  { path: ["apiKey"], name: "OPENAI_API_KEY", kind: "text" },
];

/** Names of the variables that are read; `EVALKIT_CONFIG` names the config file itself. */
export const VARIABLE_NAMES: readonly string[] = ["EVALKIT_CONFIG", ...VARIABLES.map(({ name }) => name)];

/** What the command line gives. */
export function fromFlags(flags: GivenFlags, problems: Problem[]): Pick[] {
  return flags.flatMap(({ flag, raw }) => {
    const where = { key: `--${flag.negative === true && raw === false ? "no-" : ""}${flag.name}` };
    return read(flag.path, flag.kind, raw, "flag", where, problems);
  });
}

/** What the environment gives; an empty variable is none. `EVALKIT_*` comes before the names other tools use. */
export function fromEnv(env: Env, problems: Problem[]): Pick[] {
  const seen = new Set<string>();
  return VARIABLES.flatMap(({ path, name, kind }) => {
    const raw = env[name]?.trim() ?? "";
    if (raw === "" || seen.has(settingName(path))) return [];
    seen.add(settingName(path));
    return read(path, kind, raw, "env", { key: name }, problems);
  });
}

/** What the file gives. Values were held against the schema when it was read. */
export function fromFile(file: ConfigFile | null): Pick[] {
  if (file === null) return [];
  return SETTING_PATHS.flatMap((path): Pick[] => {
    const outer = file.values[path[0]];
    const value = path.length === 1 ? outer : field(outer, path[1]);
    return value === undefined ? [] : [{ path, value, from: "file", where: file.where(path) }];
  });
}

function read(
  path: SettingPath,
  kind: FlagKind,
  raw: RawValue,
  from: Origin,
  where: Where,
  problems: Problem[],
): Pick[] {
  const result = readRaw(kind, raw);
  if (result.ok) return [{ path, value: result.value, from, where }];
  problems.push(problem("bad-setting", where, `expected ${result.expected}, got ${JSON.stringify(raw)}`));
  return [];
}
