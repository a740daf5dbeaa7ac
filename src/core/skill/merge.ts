import { type Problem, problem, warning } from "../nouns/problem.ts";
import { TIERS, type Skill, type Tier } from "../nouns/variant.ts";
import { byText } from "../text/order.ts";

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
    for (const { folderName, problem: why } of refused.filter((skill) => skill.tier === tier)) {
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
  return { skills, notes, errors };
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
