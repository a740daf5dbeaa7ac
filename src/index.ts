/**
 * evalkit as a library: the parts of `evalkit run`, to be put together otherwise. What is not exported here is no
 * promise. See README, "As a library".
 */
export { VERSION } from "./cli/version.ts";

export type { Case } from "./core/nouns/case.ts";
export { formatProblem, InputError, type Problem } from "./core/nouns/problem.ts";
export type { GatePolicy, RunRecord, TrialLine } from "./core/nouns/run.ts";
export type { Arm, Metric, Score, TrialKey, TrialResult } from "./core/nouns/score.ts";
export type { Comparison, Estimate, Gate, Summary, Verdict } from "./core/nouns/summary.ts";
export type { Event, Failure, Outcome, Reply, ToolCall, Usage } from "./core/nouns/transcript.ts";
export type { Layer, Skill, Variant } from "./core/nouns/variant.ts";

// Cases, prompts, skills
export { parseCases } from "./core/case/parse.ts";
export { type AssembledPrompt, assemblePrompt } from "./core/prompt/assemble.ts";
export { parseSkill } from "./core/skill/skill-file.ts";
export { openVariant, type VariantOptions } from "./io/variants.ts";
export { loadCases, loadProject, type Project } from "./io/project.ts";

// Models and trials
export type {
  CallContext,
  Clock,
  Listener,
  Model,
  ModelRequest,
  ModelResult,
  Store,
  TrialPlan,
} from "./run/ports.ts";
export { systemClock } from "./io/clock.ts";
export { sha256 } from "./io/digest.ts";
export { openAiModel, type OpenAiOptions } from "./io/openai-model.ts";
export { type RecordingOptions, withRecordings } from "./io/recordings.ts";
export { withLimiter } from "./run/limiter.ts";
export { withRetries } from "./run/retry.ts";
export { modelJudge } from "./run/judge.ts";
export { runAll, type RunnerDeps } from "./run/runner.ts";
export { schedule } from "./run/schedule.ts";
export { type ArmSetup, runTrial, type TrialDeps } from "./run/trial.ts";

// Verdicts
export { compareMetric } from "./core/compare/compare-metric.ts";
export { indexScores, type PairedCase, pairCases, type Pairs } from "./core/compare/pairs.ts";
export { importRecord, type ImportOptions } from "./core/import/import-record.ts";
export { type ImportedRow, parseResults } from "./core/import/parse-results.ts";
export { type NextLook, nextLook } from "./core/sequential/next-look.ts";
export { planSequential } from "./core/sequential/plan.ts";
export { rowOf, type TrialRow } from "./core/summary/rows.ts";
export { summarise } from "./core/summary/summarise.ts";
export { terminalReport } from "./core/report/terminal.ts";
export { openRun, type SavedRun } from "./io/open-run.ts";
