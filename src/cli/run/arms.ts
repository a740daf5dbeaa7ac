import type { Settings } from "../../core/config/settings.ts";
import { fail } from "../../core/nouns/problem.ts";
import type { Arm } from "../../core/nouns/score.ts";
import type { Variant } from "../../core/nouns/variant.ts";
import { variantOptions } from "../../io/variant-settings.ts";
import { openVariant } from "../../io/variants.ts";
import type { CliIo } from "../command.ts";

/** Both versions of a run, read whole. */
export type Variants = Readonly<Record<Arm, Variant>>;

/**
 * Opens both arms. The candidate is the working tree where none is named; an A/A run may name one arm only. Throws
 * InputError when no baseline is named, when the arms are equal without `--aa`, or differ with it.
 */
export async function openArms(root: string, settings: Settings, io: CliIo): Promise<Variants> {
  const named = settings.baseline ?? (settings.aa ? settings.candidate : null);
  if (named === null) {
    return fail(
      "no-baseline",
      { key: "baseline" },
      "no baseline is named: which version is the candidate to be compared with?",
      "for example evalkit run --baseline main --candidate my-branch",
    );
  }
  const options = variantOptions(settings, io.env, io.cwd);
  const candidateText = settings.candidate ?? (settings.aa ? named : "worktree");
  const [baseline, candidate] = await Promise.all([
    openVariant(root, named, options),
    openVariant(root, candidateText, options),
  ]);
  checkDifferent(baseline, candidate, settings.aa);
  return { baseline, candidate };
}

function checkDifferent(baseline: Variant, candidate: Variant, aa: boolean): void {
  const same = baseline.digest === candidate.digest;
  if (same && !aa) {
    fail(
      "equal-arms",
      {},
      `${baseline.label} and ${candidate.label} hold the same prompts and skills (${baseline.digest.slice(0, 19)}…): there is nothing to compare`,
      "name a version that differs, commit the change, use --candidate worktree, or ask for an A/A run with --aa",
    );
  }
  if (!same && aa) {
    fail(
      "aa-differs",
      { key: "aa" },
      `--aa asks for two equal arms, but ${baseline.label} and ${candidate.label} differ`,
      "leave out --aa, or name the same version twice",
    );
  }
}
