import { defineTool } from "./define.ts";
import { textArg } from "./tool.ts";

/** `load_skill`: the body of a skill, delivered as the variant says. */
export const loadSkillTool = defineTool({
  name: "load_skill",
  description:
    "Loads a skill of the list in the system prompt by its name. Call it before the first step of a task that the skill's description fits, and once only. Files that come with a loaded skill are under .evalkit/skills/NAME/ and are read with read_file.",
  parameters: { name: { type: "string", description: "The skill's name exactly as listed." } },
  required: ["name"],
  run: (args, { loadSkill }) => loadSkill(textArg(args, "name")),
});
