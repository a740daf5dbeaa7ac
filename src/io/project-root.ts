import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fail } from "../core/nouns/problem.ts";
import { decodeText, MAX_FILE_BYTES } from "../core/variant/source-text.ts";
import { errorCode } from "./files.ts";

const NAMES = ["evalkit.yaml", "evalkit.yml"];

/** Where a project lies. */
export interface ProjectPlace {
  /** Absolute, links resolved. */
  readonly root: string;
  /** The config file: absolute path, and its text with LF line ends. */
  readonly config: { readonly path: string; readonly shown: string; readonly text: string } | null;
  readonly repository: boolean;
}

/**
 * Finds a project from a folder inside it: the nearest folder upwards that holds evalkit.yaml, else the top of the git
 * repository, else the folder itself. `config` names another config file, from `cwd`.
 */
export function findProject(cwd: string, config: string | null): ProjectPlace {
  const start = realFolder(cwd);
  const { root, repository, found } = walkUp(start);
  const path = config === null ? found : resolve(start, config);
  if (path === null) return { root, config: null, repository };
  const shown = relative(root, path).split(sep).join("/");
  return { root, repository, config: { path, shown, text: readConfig(path, shown) } };
}

function walkUp(start: string): { root: string; repository: boolean; found: string | null } {
  let folder = start;
  let root = start;
  let found: string | null = null;
  for (;;) {
    const here: string | null = found === null ? configIn(folder) : null;
    if (here !== null) {
      found = here;
      root = folder;
    }
    if (existsSync(join(folder, ".git")))
      return { root: found === null ? folder : root, repository: true, found };
    const above = dirname(folder);
    if (above === folder) return { root, repository: false, found };
    folder = above;
  }
}

function configIn(folder: string): string | null {
  const here = NAMES.filter((name) => existsSync(join(folder, name)));
  const [first, second] = here;
  if (second !== undefined) {
    fail(
      "two-configs",
      { file: join(folder, second) },
      `${here.join(" and ")} both lie in ${folder}`,
      "keep evalkit.yaml",
    );
  }
  return first === undefined ? null : join(folder, first);
}

function realFolder(cwd: string): string {
  try {
    const real = realpathSync(cwd);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // Told below, with the path as it was typed.
  }
  return fail("no-such-folder", { key: "-C" }, `there is no folder ${cwd}`);
}

function readConfig(path: string, shown: string): string {
  let bytes: Uint8Array;
  try {
    if (statSync(path).size > MAX_FILE_BYTES)
      fail("too-large", { file: shown }, "the config is larger than 1 MiB");
    bytes = readFileSync(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return fail("no-config", { file: shown }, `the config can't be read (${code})`);
  }
  const text = decodeText(bytes);
  return text.ok ? text.text : fail(text.code, { file: shown }, `the config ${text.reason}`, text.hint);
}
