import { type Command, Option } from "commander";
import {
  ARM_FLAGS,
  CASE_FLAGS,
  type Flag,
  GATE_FLAGS,
  JUDGE_FLAGS,
  LAYOUT_FLAGS,
  LIMIT_FLAGS,
  MODEL_FLAGS,
  OUTPUT_FLAGS,
  RUN_FLAGS,
  variableOf,
} from "../core/config/flags.ts";
import type { GivenFlags } from "../core/config/pick.ts";
import {
  loadProject,
  openProject,
  type OpenedProject,
  type Project,
  type ProjectOptions,
} from "../io/project.ts";
import type { CliIo } from "./command.ts";

/** Groups of flags that commands share, in the order `--help` shows them. */
const FLAG_GROUPS = {
  arms: { heading: "Versions:", flags: ARM_FLAGS },
  cases: { heading: "Cases:", flags: CASE_FLAGS },
  model: { heading: "Model:", flags: MODEL_FLAGS },
  run: { heading: "Run:", flags: RUN_FLAGS },
  limits: { heading: "Limits:", flags: LIMIT_FLAGS },
  gate: { heading: "Gate:", flags: GATE_FLAGS },
  judge: { heading: "Judge:", flags: JUDGE_FLAGS },
  layout: { heading: "Prompts and skills:", flags: LAYOUT_FLAGS },
  output: { heading: "Output:", flags: OUTPUT_FLAGS },
} as const;
type FlagGroup = keyof typeof FLAG_GROUPS;

/** Options that stand for shared flags; a command's own option of the same name (`sheet export --seed`) is none. */
const shared = new WeakMap<Option, Flag>();

/**
 * Declares the flags of some groups on a command, and `--config`. `only` keeps those named. Values stay texts here: they
 * are read and checked in one place, together with the environment and the file.
 */
export function declareFlags(
  command: Command,
  groups: readonly FlagGroup[],
  only?: readonly string[],
): Command {
  for (const group of groups) {
    const { heading, flags } = FLAG_GROUPS[group];
    for (const flag of flags) {
      if (only === undefined || only.includes(flag.name))
        command.addOption(optionOf(flag).helpGroup(heading));
    }
  }
  return command.addOption(
    new Option("--config <file>", "config file instead of evalkit.yaml").helpGroup("Output:"),
  );
}

function optionOf(flag: Flag): Option {
  const name = flag.negative === true ? `--no-${flag.name}` : `--${flag.name}`;
  const short = flag.short === undefined ? "" : `${flag.short}, `;
  const value = flag.value === undefined ? "" : ` ${flag.value}`;
  const option = new Option(`${short}${name}${value}`, flag.help);
  shared.set(option, flag);
  return option;
}

/** The shared flags that stand on the command line. */
function givenFlags(command: Command): GivenFlags {
  return command.options.flatMap((option): GivenFlags => {
    const flag = shared.get(option);
    const name = option.attributeName();
    if (flag === undefined || command.getOptionValueSource(name) !== "cli") return [];
    const raw: unknown = command.getOptionValue(name);
    if (typeof raw === "string" || typeof raw === "boolean") return [{ flag, raw }];
    return Array.isArray(raw) ? [{ flag, raw: raw.map(String) }] : [];
  });
}

function projectOptions(command: Command, io: CliIo, secrets: boolean): ProjectOptions {
  const config: unknown = command.getOptionValue("config");
  const fromEnv = io.env[variableOf("config")] ?? "";
  const named = typeof config === "string" ? config : fromEnv === "" ? null : fromEnv;
  return { cwd: io.cwd, env: io.env, flags: givenFlags(command), config: named, secrets };
}

/** Opens the project that a command works on. Throws InputError with all that is wrong; `secrets`: a model will be called. */
export function projectFor(command: Command, io: CliIo, secrets = false): Promise<Project> {
  return loadProject(projectOptions(command, io, secrets));
}

/** The same, with the problems kept. */
export function openedFor(command: Command, io: CliIo): OpenedProject {
  return openProject(projectOptions(command, io, false));
}
