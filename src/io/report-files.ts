import { existsSync, realpathSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fail, formatProblem, type Problem, warning } from "../core/nouns/problem.ts";
import { gapReport } from "../core/report/gap.ts";
import { htmlReport } from "../core/report/html/page.ts";
import type { ReportInput } from "../core/report/input.ts";
import type { Filled, Template } from "../core/report/template.ts";
import { decodeText, MAX_FILE_BYTES } from "../core/variant/source-text.ts";
import { packageRoot } from "./package-root.ts";
import { findProject } from "./project-root.ts";
import { readReportInput, type WrittenRun } from "./report-input.ts";
import { writeAtomically } from "./files.ts";

/** Where a project's own template lies, from its root; evalkit's own package has one at the same place. */
const TEMPLATE = "docs/prompt-analysis-template.md";

/** Where templates are looked for. */
export interface TemplateChoice {
  /** A template file instead of the project's. */
  readonly template?: string;
  /** Root of the project; without it, the project that the run's folder lies in. */
  readonly root?: string;
}

/**
 * Writes report.md and report.html of a run from its files alone; `written` is what was just put into two of them.
 * Returns warnings about its lines and the template, ready to print. Throws InputError when the run or a named template
 * can't be read.
 */
export async function writeReports(
  runDir: string,
  options: TemplateChoice = {},
  written?: WrittenRun,
): Promise<readonly string[]> {
  const input = await readReportInput(runDir, written);
  const { text, problems } = await gapText(input, runDir, options);
  await writeAtomically(join(runDir, "report.md"), text);
  await writeAtomically(join(runDir, "report.html"), htmlReport(input));
  return [...input.warnings, ...problems].map(formatProblem);
}

/** report.md as a text, and what was wrong with its template. */
export async function gapText(
  input: ReportInput,
  runDir: string,
  options: TemplateChoice = {},
): Promise<Filled> {
  const found = await findTemplate(runDir, options);
  const { text, problems } = gapReport(input, found.template);
  return { text, problems: [...found.problems, ...problems] };
}

interface FoundTemplate {
  readonly template: Template;
  readonly problems: readonly Problem[];
}

async function findTemplate(runDir: string, { template, root }: TemplateChoice): Promise<FoundTemplate> {
  if (template !== undefined) return named(template);
  const home = root ?? findProject(runDir, null).root;
  const own = join(home, TEMPLATE);
  const ours = { file: TEMPLATE, text: await readFile(join(packageRoot(), TEMPLATE), "utf8") };
  if (!existsSync(own)) return { template: ours, problems: [] };
  const read = isLinked(home, own) ? LINKED : await readText(own);
  if (read.ok) return { template: { file: TEMPLATE, text: read.text }, problems: [] };
  // A paid run ends with a report, whatever has become of the template.
  const told = warning(
    "bad-template",
    { file: TEMPLATE },
    `${read.reason}, so evalkit's own template was used`,
  );
  return { template: ours, problems: [told] };
}

async function named(template: string): Promise<FoundTemplate> {
  const read = await readText(resolve(template));
  if (read.ok) return { template: { file: template, text: read.text }, problems: [] };
  return fail("bad-template", { file: template }, `the template ${read.reason}`);
}

/** Whether a link leads to the template: whatever branch is checked out could quote any file of the host that way. */
function isLinked(home: string, own: string): boolean {
  return realpathSync(own) !== join(realpathSync(home), TEMPLATE);
}

type Read = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

const LINKED: Read = { ok: false, reason: "is reached through a link" };

async function readText(path: string): Promise<Read> {
  const there = await stat(path).catch(() => null);
  if (there === null) return { ok: false, reason: "does not exist" };
  if (!there.isFile()) return { ok: false, reason: "is no file" };
  if (there.size > MAX_FILE_BYTES) return { ok: false, reason: "is larger than 1 MiB" };
  return decodeText(await readFile(path));
}
