import { type Problem, warning } from "../nouns/problem.ts";
import { issueProblems } from "../text/issues.ts";
import type { ConfigFile } from "./file.ts";
import { SETTING_PATHS, type SettingPath, settingName } from "./keys.ts";
import {
  type Env,
  fromEnv,
  fromFile,
  fromFlags,
  type GivenFlags,
  type Origin,
  type Pick,
  VARIABLE_NAMES,
} from "./pick.ts";
import { clashesOf } from "./clashes.ts";
import { fillSecrets, isSecret, maskedValue } from "./secrets.ts";
import { Settings } from "./settings.ts";
import { nearest } from "../text/nearest.ts";

/** One setting as run.json records it; secrets are masked. */
export interface Provenance {
  readonly key: string;
  readonly value: unknown;
  readonly from: Origin;
  /** The flag, variable or place in the file. */
  readonly where: string | null;
}

/** Settings with their provenance; null settings where something is wrong. */
export interface Resolved {
  readonly settings: Settings | null;
  readonly provenance: readonly Provenance[];
  readonly problems: readonly Problem[];
}

/** The three sources of settings; each may be empty. */
export interface ResolveInput {
  readonly flags: GivenFlags;
  readonly env: Env;
  readonly file: ConfigFile | null;
  /** Whether headers and keys will be used: a missing variable is then an error, else a warning. */
  readonly secrets: boolean;
}

/** Flag over environment over file over default, for each setting alone; whatever is wrong is found at once. */
export function resolveSettings(input: ResolveInput): Resolved {
  const problems: Problem[] = [...(input.file?.problems ?? []), ...strayVariables(input.env)];
  const given = [...fromFlags(input.flags, problems), ...fromEnv(input.env, problems)];
  problems.push(...given.flatMap(checkAlone));
  const chosen = choose([...given, ...fromFile(input.file)]);
  const picks = fillSecrets(chosen, input, problems);
  const settings = Settings.safeParse(nested(picks));
  const broken = problems.some(({ severity }) => severity === "error");
  if (broken || !settings.success) return { settings: null, provenance: [], problems };
  const clashes = clashesOf(settings.data, picks);
  if (clashes.length > 0) return { settings: null, provenance: [], problems: [...problems, ...clashes] };
  return { settings: settings.data, provenance: provenanceOf(settings.data, picks), problems };
}

/** Holds one given value against the schema; the rest is default. */
function checkAlone(pick: Pick): Problem[] {
  const value = nested([pick]);
  const result = Settings.safeParse(value);
  if (result.success) return [];
  return issueProblems(result.error.issues, { schema: Settings, value, where: () => pick.where });
}

/** The first pick of each setting: they come in the order of precedence. */
function choose(picks: readonly Pick[]): Pick[] {
  const seen = new Set<string>();
  return picks.filter(({ path }) => {
    const name = settingName(path);
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

function nested(picks: readonly Pick[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const groups: Record<string, Record<string, unknown>> = {};
  for (const { path, value } of picks) {
    if (path.length === 1) values[path[0]] = value;
    else groups[path[0]] = { ...groups[path[0]], [path[1]]: value };
  }
  return { ...values, ...groups };
}

function provenanceOf(settings: Settings, picks: readonly Pick[]): Provenance[] {
  const byName = new Map(picks.map((pick) => [settingName(pick.path), pick]));
  return SETTING_PATHS.map((path) => {
    const key = settingName(path);
    const pick = byName.get(key);
    const value = settingAt(settings, path);
    return {
      key,
      value: isSecret(path) ? maskedValue(value) : value,
      from: pick?.from ?? "default",
      where: pick === undefined ? null : placeText(pick),
    };
  });
}

function settingAt(settings: Settings, path: SettingPath): unknown {
  const values: Readonly<Record<string, unknown>> = settings;
  const outer = values[path[0]];
  return path.length === 1 || typeof outer !== "object" || outer === null
    ? outer
    : Reflect.get(outer, path[1]);
}

function placeText({ where }: Pick): string | null {
  return where.file === undefined ? (where.key ?? null) : `${where.file}:${where.line ?? 1}`;
}

/** A mistyped variable would otherwise be ignored in silence. */
function strayVariables(env: Env): Problem[] {
  return Object.keys(env)
    .filter((name) => name.startsWith("EVALKIT_") && !VARIABLE_NAMES.includes(name))
    .sort()
    .flatMap((name) => {
      const rest = (whole: string): string => whole.slice("EVALKIT_".length);
      const guess = nearest(
        rest(name),
        VARIABLE_NAMES.filter((known) => known.startsWith("EVALKIT_")).map(rest),
      );
      if (guess === null) return [];
      const meant = `EVALKIT_${guess}`;
      return [
        warning(
          "unknown-variable",
          { key: name },
          `the environment variable ${name} means nothing. Did you mean ${meant}?`,
        ),
      ];
    });
}
