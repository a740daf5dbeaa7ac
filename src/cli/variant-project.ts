import type { Command } from "commander";
import { formatProblem } from "../core/nouns/problem.ts";
import type { Project } from "../io/project.ts";
import { variantOptions } from "../io/variant-settings.ts";
import type { VariantOptions } from "../io/variants.ts";
import type { CliIo } from "./command.ts";
import { declareFlags, projectFor } from "./options.ts";
import { visible } from "../core/text/visible.ts";

/** Declares the flags of a command that reads one variant. */
export function addVariantFlags(command: Command): Command {
  return declareFlags(command, ["layout"])
    .option("--variant <variant>", "branch, tag, sha, worktree or dir:PATH, with suffixes", "worktree")
    .option("--json", "print JSON, and only JSON");
}

/** The project a command works in, and how its variants are opened. Warnings about its config go to stderr. */
export async function variantProject(
  command: Command,
  io: CliIo,
): Promise<{ readonly project: Project; readonly variants: VariantOptions }> {
  const project = await projectFor(command, io);
  for (const problem of project.problems) io.err(visible(formatProblem(problem)));
  return { project, variants: variantOptions(project.settings, io.env, io.cwd) };
}
