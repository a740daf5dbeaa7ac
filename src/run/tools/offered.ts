import { BUILT_IN_TOOLS, type Case } from "../../core/nouns/case.ts";
import type { Variant } from "../../core/nouns/variant.ts";
import type { ToolSpec } from "../ports.ts";
import { executeCommand } from "./command.ts";
import { customTool } from "./custom.ts";
import { listDir, readFile, searchFiles, writeFile } from "./files.ts";
import { loadSkillTool } from "./load-skill.ts";
import type { Tool } from "./tool.ts";
import { browserNavigate, takeScreenshot, takeSnapshot, webFetch } from "./web.ts";

const LOAD_SKILL = "load_skill";
const BUILT_IN: ReadonlyMap<string, Tool> = new Map(
  [
    readFile,
    writeFile,
    listDir,
    searchFiles,
    executeCommand,
    webFetch,
    browserNavigate,
    takeSnapshot,
    takeScreenshot,
    loadSkillTool,
  ].map((tool) => [tool.spec.function.name, tool]),
);

type ToolsVariant = Pick<Variant, "skills" | "delivery" | "blurredTools">;

/**
 * The tools of a trial by name, in the order in which they are offered: those that the case names (without the key:
 * all built-in ones), and `load_skill` whenever skills are installed, disabled ones included. With the delivery
 * `system-prompt` there is nothing to load, and it is not offered.
 */
export function toolsFor(item: Case, variant: ToolsVariant): ReadonlyMap<string, Tool> {
  const named = item.tools ?? BUILT_IN_TOOLS.filter((name) => name !== LOAD_SKILL);
  const tools = new Map<string, Tool>();
  for (const entry of named) {
    const tool = typeof entry === "string" ? BUILT_IN.get(entry) : customTool(entry);
    if (tool !== undefined) tools.set(tool.spec.function.name, tool);
  }
  if (variant.skills.length > 0) tools.set(LOAD_SKILL, tools.get(LOAD_SKILL) ?? loadSkillTool);
  if (variant.delivery === "system-prompt" && tools.get(LOAD_SKILL) === loadSkillTool)
    tools.delete(LOAD_SKILL);
  for (const name of variant.blurredTools ?? []) {
    const tool = tools.get(name);
    if (tool !== undefined) tools.set(name, blurred(tool));
  }
  return tools;
}

/** The tool with a description that says nothing: a mutation check asks whether any case notices. */
function blurred(tool: Tool): Tool {
  const spec = { ...tool.spec, function: { ...tool.spec.function, description: "A tool." } };
  return { ...tool, spec };
}

/** The tool list as it is sent. */
export function toolSpecsFor(item: Case, variant: ToolsVariant): readonly ToolSpec[] {
  return [...toolsFor(item, variant).values()].map((tool) => tool.spec);
}
