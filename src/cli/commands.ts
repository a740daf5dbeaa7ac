import type { CommandEntry } from "./command.ts";

/** Every command, in the order `--help` lists them. A new command is one line here and one file in commands/. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "run the cases on both versions, compare, report, decide",
    load: () => import("./commands/run.ts"),
  },
  {
    name: "validate",
    summary: "check cases, config, prompts and skills; no model is called",
    load: () => import("./commands/validate.ts"),
  },
  {
    name: "assemble",
    summary: "print the assembled system prompt and where each layer comes from",
    load: () => import("./commands/assemble.ts"),
  },
  { name: "list", summary: "list cases or runs", load: () => import("./commands/list.ts") },
  { name: "show", summary: "show what happened in a run's trials", load: () => import("./commands/show.ts") },
  {
    name: "report",
    summary: "write a saved run's reports again",
    load: () => import("./commands/report.ts"),
  },
  { name: "compare", summary: "compare arms of saved runs", load: () => import("./commands/compare.ts") },
  {
    name: "gate",
    summary: "decide a saved run again, under the policy of today",
    load: () => import("./commands/gate.ts"),
  },
  {
    name: "import",
    summary: "make a run of results from elsewhere",
    load: () => import("./commands/import.ts"),
  },
  {
    name: "plan",
    summary: "what a run will cost and what it can detect",
    load: () => import("./commands/plan.ts"),
  },
  {
    name: "flakes",
    summary: "which cases waver from run to run",
    load: () => import("./commands/flakes.ts"),
  },
  {
    name: "mutate",
    summary: "damage a version on purpose and see what the cases notice",
    load: () => import("./commands/mutate.ts"),
  },
  {
    name: "sheet",
    summary: "blinded scoring sheets for people: export, import",
    load: () => import("./commands/sheet.ts"),
  },
  {
    name: "judge",
    summary: "let a judge model compare the two versions' outputs",
    load: () => import("./commands/judge.ts"),
  },
  {
    name: "calibrate-judge",
    summary: "hold a judge model against people's scores",
    load: () => import("./commands/calibrate-judge.ts"),
  },
  {
    name: "skills",
    summary: "list, show, switch on or off the skills",
    load: () => import("./commands/skills.ts"),
  },
  {
    name: "doctor",
    summary: "ask a model server what it can do",
    load: () => import("./commands/doctor.ts"),
  },
  { name: "init", summary: "put a starter into this repository", load: () => import("./commands/init.ts") },
];
