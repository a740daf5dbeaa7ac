import type { Command } from "commander";
import { APPROVALS } from "../../core/nouns/case.ts";
import { fail } from "../../core/nouns/problem.ts";
import { ROLES } from "../../core/nouns/variant.ts";
import { assemblePrompt, type PromptInput } from "../../core/prompt/assemble.ts";
import { describePrompt, layerTable } from "../../core/prompt/describe.ts";
import { PLACEHOLDERS } from "../../core/prompt/placeholders.ts";
import { tokenCounter } from "../../core/prompt/tokens.ts";
import { openVariant } from "../../io/variants.ts";
import type { CliIo } from "../command.ts";
import { tellProblems } from "../tell.ts";
import { addVariantFlags, variantProject } from "../variant-project.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { visible } from "../../core/text/visible.ts";

interface Options {
  readonly variant: string;
  readonly mode: string;
  readonly approval: string;
  readonly context: string;
  readonly handoff: string;
  readonly value: readonly string[];
}

const HELP = `
The prompt goes to stdout, the table of its layers to stderr. Token counts are an estimate.

Examples:
  evalkit assemble
  evalkit assemble --variant main --mode planner --json
  diff <(evalkit assemble --variant main) <(evalkit assemble)
`;

/** `evalkit assemble`: the assembled system prompt, and where each layer of it comes from. */
export function define(command: Command, io: CliIo): void {
  addVariantFlags(command)
    .option("--mode <mode>", `whose prompt: ${ROLES.join(", ")}`, "agent")
    .option("--approval <policy>", APPROVALS.join(", "), "auto")
    .option("--context <text>", "text of the section Project Context", "")
    .option("--handoff <text>", "text of the section Handoff", "")
    .option("--value <name=text...>", "value of a placeholder of the mode file", [])
    .addHelpText("after", HELP)
    .action((options: Options) => assemble(options, command, io));
}

async function assemble(options: Options, command: Command, io: CliIo): Promise<void> {
  const input = inputOf(options);
  const { project, variants } = await variantProject(command, io);
  const variant = await openVariant(project.root, options.variant, variants);
  const full: PromptInput = { ...input, skills: variant.skills };
  const prompt = assemblePrompt(variant, full);
  const report = describePrompt(variant, full, prompt, await tokenCounter());
  if (project.settings.json) {
    io.out(JSON.stringify(report, null, 2));
    return;
  }
  io.out(visible(report.prompt));
  io.err(visible(`\n${layerTable(report)}`));
  tellProblems(report.notes, io);
}

function inputOf(options: Options): Omit<PromptInput, "skills"> {
  const role = oneOf("--mode", options.mode, ROLES);
  const approval = oneOf("--approval", options.approval, APPROVALS);
  const given = Object.fromEntries(options.value.map(splitValue));
  // There is no task to take values from: a placeholder without --value shows its own name.
  const shown = Object.fromEntries(PLACEHOLDERS[role].map((name) => [name, `<${name}>`]));
  return {
    role,
    approval,
    context: options.context,
    handoff: options.handoff,
    values: { ...shown, ...given },
  };
}

function splitValue(text: string): [string, string] {
  const equals = text.indexOf("=");
  if (equals < 1) fail("bad-option", { key: "--value" }, `expected NAME=TEXT, found ${JSON.stringify(text)}`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

function oneOf<T extends string>(flag: string, text: string, known: readonly T[]): T {
  const found = known.find((name) => name === text);
  const message = `${JSON.stringify(text)} is none of ${known.join(", ")}.${didYouMean(text, known)}`;
  return found ?? fail("bad-option", { key: flag }, message);
}
