import type { Env } from "../core/config/pick.ts";
import { fail } from "../core/nouns/problem.ts";
import { runGit } from "./git-process.ts";

/** Where git looks for a short name, in its order; it takes the first and only warns. */
const PLACES = ["refs/tags/NAME", "refs/heads/NAME", "refs/remotes/NAME", "refs/remotes/NAME/HEAD"];

/**
 * Throws InputError where `rev` has a name that a branch and a tag (or a remote) bear for different commits. `stderr` is
 * what git said while it chose one of them.
 */
export async function refuseAmbiguous(root: string, rev: string, stderr: string, env: Env): Promise<void> {
  const name = /refname '(.+)' is ambiguous/.exec(stderr)?.[1];
  if (name === undefined) return;
  const refs = await commitsNamed(root, name, env);
  if (new Set(refs.map(({ commit }) => commit)).size < 2) return;
  const named = refs.map(({ ref, commit }) => `${ref} is ${commit.slice(0, 12)}`).join(", ");
  fail(
    "ambiguous-revision",
    {},
    `git revision ${JSON.stringify(rev)} is ambiguous: ${named}`,
    `write out which is meant: ${refs.map(({ ref }) => rev.replace(name, () => ref)).join(" or ")}`,
  );
}

async function commitsNamed(root: string, name: string, env: Env) {
  const found: { ref: string; commit: string }[] = [];
  for (const place of PLACES) {
    const ref = place.replace("NAME", () => name);
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
    const { code, stdout } = await runGit(root, args, env);
    if (code === 0) found.push({ ref, commit: stdout.toString("utf8").trim() });
  }
  return found;
}
