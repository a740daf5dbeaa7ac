import type { Command } from "commander";
import { join } from "node:path";
import { mutantsOf, type Mutant } from "../../core/mutate/mutants.ts";
import { fail } from "../../core/nouns/problem.ts";
import { compileGlob } from "../../core/text/glob.ts";
import { sha256 } from "../../io/digest.ts";
import { loadCases, type Project, reportsDir } from "../../io/project.ts";
import { newRunId } from "../../io/random-id.ts";
import { variantOptions } from "../../io/variant-settings.ts";
import { openVariant } from "../../io/variants.ts";
import { toolSpecsFor } from "../../run/tools/offered.ts";
import type { CliIo } from "../command.ts";
import { EXIT } from "../exit.ts";
import { declareFlags, projectFor } from "../options.ts";
import { connectionOfBranch } from "../run/connection.ts";
import { type MutationReport, mutationCheck } from "../run/mutate.ts";
import { visible } from "../../core/text/visible.ts";

const HELP = `
Each mutant is the variant with one small damage: a layer or a section of base.md left out, a skill emptied, a tool's
description blurred. A suite that notices none of them guards nothing. Costs cases × trials × (mutants + 1) trials.

Examples:
  evalkit mutate --list
  evalkit mutate --mutants 'base-*' --trials 1
`;

/** `evalkit mutate`: damages a variant on purpose and tells what the cases notice. */
export function define(command: Command, io: CliIo): void {
  command.option("--variant <variant>", "the version to damage", "worktree");
  command.option("--mutants <glob...>", "only mutants whose name matches");
  command.option("--list", "list the mutants, run nothing");
  declareFlags(command, ["cases", "run", "model", "limits", "gate", "judge", "layout", "output"]);
  command.addHelpText("after", HELP);
  command.action(async (options: { variant: string; mutants?: string[]; list?: boolean }) => {
    const project = await projectFor(command, io, options.list !== true);
    const variant = await openVariant(
      project.root,
      options.variant,
      variantOptions(project.settings, io.env, io.cwd),
    );
    const { cases, problems } = await loadCases(project);
    const tools = [
      ...new Set(cases.flatMap((item) => toolSpecsFor(item, variant).map((spec) => spec.function.name))),
    ];
    const mutants = chosen(mutantsOf(variant, tools.sort(), sha256), options.mutants ?? []);
    if (options.list === true) return list(mutants, project, io);
    await connectionOfBranch(project, io);
    const dir = join(reportsDir(project), project.settings.runId ?? `mutate-${newRunId(new Date())}`);
    const report = await mutationCheck({ project, variant, cases, problems, mutants, dir }, io);
    tell(report, dir, project, io);
  });
}

function chosen(mutants: readonly Mutant[], globs: readonly string[]): readonly Mutant[] {
  if (globs.length === 0) return mutants;
  const matches = globs.map((glob) => compileGlob(glob, "names"));
  const some = mutants.filter(({ name }) => matches.some((match) => match(name)));
  return some.length > 0
    ? some
    : fail(
        "no-mutants",
        { key: "--mutants" },
        `no mutant matches ${globs.join(", ")}`,
        "evalkit mutate --list names them",
      );
}

function list(mutants: readonly Mutant[], { settings }: Project, io: CliIo): void {
  if (settings.json)
    io.out(
      JSON.stringify(
        mutants.map(({ name, what }) => ({ name, what })),
        null,
        2,
      ),
    );
  else for (const { name, what } of mutants) io.out(visible(`${name.padEnd(36)} ${what}`));
}

function tell(report: MutationReport, dir: string, { settings }: Project, io: CliIo): void {
  if (settings.json) io.out(JSON.stringify(report, null, 2));
  else for (const line of linesOf(report)) io.out(visible(line));
  io.err(`runs: ${dir}`);
  if (report.stopped !== null) io.err(`stopped early: ${report.stopped}`);
  io.exit(
    report.interrupted
      ? EXIT.interrupted
      : report.mutants.some(({ noticed }) => noticed !== "unknown")
        ? EXIT.ok
        : EXIT.harness,
  );
}

function linesOf(report: MutationReport): string[] {
  const words = {
    gate: "fails the gate",
    worse: "worse",
    unsure: "perhaps",
    survived: "SURVIVED",
    unknown: "no data",
  };
  const caught = report.mutants.filter(({ noticed }) => noticed === "gate" || noticed === "worse").length;
  const perhaps = report.mutants.filter(({ noticed }) => noticed === "unsure").length;
  return [
    ...report.mutants.map(({ what, noticed, cases }) => {
      const which =
        cases.length === 0
          ? ""
          : `: ${cases.slice(0, 3).join(", ")}${cases.length > 3 ? ` and ${cases.length - 3} more` : ""}`;
      return `${words[noticed].padEnd(14)} ${what}${which}`;
    }),
    "",
    `${caught} of ${report.mutants.length} mutants noticed${perhaps === 0 ? "" : `, ${perhaps} perhaps: cases changed, which may be chance (more --trials tell)`}`,
    ...report.blind.map(
      ({ case: id, check, always }) => `tells nothing apart: ${id}: ${check} (always ${always})`,
    ),
  ];
}
