import type { Command } from "commander";
import { leakWarnings, textsUnderTest } from "../../core/case/shared-runs.ts";
import type { Case } from "../../core/nouns/case.ts";
import { InputError, type Problem, problem } from "../../core/nouns/problem.ts";
import type { Variant } from "../../core/nouns/variant.ts";
import { sha256 } from "../../io/digest.ts";
import { type OpenedProject, pathFrom, readCases } from "../../io/project.ts";
import { variantOptions } from "../../io/variant-settings.ts";
import { isSkillRefused } from "../../io/variant-skills.ts";
import { openVariant } from "../../io/variants.ts";
import type { CliIo } from "../command.ts";
import { EXIT } from "../exit.ts";
import { declareFlags, openedFor } from "../options.ts";
import { tellProblems } from "../tell.ts";
import { preflight } from "../run/preflight.ts";
import { count } from "../../core/text/count.ts";

interface Options {
  readonly strict?: boolean;
  readonly json?: boolean;
}

const HELP = `
Checks evalkit.yaml, the cases, and the prompts and skills of the working tree. No model is called.
Exit code 0: nothing is wrong, or warnings only. 2: something is wrong (with --strict: warnings too).

Examples:
  evalkit validate
  evalkit validate cases/web-access.yaml --strict
  evalkit validate --json | jq '.problems[].message'
`;

/** `evalkit validate`: everything that is wrong with a project, each fault with file, line and key. */
export function define(command: Command, io: CliIo): void {
  declareFlags(command, ["layout"])
    .argument("[path...]", "case files, folders or globs; all cases where none is given")
    .option("--strict", "warnings are faults too")
    .option("--json", "print the result as JSON")
    .addHelpText("after", HELP)
    .action((paths: readonly string[], options: Options) => validate(command, paths, options, io));
}

async function validate(
  command: Command,
  paths: readonly string[],
  options: Options,
  io: CliIo,
): Promise<void> {
  const project = openedFor(command, io);
  const selected = paths.length === 0 ? null : paths.map((path) => pathFrom(path, io.cwd, project.root));
  const read = await readCases(project, { paths: selected, filters: [], tags: [] });
  const problems = [...project.problems, ...read.problems];
  if (read.cases.length === 0 && read.problems.length === 0) problems.push(noCases(project));
  problems.push(...(await checkVariant(project, read.cases, io)));
  report(problems, { cases: read.cases.length, files: read.files.length }, options, io);
}

/** Prompts and skills of the working tree, and the cases against them. A broken config says nothing about where they lie. */
async function checkVariant(project: OpenedProject, cases: readonly Case[], io: CliIo): Promise<Problem[]> {
  if (project.broken) return [];
  const options = variantOptions(project.settings, io.env, io.cwd);
  let variant: Variant;
  try {
    variant = await openVariant(project.root, "worktree", options);
  } catch (error) {
    if (error instanceof InputError) return [...error.problems];
    throw error;
  }
  const texts = textsUnderTest([variant]);
  const notes = variant.notes.map((note): Problem => {
    return isSkillRefused(note) ? { ...note, severity: "error" } : note;
  });
  return [...notes, ...together(cases, variant), ...cases.flatMap((one) => leakWarnings(one, texts))];
}

function together(cases: readonly Case[], variant: Variant): readonly Problem[] {
  try {
    return preflight(cases, { baseline: variant, candidate: variant }, sha256).warnings;
  } catch (error) {
    if (error instanceof InputError) return error.problems;
    throw error;
  }
}

function noCases({ home }: OpenedProject): Problem {
  const message = `no case files (yaml, yml) lie below ${home.roots.map((path) => `${path}/`).join(", ")}`;
  return problem(
    "no-cases",
    {},
    message,
    "evalkit init writes a first case; one in JSON is read too once its name ends in .yaml",
  );
}

function report(
  problems: readonly Problem[],
  counts: { readonly cases: number; readonly files: number },
  options: Options,
  io: CliIo,
): void {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  const failed = errors > 0 || (options.strict === true && warnings > 0);
  if (options.json === true) {
    const flat = problems.map(({ where, ...rest }) => ({ ...rest, ...where }));
    io.out(
      JSON.stringify({ schema: "evalkit.validate/1", ...counts, errors, warnings, problems: flat }, null, 2),
    );
  } else {
    tellProblems(problems, io);
    const found = [
      ...(errors > 0 ? [count(errors, "error")] : []),
      ...(warnings > 0 ? [count(warnings, "warning")] : []),
    ];
    const verdict = found.length === 0 ? "no problems" : found.join(", ");
    io.out(`${count(counts.cases, "case")} in ${count(counts.files, "file")}: ${verdict}`);
  }
  if (failed) io.exit(EXIT.usage);
}
