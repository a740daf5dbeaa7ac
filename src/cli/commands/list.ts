import type { Command } from "commander";
import type { Case } from "../../core/nouns/case.ts";
import { fail } from "../../core/nouns/problem.ts";
import { loadCases, type Project, reportsDir } from "../../io/project.ts";
import { type ListedRun, listRuns } from "../../io/run-list.ts";
import { columns } from "../columns.ts";
import type { CliIo } from "../command.ts";
import { declareFlags, projectFor } from "../options.ts";
import { tellProblems } from "../tell.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { count } from "../../core/text/count.ts";

const KINDS = ["cases", "runs"];
const HELP = `
Examples:
  evalkit list
  evalkit list --tag web-access --json
  evalkit list runs
`;

/** `evalkit list`: the cases that a selection names, or the saved runs. */
export function define(command: Command, io: CliIo): void {
  declareFlags(command, ["cases", "run"], ["cases", "filter", "tag", "reports"])
    .argument("[what]", KINDS.join(" or "), "cases")
    .option("--json", "print the list as JSON")
    .addHelpText("after", HELP)
    .action((what: string, options: { json?: boolean }) => list(command, what, options.json === true, io));
}

async function list(command: Command, what: string, json: boolean, io: CliIo): Promise<void> {
  if (!KINDS.includes(what)) {
    fail(
      "unknown-list",
      {},
      `nothing to list by the name ${what}.${didYouMean(what, KINDS)}`,
      "list cases or list runs",
    );
  }
  const project = await projectFor(command, io);
  tellProblems(project.problems, io);
  if (what === "runs") await printRuns(project, json, io);
  else await printCases(project, json, io);
}

async function printCases(project: Project, json: boolean, io: CliIo): Promise<void> {
  const { cases, problems } = await loadCases(project);
  tellProblems(problems, io);
  if (json) {
    io.out(JSON.stringify(cases.map(asJson), null, 2));
    return;
  }
  const wide = io.width >= 120;
  const rows = cases.map((one) => [
    one.critical ? `${one.id} (critical)` : one.id,
    one.mode,
    ...(wide ? [one.tags.join(",")] : []),
    one.title,
  ]);
  const head = wide ? ["id", "mode", "tags", "title"] : ["id", "mode", "title"];
  for (const line of columns([head, ...rows], io.width)) io.out(line);
  io.err(count(cases.length, "case"));
}

function asJson({ id, title, tags, mode, critical, source }: Case): object {
  return { id, title, tags, mode, critical, file: source.file, line: source.line };
}

async function printRuns(project: Project, json: boolean, io: CliIo): Promise<void> {
  const runs = await listRuns(reportsDir(project));
  if (json) {
    io.out(JSON.stringify(runs, null, 2));
    return;
  }
  const rows = runs.map((run) => [
    run.id,
    run.createdAt.slice(0, 16).replace("T", " "),
    `${run.cases} × ${run.trials}`,
    run.verdict ?? "unfinished",
    armsOf(run),
  ]);
  if (runs.length === 0) io.err(`no runs in ${project.settings.reports}/`);
  else
    for (const line of columns([["run", "made", "cases × trials", "verdict", "arms"], ...rows], io.width))
      io.out(line);
}

function armsOf({ baseline, candidate, kind }: ListedRun): string {
  const names = [baseline, candidate].filter((name) => name !== null).join(" → ");
  return kind === "import" ? `${names} (imported)` : names;
}
