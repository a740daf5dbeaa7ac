import { basename } from "node:path";
import { caseDigest } from "../../core/case/digest.ts";
import { leakWarnings, textsUnderTest } from "../../core/case/shared-runs.ts";
import type { Case } from "../../core/nouns/case.ts";
import { fail, formatProblem, type Problem, warning } from "../../core/nouns/problem.ts";
import type { RunRecord } from "../../core/nouns/run.ts";
import type { Variant } from "../../core/nouns/variant.ts";
import { recordArm } from "../../core/record/arm-record.ts";
import { caseChanges as changesOf } from "../../core/record/case-changes.ts";
import { isJudged } from "../../core/record/judge-settings.ts";
import { settingsBody } from "../../core/reply/request.ts";
import { planSequential } from "../../core/sequential/plan.ts";
import { sha256 } from "../../io/digest.ts";
import { commitsBetween, openGitTree } from "../../io/git.ts";
import { DEFAULT_BASE_URL, serverHost } from "../../io/openai-model.ts";
import { casesAt, configDriftAt, loadCases, type Project } from "../../io/project.ts";
import { newRunId } from "../../io/random-id.ts";
import { judgePrompt } from "../../run/judge.ts";
import type { CliIo } from "../command.ts";
import { VERSION } from "../version.ts";
import { openArms, type Variants } from "./arms.ts";
import { unpriced } from "./budget-warnings.ts";
import { connectionChanged, connectionOfBranch, refuseChosenBaseline } from "./connection.ts";
import { checkAnswerable, hasServer, requestSettings } from "./model.ts";
import { preflight } from "./preflight.ts";

/** A run as planned: everything is read and checked, nothing is paid and no file is written. */
export interface PreparedRun {
  readonly project: Project;
  readonly cases: readonly Case[];
  readonly arms: Variants;
  readonly record: RunRecord;
  readonly warnings: readonly Problem[];
}

/** Reads both versions and all cases and checks them together. Throws InputError before anything is paid. */
export async function prepare(project: Project, io: CliIo): Promise<PreparedRun> {
  await refuseChosenBaseline(project, io);
  const { cases, problems } = await loadCases(project);
  const arms = await openArms(project.root, project.settings, io);
  return planRun(project, cases, arms, problems, io);
}

/** The plan of a run over versions and cases that are read. Throws InputError where they don't fit together. */
export async function planRun(
  project: Project,
  cases: readonly Case[],
  arms: Variants,
  problems: readonly Problem[],
  io: CliIo,
): Promise<PreparedRun> {
  const { root, settings } = project;
  checkModel(arms, project);
  await checkAnswerable(project, io.env);
  const checked = preflight(cases, arms, sha256);
  const baseline = recordArm(arms.baseline, checked.tools.baseline, sha256);
  const candidate = recordArm(arms.candidate, checked.tools.candidate, sha256);
  const held = await heldAgainst(project, cases, arms.baseline, io);
  const warnings = [
    ...project.problems,
    ...held.warnings,
    ...problems,
    ...variantNotes(arms),
    ...checked.warnings,
    ...leaks(cases, arms),
    ...judgeWarnings(cases, project),
    ...unpriced(
      [
        ...[arms.baseline, arms.candidate].map((arm) => arm.model ?? settings.model),
        ...judgeOf(cases, project),
      ],
      settings,
    ),
  ];
  const { caseChanges, policyChanges } = held;
  const record = recordOf(project, cases, {
    arms: { baseline: baseline.record, candidate: candidate.record },
    commits: await commitsOf(root, arms, io),
    caseChanges,
    policyChanges,
    texts: { ...baseline.texts, ...candidate.texts, ...checked.texts },
    notes: [...new Set(warnings.map(formatProblem))],
  });
  return { project, cases, arms, record, warnings };
}

/** What the two versions and the baseline's commit gave for run.json. */
type ReadParts = Pick<RunRecord, "arms" | "commits" | "caseChanges" | "policyChanges" | "texts" | "notes">;

/** run.json as planned: the settings, the cases, and what was read of the versions. */
function recordOf({ settings, provenance }: Project, cases: readonly Case[], read: ReadParts): RunRecord {
  const seed = settings.seed ?? 0;
  const ids = cases.map(({ id }) => id);
  const asks = settings.replay !== "strict" && hasServer(settings);
  return {
    schema: "evalkit.run/1",
    runId: settings.runId ?? newRunId(new Date()),
    createdAt: new Date().toISOString(),
    evalkit: VERSION,
    node: process.version,
    kind: "run",
    aa: settings.aa,
    seed,
    trials: settings.trials,
    arms: read.arms,
    commits: read.commits,
    cases: cases.map((item) => ({ id: item.id, digest: caseDigest(item, sha256), case: item })),
    caseChanges: read.caseChanges,
    policyChanges: read.policyChanges,
    judgePrompt: cases.some(isJudged) ? sha256(judgePrompt()) : null,
    model: {
      name: settings.model,
      server: asks ? serverHost(settings.baseUrl ?? DEFAULT_BASE_URL) : null,
      request: settingsBody(requestSettings(settings), 1, true),
      replay: settings.replay,
    },
    settings: provenance.map(({ key, value, from }) => ({ key, value, from })),
    policy: settings.gate,
    sequential: settings.sequential ? planSequential(ids, seed) : null,
    texts: read.texts,
    notes: read.notes,
  };
}

function checkModel(arms: Variants, project: Project): void {
  const named = project.settings.model !== null;
  if (named || (arms.baseline.model !== null && arms.candidate.model !== null)) return;
  fail(
    "no-model",
    { key: "model" },
    "no model is named: which one is to be tested?",
    `give --model NAME, set EVALKIT_MODEL, or write model: NAME into ${basename(project.config ?? "evalkit.yaml")}`,
  );
}

function judgeWarnings(cases: readonly Case[], { settings }: Project): Problem[] {
  const judged = cases.filter(isJudged);
  if (judged.length === 0) return [];
  if (settings.judge.model === null) {
    const which = judged.map(({ id }) => id).join(", ");
    return [
      warning(
        "no-judge",
        { key: "judge.model" },
        `no judge model is named: taskCompletion is not scored in ${which}`,
        "give --judge-model NAME",
      ),
    ];
  }
  if (settings.judge.model !== settings.model) return [];
  return [
    warning(
      "judge-is-tested",
      { key: "judge.model" },
      `the judge ${settings.judge.model} is the model under test: it favours its own answers`,
      "name a model of another family",
    ),
  ];
}

/** The judge that the cases need, if any does. */
function judgeOf(cases: readonly Case[], { settings }: Project): (string | null)[] {
  return cases.some(isJudged) ? [settings.judge.model] : [];
}

function variantNotes(arms: Variants): Problem[] {
  const all = [...arms.baseline.notes, ...arms.candidate.notes];
  return [...new Map(all.map((note) => [formatProblem(note), note])).values()];
}

/** A case that quotes the prompt or skill under test tells the baseline what the candidate is to be credited for. */
function leaks(cases: readonly Case[], arms: Variants): Problem[] {
  const texts = textsUnderTest([arms.baseline, arms.candidate]);
  return cases.flatMap((item) => leakWarnings(item, texts));
}

function commitOf({ source }: Variant): string | null {
  return source.kind === "dir" ? null : source.commit;
}

async function commitsOf(root: string, arms: Variants, io: CliIo): Promise<RunRecord["commits"]> {
  const from = commitOf(arms.baseline);
  const to = commitOf(arms.candidate);
  if (from === null || to === null || from === to) return [];
  return (await commitsBetween(root, from, to, io.env)).map(({ commit, subject, body }) => ({
    commit,
    subject,
    body,
  }));
}

/** What the baseline's own commit says of cases and policy: neither is the candidate's to bend or to drop. */
async function heldAgainst(
  project: Project,
  cases: readonly Case[],
  baseline: Variant,
  io: CliIo,
): Promise<Pick<RunRecord, "caseChanges" | "policyChanges"> & { readonly warnings: readonly Problem[] }> {
  if (baseline.source.kind !== "git") {
    return { caseChanges: null, policyChanges: [], warnings: await connectionOfBranch(project, io) };
  }
  const tree = await openGitTree(project.root, baseline.source.commit, io.env);
  const before = await casesAt(project, tree);
  const { policy, connection } = await configDriftAt(project, tree);
  const warnings = connectionChanged(connection, project, io);
  const digests = (items: readonly Case[]) =>
    new Map(items.map((item) => [item.id, caseDigest(item, sha256)]));
  return { caseChanges: changesOf(digests(before), digests(cases)), policyChanges: [...policy], warnings };
}
