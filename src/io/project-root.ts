import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fail } from "../core/nouns/problem.ts";
import { decodeText, MAX_FILE_BYTES } from "../core/variant/source-text.ts";
import { errorCode } from "./files.ts";
import { isBelow } from "./own-places.ts";

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
  const { root, top, repository, found } = walkUp(start);
  const path = config === null ? found : resolve(start, config);
  if (path === null) return { root, config: null, repository };
  const shown = relative(root, path).split(sep).join("/");
  // A config that was found belongs to whatever branch is checked out; one that is named is the user's own word.
  if (config === null) refuseLinkOut(path, shown, top);
  return { root, repository, config: { path, shown, text: readConfig(path, shown) } };
}

interface Walked {
  readonly root: string;
  /** Top folder of the repository, the root where there is none. */
  readonly top: string;
  readonly repository: boolean;
  readonly found: string | null;
}

function walkUp(start: string): Walked {
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
      return { root: found === null ? folder : root, top: folder, repository: true, found };
    const above = dirname(folder);
    if (above === folder) return { root, top: root, repository: false, found };
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

function refuseLinkOut(path: string, shown: string, top: string): void {
  const real = realpathSync(path);
  if (isBelow(real, top) && !real.split(sep).includes(".git")) return;
  fail(
    "link-outside",
    { file: shown },
    "the config is a link that leads out of the repository",
    "put the file itself there, or name another by --config",
  );
}

function readConfig(path: string, shown: string): string {
  let bytes: Uint8Array;
  try {
    const stats = statSync(path);
    if (!stats.isFile()) fail("no-config", { file: shown }, "the config is no regular file");
    if (stats.size > MAX_FILE_BYTES) fail("too-large", { file: shown }, "the config is larger than 1 MiB");
    bytes = readFileSync(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return fail("no-config", { file: shown }, `the config can't be read (${code})`);
  }
  const text = decodeText(bytes);
  return text.ok ? text.text : fail(text.code, { file: shown }, `the config ${text.reason}`, text.hint);
}
