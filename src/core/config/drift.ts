import { canonicalJson } from "../case/digest.ts";
import { valueAt } from "../text/issues.ts";
import type { ConfigFile } from "./file.ts";
import { SETTING_PATHS, settingName } from "./keys.ts";
import { fromFile } from "./pick.ts";
import type { Provenance } from "./resolve.ts";
import { Settings } from "./settings.ts";

/** Names of settings that the config file in use sets otherwise than the file of another version. */
export interface ConfigDrift {
  /** What decides (`gate.*`, limits, the judge, `trials`, `cases`, recordings): a candidate could weaken it. */
  readonly policy: readonly string[];
  /** Where requests and secrets go (`base-url`, `headers`, keys): a candidate could lead them elsewhere. */
  readonly connection: readonly string[];
}

const CONNECTION = ["base-url", "api-key", "headers", "judge.base-url", "judge.api-key"];
const POLICY =
  /^(gate\.|limits\.|judge\.)|^(trials|cases|filter|tag|replay|recordings|profile|user-tier|request|temperature|seed)$/;

/**
 * Compares config files. Settings given by flag or environment are not the file's to change and are left out. A file that
 * is missing sets nothing. Names are sorted.
 */
export function configDrift(
  before: ConfigFile | null,
  now: ConfigFile | null,
  provenance: readonly Provenance[],
): ConfigDrift {
  const fixed = new Set(
    provenance.filter(({ from }) => from === "flag" || from === "env").map(({ key }) => key),
  );
  const [old, own] = [valuesOf(before), valuesOf(now)];
  const changed = [...new Set([...old.keys(), ...own.keys()])]
    .filter((name) => !fixed.has(name) && old.get(name) !== own.get(name))
    .sort();
  return {
    policy: changed.filter((name) => POLICY.test(name) && !CONNECTION.includes(name)),
    connection: changed.filter((name) => CONNECTION.includes(name)),
  };
}

/** What the file sets, over the defaults: writing a default down is no change. */
function valuesOf(file: ConfigFile | null): Map<string, string> {
  const defaults: Readonly<Record<string, unknown>> = Settings.parse({});
  const values = new Map(
    SETTING_PATHS.map((path): [string, string] => [
      settingName(path),
      canonicalJson(valueAt(defaults, path)),
    ]),
  );
  for (const { path, value } of fromFile(file)) values.set(settingName(path), canonicalJson(value));
  return values;
}
