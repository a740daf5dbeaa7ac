import * as z from "zod";
import type { GatePolicy } from "../nouns/run.ts";
import { METRICS } from "../nouns/score.ts";
import { DELIVERIES, PROFILES } from "../nouns/variant.ts";
import { RESERVED_FIELDS } from "../reply/request.ts";
import { DIMENSIONS } from "../sheet/columns.ts";

/** Ways to use recordings: see section 11 of the contract. */
export const REPLAY_MODES = ["auto", "record", "off", "strict"] as const;

const text = z.string().min(1);
const texts = z.array(text);
/** A list, or the one text that it would hold. */
const listOf = <Inner extends z.ZodType<string[]>>(inner: Inner) =>
  z.union([text, inner]).transform((value) => (typeof value === "string" ? [value] : value));
const share = z.number().min(0).max(1);
const count = z.int().min(1);
const seconds = z.number().positive();
const httpUrl = text.regex(/^https?:\/\/[^\s/]+/i, "expected an http or https address");
/** A folder or file inside the project: relative, never climbing out. */
const inside = text
  .refine(isInside, "expected a relative path inside the project, without ..")
  .transform((path) =>
    path
      .replaceAll("\\", "/")
      .replace(/^(\.\/)+/, "")
      .replace(/\/+$/, ""),
  );
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "expected the name of a header");
const headerValue = z
  .string()
  .regex(/^[^\u0000-\u0008\u000a-\u001f\u007f]*$/, "expected a value in one line");

function isInside(path: string): boolean {
  return !/^([/\\]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes("..");
}

/** Money for a million tokens of one model. `cached` is `prompt`'s price where it is not given. */
export const Price = z.strictObject({
  prompt: z.number().min(0),
  cached: z.number().min(0).optional(),
  completion: z.number().min(0),
});
/** Prices by model name. */
export const Prices = z.record(text, Price);
export type Price = z.infer<typeof Price>;
export type Prices = z.infer<typeof Prices>;

/** Limits of a trial (`turns`, `tokens`, `trialSeconds`) and of a run; null: none. */
export const Limits = z.strictObject({
  turns: count.default(20),
  tokens: count.nullable().default(null),
  trialSeconds: seconds.nullable().default(null),
  runSeconds: seconds.nullable().default(null),
  runTokens: count.nullable().default(null),
  runCost: z.number().positive().nullable().default(null),
});
export type Limits = z.infer<typeof Limits>;

const Gate = z.strictObject({
  metrics: z.array(z.enum(METRICS)).default(["toolCallAccuracy", "taskCompletion"]),
  margin: z.number().positive().max(1).default(0.1),
  alpha: z.number().positive().max(0.5).default(0.05),
  coverage: share.default(0.95),
  critical: z.boolean().default(true),
  caseRegressions: z.boolean().default(true),
  allowRemoved: texts.default([]),
  allowChanged: texts.default([]),
  maxCostIncrease: z.number().min(0).nullable().default(null),
  human: z.array(z.enum(DIMENSIONS)).default([]),
  undecided: z.enum(["fail", "pass"]).default("fail"),
});

/** The judge model; what is null is taken from the model under test. No `model`: judge checks are not scored. */
export const JudgeSettings = z.strictObject({
  model: text.nullable().default(null),
  baseUrl: httpUrl.nullable().default(null),
  apiKey: text.nullable().default(null),
  temperature: z.number().min(0).max(2).nullable().default(0),
  maxTokens: count.nullable().default(null),
  votes: count.max(9).default(1),
});
export type JudgeSettings = z.infer<typeof JudgeSettings>;

const Request = z
  .record(text, z.unknown())
  .refine(
    (extra) => !RESERVED_FIELDS.some((name) => Object.hasOwn(extra, name)),
    "request can't set model, messages or tools",
  );

/** Every setting of section 12, checked and complete. Seconds, USD or whatever money `prices` is in, paths from the root. */
export const Settings = z.strictObject({
  baseline: text.nullable().default(null),
  candidate: text.nullable().default(null),
  trials: count.max(1000).default(3),
  concurrency: count.max(1024).default(8),
  model: text.nullable().default(null),
  baseUrl: httpUrl.nullable().default(null),
  apiKey: text.nullable().default(null),
  temperature: z.number().min(0).max(2).nullable().default(null),
  maxTokens: count.nullable().default(null),
  seed: z.int().min(0).max(2_147_483_647).nullable().default(null),
  stream: z.boolean().default(true),
  timeout: seconds.max(86_400).default(120),
  retries: z.int().min(0).max(100).default(4),
  /** Folders, files or globs of cases. */
  cases: listOf(z.array(text).min(1)).default(["cases"]),
  filter: listOf(texts).default([]),
  tag: listOf(texts).default([]),
  replay: z.enum(REPLAY_MODES).default("auto"),
  recordings: text.default("recordings"),
  reports: text.default("reports"),
  runId: text
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "expected up to 100 letters, digits, . _ -")
    .nullable()
    .default(null),
  resume: text.nullable().default(null),
  aa: z.boolean().default(false),
  sequential: z.boolean().default(false),
  retryBroken: z.boolean().default(false),
  userTier: z.boolean().default(false),
  json: z.boolean().default(false),
  quiet: z.boolean().default(false),
  prompts: inside.default("prompts"),
  skills: inside.default("skills"),
  profile: z.enum(PROFILES).default("layered"),
  delivery: z.enum(DELIVERIES).nullable().default(null),
  personality: text
    .regex(
      /^[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_-]*$/u,
      "expected the name of a file in personalities/, without .md: letters, digits, _ and - only",
    )
    .default("calm"),
  tierDir: inside.default(".evalkit"),
  gate: Gate.prefault({}),
  prices: Prices.default({}),
  limits: Limits.prefault({}),
  headers: z.record(headerName, headerValue).default({}),
  request: Request.default({}),
  judge: JudgeSettings.prefault({}),
});
export type Settings = z.infer<typeof Settings>;

/** The gate's policy is settings and noun at once; this line breaks the build when they part. */
export const policyOf = (settings: Settings): GatePolicy => settings.gate;

/** Maps whose keys are the user's own: taken whole, their keys never renamed. */
export const OPEN_MAPS: readonly string[] = ["headers", "request", "prices"];
