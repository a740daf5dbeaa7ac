import * as z from "zod";
import { Case } from "./case.ts";
import { ARMS, METRICS, Score } from "./score.ts";
import { Event, Outcome, Usage } from "./transcript.ts";

/** One line of trials.jsonl, written when the trial ends. */
export const TrialLine = z.object({
  case: z.string(),
  arm: z.enum(ARMS),
  trial: z.int().min(1),
  status: z.enum(["finished", "stopped", "broken"]),
  outcome: Outcome,
  answer: z.string(),
  events: z.array(Event),
  scores: z.partialRecord(z.enum(METRICS), Score),
  /** Where the replies came from. */
  replies: z.enum(["live", "replayed", "mixed", "none"]),
  startedAt: z.string(),
  seconds: z.number(),
  /**
   * What judging took, apart from the trial's own turns and tokens; null where no judge was asked. `replayed` of the calls
   * were served from recordings, `cost` is theirs at the judge's own price; null in lines of older versions, and where the
   * price or a reply's usage is unknown.
   */
  judge: z
    .object({
      calls: z.int(),
      replayed: z.int().nullable().default(null),
      unparsable: z.int(),
      usage: Usage.nullable(),
      cost: z.number().nullable().default(null),
    })
    .nullable()
    .default(null),
});
export type TrialLine = z.infer<typeof TrialLine>;

/** A gate's policy, from config and flags. */
export const GatePolicy = z.object({
  metrics: z.array(z.enum(METRICS)),
  margin: z.number(),
  alpha: z.number(),
  coverage: z.number(),
  /** A critical case may not fail in any candidate trial. */
  critical: z.boolean(),
  /** Per-case regressions at a Holm-corrected level fail the gate. */
  caseRegressions: z.boolean(),
  /** Ids of cases that may be removed or changed against the baseline. */
  allowRemoved: z.array(z.string()),
  allowChanged: z.array(z.string()),
  /** Highest allowed relative rise of cost (tokens where prices are unknown), such as 0.2; null: not gated. */
  maxCostIncrease: z.number().nullable(),
  /** Human dimensions that are gated: accuracy, completeness, safety. */
  human: z.array(z.string()),
  /** `pass` turns exit code 3 into 0, and says so. */
  undecided: z.enum(["fail", "pass"]),
});
export type GatePolicy = z.infer<typeof GatePolicy>;

const LayerRecord = z.object({
  path: z.string(),
  tier: z.string(),
  file: z.string(),
  replaces: z.array(z.string()),
  bytes: z.int(),
  digest: z.string(),
});
const SkillRecord = z.object({
  name: z.string(),
  description: z.string(),
  tier: z.string(),
  file: z.string(),
  replaces: z.array(z.string()),
  enabled: z.boolean(),
  digest: z.string(),
  /** Digest of the body alone; its text stands in `texts`. */
  bodyDigest: z.string(),
});

/** One arm as recorded in run.json. Imported runs have a label and nothing else. */
export const ArmRecord = z.object({
  variant: z.string(),
  commit: z.string().nullable(),
  dirty: z.boolean(),
  digest: z.string().nullable(),
  profile: z.string().nullable(),
  delivery: z.string().nullable(),
  model: z.string().nullable(),
  layers: z.array(LayerRecord),
  skills: z.array(SkillRecord),
  skillCounts: z.object({ found: z.int(), loaded: z.int(), refused: z.int() }),
  /** Digest of the tool list (names, descriptions, parameters) that each case was given, by case id. */
  tools: z.record(z.string(), z.string()),
  /** Notes and warnings met while reading the variant, as printed. */
  notes: z.array(z.string()),
});
export type ArmRecord = z.infer<typeof ArmRecord>;

/** A commit between the baseline and the candidate: the why of a change. */
export const CommitRecord = z.object({ commit: z.string(), subject: z.string(), body: z.string() });

/** run.json: the plan, written before the first model call. */
export const RunRecord = z.object({
  schema: z.literal("evalkit.run/1"),
  runId: z.string(),
  createdAt: z.string(),
  evalkit: z.string(),
  node: z.string(),
  kind: z.enum(["run", "import"]),
  aa: z.boolean(),
  seed: z.int(),
  trials: z.int(),
  /** Trials that each arm should have: of results from elsewhere, which bring no plan, and of arms of two runs. */
  planned: z.object({ baseline: z.int(), candidate: z.int() }).optional(),
  arms: z.object({ baseline: ArmRecord.nullable(), candidate: ArmRecord.nullable() }),
  commits: z.array(CommitRecord),
  /** The whole cases with their digests; a report is drawn from here, not from the working tree. */
  cases: z.array(z.object({ id: z.string(), digest: z.string(), case: Case.nullable() })),
  /** Cases, policy and graders of the baseline's own commit against those in use. */
  caseChanges: z
    .object({ removed: z.array(z.string()), changed: z.array(z.string()), added: z.array(z.string()) })
    .nullable(),
  /** Settings of the policy (gate, limits, judge, trials, …) that the config file sets otherwise than the baseline's. */
  policyChanges: z.array(z.string()).default([]),
  model: z.object({
    name: z.string().nullable(),
    /** Host only, never credentials. */
    server: z.string().nullable(),
    /** Body fields sent with every call (temperature, max_tokens, seed, stream, extra request fields). */
    request: z.record(z.string(), z.unknown()),
    replay: z.string(),
  }),
  /** Digest of what a judge is told around what it judges; null: no case asks a judge, or an older version ran it. */
  judgePrompt: z.string().nullable().default(null),
  /** Every setting, its value and where it came from: flag, env, file, default. */
  settings: z.array(z.object({ key: z.string(), value: z.unknown(), from: z.string() })),
  policy: GatePolicy,
  /** Sequential mode: cases in seeded random order and how many of them are seen at each look; else null. */
  sequential: z
    .object({ order: z.array(z.string()), looks: z.array(z.int()) })
    .nullable()
    .default(null),
  /** Texts by digest: layers, skill bodies, assembled system prompts. */
  texts: z.record(z.string(), z.string()),
  notes: z.array(z.string()),
});
export type RunRecord = z.infer<typeof RunRecord>;
