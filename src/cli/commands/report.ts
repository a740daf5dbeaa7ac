import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, extname, join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { fail } from "../../core/nouns/problem.ts";
import type { Summary } from "../../core/nouns/summary.ts";
import { junitReport } from "../../core/report/junit.ts";
import { terminalReport } from "../../core/report/terminal.ts";
import { rewriteSummary } from "../../io/human.ts";
import { writeReports } from "../../io/report-files.ts";
import type { SavedRun } from "../../io/open-run.ts";
import type { CliIo } from "../command.ts";
import { declareSavedRun, openSavedRun } from "../saved-run.ts";
import { visible } from "../../core/text/visible.ts";
import { writeAtomically } from "../../io/files.ts";

const FORMATS = ["terminal", "md", "html", "json", "junit"] as const;
type Format = (typeof FORMATS)[number];

interface Flags {
  readonly format?: Format;
  readonly out?: string;
  readonly template?: string;
  readonly junit?: string;
  readonly json?: true;
}

const HELP = `
report.md and report.html of the run are written again from its saved files alone: no model is called, no verdict is
decided anew (evalkit gate does that). report.md follows docs/prompt-analysis-template.md of the project, if there is
one.

Examples:
  evalkit report latest
  evalkit report latest --format md --template docs/our-template.md
  evalkit report latest --out verdict.html
  evalkit report latest --junit junit.xml
`;

/** `evalkit report RUN`: writes a saved run's reports again and prints one of them. */
export function define(command: Command, io: CliIo): void {
  declareSavedRun(command)
    .argument("<run>", "run id, run folder, or latest")
    .addOption(
      new Option("--format <format>", "what to print (default: terminal, or by the ending of --out)").choices(
        FORMATS,
      ),
    )
    .option("--out <file>", "write it to this file instead of printing it")
    .option("--template <file>", "template of report.md instead of the project's")
    .option("--junit <file>", "write JUnit XML to this file as well")
    .option("--json", "the same as --format json")
    .addHelpText("after", HELP)
    .action((run: string, flags: Flags) => report(run, flags, command, io));
}

async function report(name: string, flags: Flags, command: Command, io: CliIo): Promise<void> {
  const format = formatOf(flags);
  const { run } = await openSavedRun(name, command, io);
  const summary = (await run.summary()) ?? (await rewriteSummary(run));
  const template = flags.template === undefined ? {} : { template: resolve(io.cwd, flags.template) };
  for (const told of await writeReports(run.dir, template)) io.err(visible(told));
  if (flags.junit !== undefined) await writeTo(flags.junit, junitReport(run.record, summary), io);
  const text = await textOf(format, run, summary, flags.out === undefined, io);
  if (flags.out === undefined) io.out(text.trimEnd());
  else await writeTo(flags.out, text, io);
  io.err(`reports: ${join(run.dir, "report.md")}, report.html`);
}

/** By `--format`, `--json`, or the ending of `--out`. */
function formatOf({ format, json, out }: Flags): Format {
  if (json && format !== undefined && format !== "json")
    fail("bad-flag", { key: "--json" }, `--json and --format ${format} contradict each other`);
  if (json) return "json";
  return format ?? ENDINGS[extname(out ?? "").toLowerCase()] ?? "terminal";
}

const ENDINGS: Readonly<Record<string, Format>> = {
  ".md": "md",
  ".html": "html",
  ".htm": "html",
  ".json": "json",
  ".xml": "junit",
};

async function textOf(
  format: Format,
  run: SavedRun,
  summary: Summary,
  printed: boolean,
  io: CliIo,
): Promise<string> {
  switch (format) {
    case "terminal":
      return `${terminalReport(run.record, summary, io.width, printed && io.colour.stdout)}\n`;
    case "md":
      return readFile(join(run.dir, "report.md"), "utf8");
    case "html":
      return readFile(join(run.dir, "report.html"), "utf8");
    case "json":
      return `${JSON.stringify(summary, null, 2)}\n`;
    case "junit":
      return junitReport(run.record, summary);
  }
}

async function writeTo(file: string, text: string, io: CliIo): Promise<void> {
  const path = resolve(io.cwd, file);
  if (!existsSync(dirname(path)))
    fail("no-such-folder", { file }, `the folder of ${file} does not exist`, "make it first");
  await writeAtomically(path, text);
  io.err(`written: ${file}`);
}
