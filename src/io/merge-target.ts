import type { Env } from "../core/config/pick.ts";
import { resolveCommit } from "./git.ts";

/** Where CI providers name the branch that a pull or merge request is to go into. */
const TARGETS = [
  "GITHUB_BASE_REF",
  "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
  "BITBUCKET_PR_DESTINATION_BRANCH",
  "SYSTEM_PULLREQUEST_TARGETBRANCH",
  "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
  "DRONE_TARGET_BRANCH",
  "CHANGE_TARGET",
];
const DEFAULTS = ["refs/remotes/origin/HEAD", ...["main", "master"].flatMap(refsOf)];

/** Whether this is a CI job: what is checked out may then be a stranger's. */
export function isCi({ CI }: Env): boolean {
  return CI !== undefined && CI !== "" && CI !== "false";
}

/**
 * The commit of a branch that nobody under test chooses: the merge target that the CI job names, else the default branch.
 * Null where this clone has none of them.
 */
export async function trustedCommit(root: string, env: Env): Promise<string | null> {
  const target = TARGETS.map((name) => env[name] ?? "").find((name) => name !== "");
  const refs = target === undefined ? DEFAULTS : refsOf(target.replace(/^refs\/heads\//, ""));
  for (const ref of refs) {
    const commit = await resolveCommit(root, ref, env).catch(() => null);
    if (commit !== null) return commit;
  }
  return null;
}

/** The remote's word first: a local branch of that name may lag behind. */
function refsOf(branch: string): string[] {
  return [`refs/remotes/origin/${branch}`, `refs/heads/${branch}`];
}
