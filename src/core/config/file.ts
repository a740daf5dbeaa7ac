import { type Problem, problem, type Where } from "../nouns/problem.ts";
import { issueProblems } from "../text/issues.ts";
import { type Path, placeIn } from "../text/path.ts";
import { parseYaml, type YamlDocument } from "../text/yaml.ts";
import { camel, kebab } from "./keys.ts";
import { Settings } from "./settings.ts";
import { isObject } from "../text/json.ts";

/** A config file as plain data with camelCase keys, where each key is written, and what is wrong with it. */
export interface ConfigFile {
  readonly file: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
  where(path: Path): Where;
}

/** Maps whose keys are settings; the keys of other maps are the user's own. */
const NAMED = ["gate", "limits", "judge"];

/**
 * Reads evalkit.yaml. Keys are the flags' names (`base-url`); camelCase (`baseUrl`, `tierDir`) is taken too. All faults are
 * found at once, each with its line.
 */
export function parseConfig(file: string, text: string): ConfigFile {
  const yaml = parseYaml(file, text);
  const [document, second] = yaml.documents;
  const problems = [...yaml.problems];
  if (second !== undefined) {
    const where = { file, line: second.line };
    problems.push(
      problem("bad-config", where, "the config holds a second document", "a config file is one document"),
    );
  }
  if (document === undefined) return { file, values: {}, problems, where: () => ({ file }) };
  return checkDocument(file, document, problems);
}

function checkDocument(file: string, document: YamlDocument, problems: Problem[]): ConfigFile {
  const spelling = new Map<string, string>();
  const original = (path: Path): Path =>
    path.map((part, at) => spelling.get(path.slice(0, at + 1).join(".")) ?? part);
  const where = (path: Path): Where => placeIn(file, document, original(path));
  const values = camelKeys(document.value, [], spelling, (path, key, other) => {
    const message = `${key} and ${other} are the same setting`;
    problems.push(
      problem("duplicate-key", placeIn(file, document, [...path, key]), message, "keep one of them"),
    );
  });
  const result = Settings.safeParse(values);
  if (!result.success) {
    const names = new Map([...spelling].map(([path, key]) => [path.slice(path.lastIndexOf(".") + 1), key]));
    const spell = (key: string) => names.get(key) ?? kebab(key);
    problems.push(...issueProblems(result.error.issues, { schema: Settings, value: values, where, spell }));
  }
  return { file, values: isObject(values) ? values : {}, problems, where };
}

/** Renames the keys of settings to camelCase; `spelling` keeps, by dotted camelCase path, how each was written. */
function camelKeys(
  value: unknown,
  path: readonly string[],
  spelling: Map<string, string>,
  clash: (path: readonly string[], key: string, other: string) => void,
): unknown {
  if (!isObject(value)) return value;
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const name = camel(key);
    const at = [...path, name].join(".");
    const other = spelling.get(at);
    if (other !== undefined) clash(path, key, other);
    spelling.set(at, key);
    const deeper = path.length === 0 && NAMED.includes(name);
    entries.push([name, deeper ? camelKeys(inner, [name], spelling, clash) : inner]);
  }
  return Object.fromEntries(entries);
}
