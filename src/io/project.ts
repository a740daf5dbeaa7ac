import { relative, resolve, sep } from "node:path";
import { type CaseHome, listingBase, tidyPath } from "../core/case/paths.ts";
import { isSelected, nothingSelected, type Selection, unmetFilters } from "../core/case/select.ts";
import { type ConfigDrift, configDrift } from "../core/config/drift.ts";
import { type ConfigFile, parseConfig } from "../core/config/file.ts";
import type { GivenFlags } from "../core/config/pick.ts";
import { type Provenance, resolveSettings } from "../core/config/resolve.ts";
import { Settings } from "../core/config/settings.ts";
import type { Case } from "../core/nouns/case.ts";
import { InputError, type Problem, problem } from "../core/nouns/problem.ts";
import { casesInTree, type TreeCases } from "./case-tree.ts";
import { placesOutside } from "./own-places.ts";
import { findProject } from "./project-root.ts";
import { readTreeText, type Tree } from "./tree.ts";
import { openFolderTree } from "./tree-folder.ts";
import { byText } from "../core/text/order.ts";

/** A project on disk with its settings. */
export interface Project {
  /** Absolute path of the project's folder; all paths in settings count from here. */
  readonly root: string;
  readonly settings: Settings;
  readonly provenance: readonly Provenance[];
  /** Warnings; errors were thrown. */
  readonly problems: readonly Problem[];
  /** Folders that case ids are counted from, and the skills folder. */
  readonly home: CaseHome;
  /** What `--cases`, `--filter` and `--tag` select. */
  readonly selection: Selection;
  /** The config file from the root, or null. */
  readonly config: string | null;
  /** The config file as read; null where there is none. */
  readonly configFile: ConfigFile | null;
  /** Whether the project lies in a git repository. */
  readonly repository: boolean;
}

export interface ProjectOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags?: GivenFlags;
  /** `--config`. */
  readonly config?: string | null;
  /** False where no model is called: a variable missing for a header is then a warning. */
  readonly secrets?: boolean;
}

/** A project of which something may be wrong: `settings` are the defaults then, so that the rest can still be checked. */
export interface OpenedProject extends Project {
  readonly broken: boolean;
}

/** Opens a project and keeps its problems instead of throwing them (for `validate`). Throws where there is no folder. */
export function openProject(options: ProjectOptions): OpenedProject {
  const place = findProject(options.cwd, options.config ?? null);
  const file = place.config === null ? null : parseConfig(place.config.shown, place.config.text);
  const { flags = [], env, secrets = true } = options;
  const resolved = resolveSettings({ flags, env, file, secrets });
  const settings = resolved.settings ?? Settings.parse({});
  const fromFlag = resolved.provenance.some(({ key, from }) => key === "cases" && from === "flag");
  const outside = placesOutside(place.root, resolved.provenance, file);
  return {
    root: place.root,
    settings,
    provenance: resolved.provenance,
    problems: [...resolved.problems, ...outside],
    home: homeOf(file, settings),
    selection: {
      paths: fromFlag ? settings.cases.map((path) => pathFrom(path, options.cwd, place.root)) : null,
      filters: settings.filter,
      tags: settings.tag,
    },
    config: place.config?.shown ?? null,
    configFile: file,
    repository: place.repository,
    broken: resolved.settings === null || outside.length > 0,
  };
}

/** Opens a project. Throws InputError with everything that is wrong with config, environment and flags. */
export async function loadProject(options: ProjectOptions): Promise<Project> {
  const opened = openProject(options);
  if (opened.broken) throw new InputError(opened.problems);
  return opened;
}

/** All cases of a selection's files and what is wrong with them, from the working tree; filters don't apply. */
export function readCases(project: Project, selection: Selection = project.selection): Promise<TreeCases> {
  return casesInTree(openFolderTree(project.root, "worktree"), project.home, configured(project, selection));
}

/**
 * The selected cases from the working tree, sorted by id. Throws InputError with everything that is wrong in their files,
 * and when nothing is selected; the problems returned are warnings.
 */
export async function loadCases(
  project: Project,
  selection: Selection = project.selection,
): Promise<{ cases: Case[]; problems: Problem[] }> {
  const { cases, problems, files } = await readCases(project, selection);
  if (problems.some(({ severity }) => severity === "error")) throw new InputError(problems);
  if (cases.length === 0) throw new InputError([noFiles(project, files)]);
  const selected = cases.filter((one) => isSelected(one, selection));
  if (selected.length === 0) throw new InputError([nothingSelected(cases, selection)]);
  const unmet = unmetFilters(cases, selection);
  if (unmet.length > 0) throw new InputError(unmet);
  return { cases: selected.sort((a, b) => byText(a.id, b.id)), problems: [...problems] };
}

/** The cases of another version (a commit's tree), to compare them with those in use. Broken ones are left out. */
export async function casesAt(project: Project, tree: Tree): Promise<readonly Case[]> {
  const { cases } = await casesInTree(tree, project.home, configured(project, project.selection));
  return cases.filter((one) => isSelected(one, project.selection));
}

/**
 * What the config file in use sets otherwise than the one of another version (the baseline's commit); null: no version is
 * known, and all that the file sets is its own word.
 */
export async function configDriftAt(project: Project, tree: Tree | null): Promise<ConfigDrift> {
  // A config outside of the project is nobody's branch; a project without one may have had one.
  if (isOwnConfig(project)) return { policy: [], connection: [] };
  const before = tree === null ? null : await configAt(project, tree);
  const drift = configDrift(before, project.configFile, project.provenance);
  // Where the baseline had no config there was no policy to weaken: this is the change that brings one.
  return before === null ? { ...drift, policy: [] } : drift;
}

/** The config file of another version, or null where it has none. */
export async function configAt({ config }: Pick<Project, "config">, tree: Tree): Promise<ConfigFile | null> {
  const name = config ?? "evalkit.yaml";
  const text = await readTreeText(tree, name);
  return text === null ? null : parseConfig(name, text);
}

/** Whether the config lies outside of the project: then it was named by the caller and is no branch's to change. */
export function isOwnConfig({ config }: Pick<Project, "config">): boolean {
  return config?.startsWith("../") === true;
}

/** The folder of runs. */
export function reportsDir({ root, settings }: Pick<Project, "root" | "settings">): string {
  return resolve(root, settings.reports);
}

/** The folder of recordings. */
export function recordingsDir({ root, settings }: Pick<Project, "root" | "settings">): string {
  return resolve(root, settings.recordings);
}

/** The config's own `cases` are only a selection of their own where they hold more than folders. */
function configured(project: Project, selection: Selection): readonly string[] | null {
  if (selection.paths !== null) return selection.paths;
  return project.settings.cases.every(
    (path) => listingBase(path) === tidyPath(path) && !/\.ya?ml$/i.test(path),
  )
    ? null
    : project.settings.cases;
}

function noFiles({ home, root }: Project, files: readonly string[]): Problem {
  const where = files.length === 0 ? "no case files (yaml, yml) lie" : "no case lies";
  const hint = "evalkit init writes a first case; one in JSON is read too once its name ends in .yaml";
  return problem(
    "no-cases",
    {},
    `${where} below ${home.roots.map((path) => `${path}/`).join(", ")} in ${root}`,
    hint,
  );
}

/** Ids are counted from the folders that the config names, whatever `--cases` picks. */
function homeOf(file: ConfigFile | null, settings: Settings): CaseHome {
  const configured = Settings.shape.cases.safeParse(file?.values.cases);
  const paths = configured.success ? configured.data : ["cases"];
  const roots = paths.map((path) => (/\.ya?ml$/i.test(path) ? parentOf(path) : listingBase(path)));
  return { roots: [...new Set(roots)], skills: settings.skills };
}

function parentOf(path: string): string {
  return tidyPath(path).split("/").slice(0, -1).join("/");
}

/**
 * A path typed in `cwd`, as one from the project's root; globs pass through. Throws InputError for a path outside.
 */
export function pathFrom(path: string, cwd: string, root: string): string {
  const tidy = sep === "\\" ? path : path.replaceAll("\\", "/");
  const below = relative(root, resolve(cwd, tidy)).split(sep).join("/");
  if (below.startsWith("../") || below === ".." || /^([A-Za-z]:|\/)/.test(below)) {
    throw new InputError([
      problem("path-outside", {}, `${JSON.stringify(path)} lies outside the project ${root}`),
    ]);
  }
  return below;
}
