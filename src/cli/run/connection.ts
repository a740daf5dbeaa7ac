import { fail, InputError, type Problem, problem, warning } from "../../core/nouns/problem.ts";
import type { RunRecord } from "../../core/nouns/run.ts";
import { openGitTree, resolveCommit } from "../../io/git.ts";
import { isCi, trustedCommit } from "../../io/merge-target.ts";
import { configAt, configDriftAt, isOwnConfig, type Project } from "../../io/project.ts";
import type { Tree } from "../../io/tree.ts";
import type { CliIo } from "../command.ts";

/**
 * What is to be said where the config sends requests and keys elsewhere than the baseline's does. In CI the config is the
 * branch's own, and where keys go must not be its to change: InputError. Elsewhere it is a warning.
 */
export function connectionChanged(
  connection: readonly string[],
  { config }: Pick<Project, "config">,
  { env }: Pick<CliIo, "env">,
  against = "the baseline",
): Problem[] {
  if (connection.length === 0) return [];
  const where = { file: config ?? "evalkit.yaml", key: connection[0] ?? "base-url" };
  const message = `the branch sets ${connection.join(", ")} otherwise than ${against}: keys could be sent elsewhere`;
  if (!isCi(env)) {
    return [
      warning("connection-changed", where, message, "look at it before you trust a branch that is not yours"),
    ];
  }
  const hint =
    "in CI, set the server by flag or environment (OPENAI_BASE_URL), or merge the config change first";
  throw new InputError([problem("connection-changed", where, message, hint)]);
}

/** The same for a saved run, whose baseline may be in this clone or not. */
export async function connectionChangedSince(
  record: RunRecord,
  project: Project,
  io: CliIo,
): Promise<Problem[]> {
  const commit = record.arms.baseline?.commit ?? null;
  if (commit === null || !(await isHere(project.root, commit, io))) return connectionOfBranch(project, io);
  const { connection } = await configDriftAt(project, await openGitTree(project.root, commit, io.env));
  return connectionChanged(connection, project, io);
}

/**
 * The same where there is no baseline: in CI the config is held against the branch that this one is to go into. Throws
 * InputError where it sends keys elsewhere.
 */
export async function connectionOfBranch(project: Project, io: CliIo): Promise<Problem[]> {
  if (!isCi(io.env) || !project.repository) return [];
  const tree = await trustedTree(project, io);
  const { connection } = await configDriftAt(project, tree);
  return connectionChanged(connection, project, io, TARGET);
}

const TARGET = "the branch that it is to go into (merge target or default branch)";

/**
 * In CI the config is the branch's own: naming the baseline, it would choose what its policy, cases and connection are
 * held against. It is believed only where the branch that it is to go into names the same. Throws InputError.
 */
export async function refuseChosenBaseline(project: Project, io: CliIo): Promise<void> {
  const chosen = project.provenance.some(({ key, from }) => key === "baseline" && from === "file");
  if (!chosen || !isCi(io.env) || isOwnConfig(project)) return;
  const tree = project.repository ? await trustedTree(project, io) : null;
  const theirs = tree === null ? null : await configAt(project, tree);
  const ours = project.configFile?.values.baseline;
  if (theirs !== null && theirs.values.baseline === ours) return;
  fail(
    "baseline-from-config",
    { file: project.config ?? "evalkit.yaml", key: "baseline" },
    `the branch's own config names the baseline ${JSON.stringify(ours)}, and ${TARGET} does not: a branch may not choose what it is held against`,
    "in CI, give --baseline or EVALKIT_BASELINE",
  );
}

async function trustedTree({ root }: Project, { env }: CliIo): Promise<Tree | null> {
  const commit = await trustedCommit(root, env);
  return commit === null ? null : openGitTree(root, commit, env);
}

async function isHere(root: string, commit: string, { env }: CliIo): Promise<boolean> {
  return resolveCommit(root, commit, env).then(
    () => true,
    () => false,
  );
}
