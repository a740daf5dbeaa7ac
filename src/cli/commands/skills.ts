import { sameName } from "../../core/text/same-name.ts";
import { join } from "node:path";
import type { Command } from "commander";
import { InputError, fail } from "../../core/nouns/problem.ts";
import type { Skill } from "../../core/nouns/variant.ts";
import { unknownSkill } from "../../core/skill/apply.ts";
import { skillJson, skillList, skillTitle } from "../../core/skill/describe.ts";
import { switchSkill } from "../../io/skill-state.ts";
import { shippedSkills, unpackSkills } from "../../io/skills-cache.ts";
import { homeOf } from "../../io/variant-settings.ts";
import { openSkills } from "../../io/variants.ts";
import type { CliIo } from "../command.ts";
import { EXIT } from "../exit.ts";
import { declareFlags } from "../options.ts";
import { tellProblems } from "../tell.ts";
import { addVariantFlags, variantProject } from "../variant-project.ts";
import { VERSION } from "../version.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { visible } from "../../core/text/visible.ts";

const HELP = `
Without a command, the skills are listed. on and off change the project's skills.json in the working tree;
for one run, use a variant such as main+skill:NAME=off.

Examples:
  evalkit skills
  evalkit skills list --variant my-branch --json
  evalkit skills show web-access
  evalkit skills off web-access
`;
const COMMANDS = ["list", "show", "on", "off"];

/** `evalkit skills`: what is installed, from which tier, what was refused; one skill's text; on and off. */
export function define(command: Command, io: CliIo): void {
  command.addHelpText("after", HELP);
  const read = (name: string, about: string) =>
    addVariantFlags(command.command(name, { isDefault: name.startsWith("list") }).description(about));
  read("list [word...]", "list every skill with its state, tier and file")
    .usage("[options]")
    .action(([word]: readonly string[], _options: unknown, sub: Command) => list(word, sub, io));
  read("show <name>", "print one skill's text").action((name: string, _options: unknown, sub: Command) =>
    show(name, sub, io),
  );
  for (const state of ["on", "off"] as const) {
    declareFlags(command.command(`${state} <name>`), ["layout"])
      .description(`switch a skill ${state} for this project`)
      .action((name: string, _options: unknown, sub: Command) => change(name, state, sub, io));
  }
}

async function list(word: string | undefined, command: Command, io: CliIo): Promise<void> {
  if (word !== undefined) {
    fail(
      "unknown-command",
      {},
      `skills has no command ${JSON.stringify(word)}.${didYouMean(word, COMMANDS)}`,
      `commands are ${COMMANDS.join(", ")}`,
    );
  }
  const { read, project } = await open(command, io);
  tellProblems(read.notes, io);
  const json = () => JSON.stringify(skillJson(read.skills, read.counts, read.notes), null, 2);
  io.out(project.settings.json ? json() : visible(skillList(read.skills, read.counts)));
  await tellShipped(io);
  // Skills that are there and can't be loaded are a fault of the input; having none is not.
  if (read.counts.found > 0 && read.counts.loaded === 0) io.exit(EXIT.usage);
}

async function show(name: string, command: Command, io: CliIo): Promise<void> {
  const { read, project } = await open(command, io);
  const skill = named(read.skills, name);
  if (project.settings.json) {
    io.out(JSON.stringify(skill, null, 2));
    return;
  }
  io.err(visible(skillTitle(skill)));
  io.out(visible(skill.body));
}

async function change(name: string, state: "on" | "off", command: Command, io: CliIo): Promise<void> {
  const { read, project } = await open(command, io);
  const skill = named(read.skills, name);
  const file = await switchSkill(project.root, project.settings.tierDir, skill.name, state === "on");
  io.err(visible(`skill ${skill.name} is ${state} for this project (${file})`));
}

async function open(command: Command, io: CliIo) {
  const { project, variants } = await variantProject(command, io);
  const variant: unknown = command.getOptionValue("variant");
  const text = typeof variant === "string" ? variant : "worktree";
  return { read: await openSkills(project.root, text, variants), project };
}

function named(skills: readonly Skill[], name: string): Skill {
  const skill = skills.find((found) => found.name === sameName(name));
  if (skill !== undefined) return skill;
  throw new InputError([
    unknownSkill(
      name,
      skills.map((found) => found.name),
    ),
  ]);
}

/** Keeps evalkit's own skills at hand in the home folder. They are no part of any variant until they are copied into it. */
async function tellShipped(io: CliIo): Promise<void> {
  const home = homeOf(io.env);
  const from = await shippedSkills();
  if (home === null || from === null) return;
  try {
    const { dir, unpacked } = await unpackSkills(from, join(home, ".evalkit", "skills-cache"), VERSION);
    if (unpacked)
      io.err(visible(`evalkit's own skills are unpacked to ${dir}; copy one into skills/ to use it`));
  } catch {
    // A home that can't be written (a container, CI) is no fault of the project: the list stands without the cache.
  }
}
