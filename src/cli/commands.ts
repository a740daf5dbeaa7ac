import type { CommandEntry } from "./command.ts";

const running = () => import("./commands/running.ts");
const looking = () => import("./commands/looking.ts");

/** Every command, in the order `--help` lists them. A new command is one file in commands/, named here and in its group. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "run the cases on both versions, compare, report, decide",
    load: async () => (await running()).run,
  },
  {
    name: "validate",
    summary: "check cases, config, prompts and skills; no model is called",
    load: async () => (await looking()).validate,
  },
  {
    name: "assemble",
    summary: "print the assembled system prompt and where each layer comes from",
    load: async () => (await looking()).assemble,
  },
  { name: "list", summary: "list cases or runs", load: async () => (await looking()).list },
  { name: "show", summary: "show what happened in a run's trials", load: async () => (await looking()).show },
  {
    name: "report",
    summary: "write a saved run's reports again",
    load: async () => (await running()).report,
  },
  { name: "compare", summary: "compare arms of saved runs", load: async () => (await running()).compare },
  {
    name: "gate",
    summary: "decide a saved run again, under the policy of today",
    load: async () => (await running()).gate,
  },
  {
    name: "import",
    summary: "make a run of results from elsewhere",
    load: async () => (await running()).importResults,
  },
  {
    name: "plan",
    summary: "what a run will cost and what it can detect",
    load: async () => (await looking()).plan,
  },
  {
    name: "flakes",
    summary: "which cases waver from run to run",
    load: async () => (await looking()).flakes,
  },
  {
    name: "mutate",
    summary: "damage a version on purpose and see what the cases notice",
    load: async () => (await running()).mutate,
  },
  {
    name: "sheet",
    summary: "blinded scoring sheets for people: export, import",
    load: async () => (await running()).sheet,
  },
  {
    name: "judge",
    summary: "let a judge model compare the two versions' outputs",
    load: async () => (await running()).judge,
  },
  {
    name: "calibrate-judge",
    summary: "hold a judge model against people's scores",
    load: async () => (await running()).calibrateJudge,
  },
  {
    name: "skills",
    summary: "list, show, switch on or off the skills",
    load: async () => (await looking()).skills,
  },
  {
    name: "doctor",
    summary: "ask a model server what it can do",
    load: async () => (await looking()).doctor,
  },
  { name: "init", summary: "put a starter into this repository", load: async () => (await looking()).init },
];
