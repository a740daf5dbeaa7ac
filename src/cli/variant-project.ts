import type { Command } from "commander";
import { LAYOUT_FLAGS } from "../core/config/flags.ts";
import type { Project } from "../io/project.ts";
import { variantOptions } from "../io/variant-settings.ts";
import type { VariantOptions } from "../io/variants.ts";
import type { CliIo } from "./command.ts";
import { declareFlags, projectFor } from "./options.ts";
import { tellProblems } from "./tell.ts";

/** Declares the flags of a command that reads one variant. */
export function addVariantFlags(command: Command): Command {
  const names = [...LAYOUT_FLAGS.map(({ name }) => name), "json"];
  return declareFlags(command, ["layout", "output"], names).option(
    "--variant <variant>",
    "branch, tag, sha, worktree or dir:PATH, with suffixes",
    "worktree",
  );
}

/** The project a command works in, and how its variants are opened. Warnings about its config go to stderr. */
export async function variantProject(
  command: Command,
  io: CliIo,
): Promise<{ readonly project: Project; readonly variants: VariantOptions }> {
  const project = await projectFor(command, io);
  tellProblems(project.problems, io);
  return { project, variants: variantOptions(project.settings, io.env, io.cwd) };
}
