import { InputError, type Problem, problem, warning } from "../../core/nouns/problem.ts";
import type { RunRecord } from "../../core/nouns/run.ts";
import { openGitTree, resolveCommit } from "../../io/git.ts";
import { isCi } from "../../io/merge-target.ts";
import { configDriftAt, type Project } from "../../io/project.ts";
import type { CliIo } from "../command.ts";

/**
 * What is to be said where the config sends requests and keys elsewhere than the baseline's does. In CI the config is the
 * branch's own, and where keys go must not be its to change: InputError. Elsewhere it is a warning.
 */
export function connectionChanged(
  connection: readonly string[],
  { config }: Pick<Project, "config">,
  { env }: Pick<CliIo, "env">,
): Problem[] {
  if (connection.length === 0) return [];
  const where = { file: config ?? "evalkit.yaml", key: connection[0] ?? "base-url" };
  const message = `the branch sets ${connection.join(", ")} otherwise than the baseline: keys could be sent elsewhere`;
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
  if (commit === null || !(await isHere(project.root, commit, io))) return [];
  const { connection } = await configDriftAt(project, await openGitTree(project.root, commit, io.env));
  return connectionChanged(connection, project, io);
}

/**
 * In CI the config is the branch's own: where it alone names the baseline, the branch chooses what its policy, cases and
 * connection are held against, and only the caller can say better.
 */
export function baselineChosenByConfig(
  { provenance, config }: Pick<Project, "provenance" | "config">,
  { env }: Pick<CliIo, "env">,
): Problem[] {
  if (!isCi(env) || !provenance.some(({ key, from }) => key === "baseline" && from === "file")) return [];
  return [
    warning(
      "baseline-from-config",
      { file: config ?? "evalkit.yaml", key: "baseline" },
      "in CI the branch's own config names the baseline: it chooses what it is held against",
      "give --baseline or EVALKIT_BASELINE in CI",
    ),
  ];
}

async function isHere(root: string, commit: string, { env }: CliIo): Promise<boolean> {
  return resolveCommit(root, commit, env).then(
    () => true,
    () => false,
  );
}
