import * as z from "zod";

/** Modes of the agent loop. */
export const MODES = ["agent", "plan", "team"] as const;
/** Approval policies. */
export const APPROVALS = ["suggest", "auto", "never"] as const;
/** Match modes of a tool expectation: agentevals' four and `in_order` (expected calls are a subsequence). */
export const MATCH_MODES = ["strict", "unordered", "subset", "superset", "in_order"] as const;
/** Built-in tools; all act on the case's world only. `load_skill` is offered whenever the arm has skills installed. */
export const BUILT_IN_TOOLS = [
  "read_file",
  "write_file",
  "list_dir",
  "search_files",
  "execute_command",
  "web_fetch",
  "browser_navigate",
  "take_snapshot",
  "take_screenshot",
  "load_skill",
] as const;

const json: z.ZodType<unknown> = z.unknown();
const args = z.record(z.string(), json);
const text = z.string();
const texts = z.union([text, z.array(text).min(1)]);

/** One expected or forbidden call. Keys not named in `args` are free unless `exact`. */
export const ExpectedCall = z.strictObject({
  name: text.min(1),
  args: args.optional(),
  exact: z.boolean().optional(),
});

/** A canned result of a case's own tool: the first whose `when` matches is given; one without `when` always matches. */
export const CannedResult = z.strictObject({
  when: args.optional(),
  return: json.optional(),
  error: text.optional(),
});

/** A tool that the case declares itself. */
export const CustomTool = z.strictObject({
  name: text.regex(/^[A-Za-z0-9_-]{1,64}$/, "a tool name is 1 to 64 letters, digits, _ or -"),
  description: text.default(""),
  parameters: args.default({ type: "object", properties: {} }),
  approval: z.boolean().default(false),
  results: z.array(CannedResult).default([]),
});

/** A page of the case's world. `text` is what `web_fetch` gets; `snapshot` what a browser shows once rendered. */
export const Page = z.strictObject({
  kind: z.enum(["static", "dynamic"]).default("static"),
  title: text.optional(),
  text: text.default(""),
  snapshot: text.optional(),
  status: z.int().min(100).max(599).default(200),
});

/** Files and pages that the tools of a trial act on. `filesFrom` names a folder beside the case file. */
export const World = z.strictObject({
  files: z.record(text, text).default({}),
  filesFrom: text.optional(),
  pages: z.record(text, Page).default({}),
});

/** A check of the final answer. Several keys in one check must all hold. */
export const AnswerCheck = z.strictObject({
  contains: texts.optional(),
  notContains: texts.optional(),
  equals: text.optional(),
  regex: text.optional(),
  jsonSchema: args.optional(),
  ignoreCase: z.boolean().optional(),
});

/** A check of a file of the world after the trial. */
export const FileCheck = z.strictObject({
  path: text.min(1),
  exists: z.boolean().optional(),
  absent: z.boolean().optional(),
  equals: text.optional(),
  contains: texts.optional(),
  notContains: texts.optional(),
  regex: text.optional(),
});

/** A command run in the simulated shell over the world's files after the trial. */
export const CommandCheck = z.strictObject({
  run: text.min(1),
  stdout: text.optional(),
  stdoutContains: texts.optional(),
  exitCode: z.int().min(0).max(255).optional(),
});

/** One criterion put to a judge model. */
export const JudgeCheck = z.strictObject({ rubric: text.min(1) });

/** One completion check: exactly one of the keys. */
export const CompletionCheck = z.union([
  z.strictObject({ answer: AnswerCheck }),
  z.strictObject({ file: FileCheck }),
  z.strictObject({ command: CommandCheck }),
  z.strictObject({ judge: JudgeCheck }),
]);

/** What the tool calls of a trial must look like. */
export const ToolExpectation = z.strictObject({
  match: z.enum(MATCH_MODES).default("superset"),
  calls: z.array(ExpectedCall).optional(),
  ignore: z.array(text).default([]),
  forbid: z.array(z.union([text, ExpectedCall])).default([]),
  before: z.array(z.tuple([text, text])).default([]),
});

/** What a trial must do; every part is optional and a part that is missing gives no score. */
export const Expectation = z.strictObject({
  tools: ToolExpectation.optional(),
  completion: z.array(CompletionCheck).min(1).optional(),
  skills: z.strictObject({ load: z.array(text).default([]), avoid: z.array(text).default([]) }).optional(),
  limits: z.strictObject({ turns: z.int().min(1).optional() }).optional(),
});

/** A case as it is written in YAML. */
export const CaseInput = z.strictObject({
  id: text.min(1).max(200).optional(),
  title: text.optional(),
  tags: z.array(text).default([]),
  critical: z.boolean().default(false),
  mode: z.enum(MODES).default("agent"),
  approval: z.enum(APPROVALS).default("auto"),
  skills: z.union([z.enum(["all", "none"]), z.array(text)]).default("all"),
  context: text.default(""),
  handoff: text.default(""),
  turns: z.array(z.strictObject({ user: text.min(1) })).min(1),
  /** Names of built-in tools or tools of the case's own; without the key, all built-in tools are offered. */
  tools: z.array(z.union([text, CustomTool])).optional(),
  world: World.default({ files: {}, pages: {} }),
  approvals: z.array(z.strictObject({ tool: text, answer: z.enum(["approve", "deny"]) })).default([]),
  expect: Expectation.default({}),
  intent: text.default(""),
});

export type ExpectedCall = z.infer<typeof ExpectedCall>;
export type CannedResult = z.infer<typeof CannedResult>;
export type CustomTool = z.infer<typeof CustomTool>;
export type Page = z.infer<typeof Page>;
export type World = z.infer<typeof World>;
export type AnswerCheck = z.infer<typeof AnswerCheck>;
export type FileCheck = z.infer<typeof FileCheck>;
export type CommandCheck = z.infer<typeof CommandCheck>;
export type CompletionCheck = z.infer<typeof CompletionCheck>;
export type ToolExpectation = z.infer<typeof ToolExpectation>;
export type Expectation = z.infer<typeof Expectation>;
export type CaseInput = z.infer<typeof CaseInput>;
export type Mode = (typeof MODES)[number];
export type Approval = (typeof APPROVALS)[number];
export type MatchMode = (typeof MATCH_MODES)[number];

/** Where a case was read from: path relative to the project's root, line of its document. */
export const CaseSource = z.object({ file: text, line: z.int() });

/** One fixed scenario, checked and complete: the unit of evidence. `filesFrom` is already read into `world.files`. */
export const Case = CaseInput.extend({ id: text, title: text, source: CaseSource });
export type Case = z.infer<typeof Case>;
