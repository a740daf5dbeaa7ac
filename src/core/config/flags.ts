import { DELIVERIES, PROFILES } from "../nouns/variant.ts";
import { METRICS } from "../nouns/score.ts";
import { kebab, type SettingPath } from "./keys.ts";
import { REPLAY_MODES } from "./settings.ts";
import { DIMENSIONS } from "../sheet/columns.ts";

/** How the text of a flag or variable is read. */
export type FlagKind = "text" | "texts" | "integer" | "number" | "switch";

/** One flag of the command line and its `EVALKIT_*` variable. */
export interface Flag {
  readonly path: SettingPath;
  /** Without dashes: `base-url`. The variable is `EVALKIT_BASE_URL`. */
  readonly name: string;
  readonly short?: string;
  readonly kind: FlagKind;
  /** Placeholder in the help, such as `<n>`; switches have none. */
  readonly value?: string;
  readonly help: string;
  /** Switches that are on by default are declared as `--no-NAME`. */
  readonly negative?: boolean;
}

type Rest = Omit<Flag, "path" | "name" | "kind" | "help" | "value">;
const flag = (
  path: SettingPath,
  kind: FlagKind,
  value: string,
  help: string,
  rest: Rest & { name?: string } = {},
): Flag => ({
  path,
  name: kebab(path[path.length - 1] ?? ""),
  kind,
  help,
  ...(value === "" ? {} : { value }),
  ...rest,
});

/** Which arms are compared. */
export const ARM_FLAGS: readonly Flag[] = [
  flag(
    ["baseline"],
    "text",
    "<variant>",
    "the version to compare against: a branch, tag, sha, worktree or dir:PATH",
  ),
  flag(["candidate"], "text", "<variant>", "the version under test"),
  flag(["aa"], "switch", "", "allow two equal arms: an A/A run measures the noise"),
];

/** Where prompts and skills lie and how they are put together. */
export const LAYOUT_FLAGS: readonly Flag[] = [
  flag(["prompts"], "text", "<dir>", "folder of the prompt layers"),
  flag(["skills"], "text", "<dir>", "folder of the skills"),
  flag(["profile"], "text", "<name>", `how the prompt is assembled: ${PROFILES.join(", ")}`),
  flag(["delivery"], "text", "<mode>", `how a loaded skill reaches the model: ${DELIVERIES.join(", ")}`),
  flag(["personality"], "text", "<name>", "file in personalities/, without .md"),
  flag(["tierDir"], "text", "<dir>", "folder of a project's own layers and skills"),
  flag(["userTier"], "switch", "", "also use the layers and skills in the home folder"),
];

/** Which cases are meant. */
export const CASE_FLAGS: readonly Flag[] = [
  flag(["cases"], "texts", "<path...>", "folders, files or globs of cases"),
  flag(["filter"], "texts", "<glob...>", "only cases whose id matches one of these"),
  flag(["tag"], "texts", "<tag...>", "only cases with one of these tags"),
];

/** The model under test and its server. */
export const MODEL_FLAGS: readonly Flag[] = [
  flag(["model"], "text", "<name>", "model to ask"),
  flag(["baseUrl"], "text", "<url>", "any OpenAI-compatible server; else OPENAI_BASE_URL"),
  flag(["temperature"], "number", "<t>", "sampling temperature; not sent unless given"),
  flag(["maxTokens"], "integer", "<n>", "most tokens of one reply; not sent unless given"),
  flag(["seed"], "integer", "<n>", "seed of sampling and of everything drawn by evalkit"),
  flag(["stream"], "switch", "", "ask for whole replies instead of streams", { negative: true }),
  flag(["timeout"], "number", "<seconds>", "longest wait for one model call"),
  flag(["retries"], "integer", "<n>", "tries again after a failed model call"),
];

/** How a run is carried out and kept. */
export const RUN_FLAGS: readonly Flag[] = [
  flag(["trials"], "integer", "<n>", "runs of each case in each arm"),
  flag(["concurrency"], "integer", "<n>", "trials at a time", { short: "-j" }),
  flag(["replay"], "text", "<mode>", `use of recordings: ${REPLAY_MODES.join(", ")}`),
  flag(["recordings"], "text", "<dir>", "folder of recorded replies"),
  flag(["reports"], "text", "<dir>", "folder of runs"),
  flag(["runId"], "text", "<id>", "name of the run; else made from the time"),
  flag(["resume"], "text", "<run>", "run what is missing in this run: an id, its folder, or latest"),
  flag(["retryBroken"], "switch", "", "with --resume: run broken trials again too"),
  flag(["sequential"], "switch", "", "look after each quarter of the cases and stop when it is settled"),
];

/** Limits that stop a trial or a run. */
export const LIMIT_FLAGS: readonly Flag[] = [
  flag(["limits", "turns"], "integer", "<n>", "most model calls of one trial", { name: "max-turns" }),
  flag(["limits", "tokens"], "integer", "<n>", "most tokens of one trial", { name: "max-trial-tokens" }),
  flag(["limits", "trialSeconds"], "number", "<seconds>", "longest time of one trial", {
    name: "max-trial-seconds",
  }),
  flag(["limits", "runSeconds"], "number", "<seconds>", "longest time of the run", {
    name: "max-run-seconds",
  }),
  flag(["limits", "runTokens"], "integer", "<n>", "most tokens of the run; --resume counts anew", {
    name: "max-run-tokens",
  }),
  flag(
    ["limits", "runCost"],
    "number",
    "<money>",
    "most money of the run, where prices are known; --resume counts anew",
    {
      name: "max-run-cost",
    },
  ),
];

/** The judge model. */
export const JUDGE_FLAGS: readonly Flag[] = [
  flag(["judge", "model"], "text", "<name>", "model that judges; without it judge checks are not scored", {
    name: "judge-model",
  }),
  flag(["judge", "baseUrl"], "text", "<url>", "the judge's server", { name: "judge-base-url" }),
  flag(["judge", "temperature"], "number", "<t>", "the judge's temperature", { name: "judge-temperature" }),
  flag(["judge", "votes"], "integer", "<n>", "judgements of one criterion; the majority counts", {
    name: "judge-votes",
  }),
];

/** The gate's policy. */
export const GATE_FLAGS: readonly Flag[] = [
  flag(["gate", "metrics"], "texts", "<metric...>", `gated metrics, of ${METRICS.join(", ")}`),
  flag(["gate", "margin"], "number", "<share>", "largest loss that still counts as the same"),
  flag(["gate", "alpha"], "number", "<level>", "level of the tests"),
  flag(["gate", "coverage"], "number", "<share>", "share of trials that must finish"),
  flag(["gate", "critical"], "switch", "", "let critical cases fail", { negative: true }),
  flag(["gate", "caseRegressions"], "switch", "", "do not fail on single cases that got worse", {
    negative: true,
  }),
  flag(["gate", "allowRemoved"], "texts", "<id...>", "cases that may be missing against the baseline"),
  flag(["gate", "allowChanged"], "texts", "<id...>", "cases that may differ from the baseline's"),
  flag(["gate", "maxCostIncrease"], "number", "<share>", "largest rise of cost, such as 0.2"),
  flag(["gate", "human"], "texts", "<dimension...>", `gated scores of people: ${DIMENSIONS.join(", ")}`),
  flag(
    ["gate", "undecided"],
    "text",
    "<what>",
    "what an undecided gate does: fail (exit 3) or pass (exit 0)",
  ),
];

/** Output of a command. */
export const OUTPUT_FLAGS: readonly Flag[] = [
  flag(["json"], "switch", "", "print only JSON to stdout"),
  flag(["quiet"], "switch", "", "no progress"),
];

/** All flags that have a variable too. */
export const ALL_FLAGS: readonly Flag[] = [
  ...ARM_FLAGS,
  ...LAYOUT_FLAGS,
  ...CASE_FLAGS,
  ...MODEL_FLAGS,
  ...RUN_FLAGS,
  ...LIMIT_FLAGS,
  ...JUDGE_FLAGS,
  ...GATE_FLAGS,
  ...OUTPUT_FLAGS,
];

/** The environment variable of a flag. */
export function variableOf(name: string): string {
  return `EVALKIT_${name.toUpperCase().replaceAll("-", "_")}`;
}
