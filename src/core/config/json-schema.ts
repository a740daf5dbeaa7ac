import * as z from "zod";
import { CaseInput } from "../nouns/case.ts";
import { ALL_FLAGS } from "./flags.ts";
import { kebab, settingName } from "./keys.ts";
import { Settings } from "./settings.ts";
import { isObject } from "../text/json.ts";

type Json = Readonly<Record<string, unknown>>;

/** JSON Schema of one YAML document under cases/, as people write it. */
export function caseJsonSchema(): Json {
  return titled("evalkit case", "One document of a YAML file under cases/.", inputSchema(CaseInput));
}

/** JSON Schema of evalkit.yaml: the flags' names as keys, camelCase taken too. */
export function configJsonSchema(): Json {
  const schema = inputSchema(Settings);
  return titled("evalkit.yaml", "Settings of evalkit.", { ...schema, ...bothSpellings(schema, []) });
}

/** File name in docs/schema/ and content of every published schema. */
export function publishedSchemas(): ReadonlyMap<string, string> {
  const text = (schema: Json) => `${JSON.stringify(schema, null, 2)}\n`;
  return new Map([
    ["case.schema.json", text(caseJsonSchema())],
    ["config.schema.json", text(configJsonSchema())],
  ]);
}

function inputSchema(schema: z.ZodType): Json {
  return { ...z.toJSONSchema(schema, { io: "input", target: "draft-2020-12" }) };
}

function titled(title: string, description: string, schema: Json): Json {
  const { $schema, ...rest } = schema;
  return { $schema, title, description, ...rest };
}

/** Properties of a settings map under the flag's name and in camelCase; the keys of open maps stay as they are. */
function bothSpellings(schema: Json, path: readonly string[]): Json {
  const { properties } = schema;
  if (!isObject(properties)) return {};
  const entries = Object.entries(properties).flatMap(([name, inner]): [string, unknown][] => {
    if (!isObject(inner)) return [];
    const here = [...path, name];
    const value = {
      ...describe(here),
      ...inner,
      ...(isObject(inner.properties) ? bothSpellings(inner, here) : {}),
    };
    const flagName = kebab(name);
    return flagName === name
      ? [[name, value]]
      : [
          [flagName, value],
          [name, { ...value, description: `Same as ${flagName}.` }],
        ];
  });
  return { properties: Object.fromEntries(entries) };
}

function describe(path: readonly string[]): Json {
  const flag = ALL_FLAGS.find((one) => settingName(one.path) === settingName(path));
  if (flag === undefined) return {};
  return flag.negative === true ? {} : { description: `${flag.help} (--${flag.name})` };
}
