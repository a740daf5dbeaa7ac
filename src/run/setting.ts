import type { Case } from "../core/nouns/case.ts";
import type { Role, Skill, Variant } from "../core/nouns/variant.ts";
import { skillsFor } from "../core/skill/select.ts";
import type { Digest, ToolSpec } from "./ports.ts";
import { type Prompt, promptFor } from "./prompts.ts";
import { toolsFor } from "./tools/offered.ts";
import type { Tool } from "./tools/tool.ts";
import { skillFiles } from "./world/files.ts";

/** What a role may call, in the order offered. */
export interface ToolBox {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly specs: readonly ToolSpec[];
  readonly names: readonly string[];
}

/** What all trials of a case in an arm have in common; made once, because a trial must cost next to nothing. */
export class Setting {
  readonly item: Case;
  readonly variant: Variant;
  /** Every installed skill as the case sees it. */
  readonly skills: ReadonlyMap<string, Skill>;
  /** Files of enabled skills as they stand in a world. */
  readonly skillFiles: ReadonlyMap<string, string>;
  /** For roles that act. */
  readonly allTools: ToolBox;
  /** For planners and reviewers, who carry out nothing but see the skill index like everybody. */
  readonly skillTools: ToolBox;
  private readonly prompts = new Map<Role, Prompt>();

  constructor(item: Case, variant: Variant) {
    this.item = item;
    this.variant = variant;
    this.skills = new Map(skillsFor(variant, item.skills).map((skill) => [skill.name, skill]));
    this.skillFiles = skillFiles([...this.skills.values()]);
    const tools = toolsFor(item, variant);
    this.allTools = boxOf(tools);
    this.skillTools = boxOf(new Map([...tools].filter(([name]) => name === "load_skill")));
  }

  /** The system prompt of a role. Throws InputError as the assembler does; runs assemble all prompts beforehand. */
  prompt(role: Role, values: Readonly<Record<string, string>>, digest: Digest): Prompt {
    const known = this.prompts.get(role);
    if (known !== undefined) return known;
    const { approval, context, handoff } = this.item;
    const skills = [...this.skills.values()];
    const own = this.takesValues(role);
    const input = { role, approval, context, handoff, skills, values: own ? values : {} };
    const prompt = promptFor(this.variant, input, digest);
    if (!own) this.prompts.set(role, prompt);
    return prompt;
  }

  /** Whether the mode file has placeholders, so that each task has a prompt of its own. */
  private takesValues(role: Role): boolean {
    return this.variant.layers.some(
      (layer) => layer.path === `modes/${role}.md` && layer.text.includes("{{"),
    );
  }
}

function boxOf(tools: ReadonlyMap<string, Tool>): ToolBox {
  return { tools, specs: [...tools.values()].map((tool) => tool.spec), names: [...tools.keys()] };
}

const made = new WeakMap<Variant, WeakMap<Case, Setting>>();

/** The setting of a case in an arm; kept as long as both are. */
export function settingOf(item: Case, variant: Variant): Setting {
  const ofVariant = made.get(variant) ?? new WeakMap<Case, Setting>();
  made.set(variant, ofVariant);
  const setting = ofVariant.get(item) ?? new Setting(item, variant);
  ofVariant.set(item, setting);
  return setting;
}
