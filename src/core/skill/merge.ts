import { type Problem, problem, warning } from "../nouns/problem.ts";
import { TIERS, type Skill, type Tier } from "../nouns/variant.ts";
import { byText } from "../text/order.ts";
import { sameName } from "../text/same-name.ts";

/** A skill that could not be read; `folderName` stands for the name that its front matter didn't give. */
export interface RefusedSkill {
  readonly tier: Tier;
  readonly folderName: string;
  readonly problem: Problem;
}

/** The skills that win, sorted by name, with what has to be said about the others. */
export interface MergedSkills {
  readonly skills: readonly Skill[];
  readonly notes: readonly Problem[];
  readonly errors: readonly Problem[];
}

/**
 * Whole-skill replacement: the same name in a higher tier replaces the lower one. Twice in one tier is an error with
 * both paths. A refused skill also hides the lower one of its name: silently measuring another text than the one
 * that was put there to replace it would be worse than measuring none.
 */
export function mergeSkills(loaded: readonly Skill[], refused: readonly RefusedSkill[]): MergedSkills {
  const byName = new Map<string, Skill>();
  const notes: Problem[] = [];
  const errors: Problem[] = [];
  for (const tier of TIERS) {
    const own = loaded.filter((skill) => skill.tier === tier);
    errors.push(...twice(own));
    for (const skill of own) {
      const lower = byName.get(skill.name);
      byName.set(
        skill.name,
        lower === undefined ? skill : { ...skill, replaces: [...lower.replaces, lower.file] },
      );
    }
    for (const { folderName: folder, problem: why } of refused.filter((skill) => skill.tier === tier)) {
      const folderName = sameName(folder);
      const hidden = byName.get(folderName);
      if (hidden === undefined || hidden.tier === tier) continue;
      byName.delete(folderName);
      notes.push(
        warning(
          "skill-hidden",
          { file: hidden.file },
          `the skill ${folderName} is left out: ${why.where.file ?? "a higher tier's file"} should replace it and was refused`,
        ),
      );
    }
  }
  const skills = [...byName.values()].sort((a, b) => byText(a.name, b.name));
  return { skills, notes: [...notes, ...alike(skills)], errors };
}

/** Names that a person and a model take for one another: `load_skill` tells `Web` from `web`. */
function alike(skills: readonly Skill[]): Problem[] {
  const seen = new Map<string, Skill>();
  return skills.flatMap((skill) => {
    const key = skill.name.toLowerCase();
    const first = seen.get(key);
    seen.set(key, first ?? skill);
    if (first === undefined) return [];
    return [
      warning(
        "skill-alike",
        { file: skill.file },
        `the skills ${first.name} (${first.file}) and ${skill.name} differ by case alone, so a model may load the wrong one`,
        "rename one of them",
      ),
    ];
  });
}

function twice(skills: readonly Skill[]): Problem[] {
  const seen = new Map<string, Skill>();
  return skills.flatMap((skill) => {
    const first = seen.get(skill.name);
    seen.set(skill.name, first ?? skill);
    if (first === undefined) return [];
    return [
      problem(
        "skill-twice",
        { file: skill.file },
        `two skills of the ${skill.tier} tier are named ${skill.name}: ${first.file} and ${skill.file}`,
        "rename one of them",
      ),
    ];
  });
}
