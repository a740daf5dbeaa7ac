import * as z from "zod";
import { bare } from "../text/schema-shape.ts";
import { OPEN_MAPS, Settings } from "./settings.ts";

/** `base-url` of `baseUrl`. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `baseUrl` of `base-url`. */
export function camel(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** A setting's path inside Settings, such as `["gate", "margin"]`. */
export type SettingPath = readonly [string] | readonly [string, string];

/** Every setting that has one value of its own, open maps included, in the order of the schema. */
export const SETTING_PATHS: readonly SettingPath[] = Object.entries(Settings.shape).flatMap(
  ([name, schema]): SettingPath[] => {
    const inner = bare(schema);
    if (!(inner instanceof z.ZodObject) || OPEN_MAPS.includes(name)) return [[name]];
    return Object.keys(inner.shape).map((key): SettingPath => [name, key]);
  },
);

/** A setting as the config file and provenance name it: `gate.max-cost-increase`. */
export function settingName(path: readonly string[]): string {
  return path.map(kebab).join(".");
}
