import { type Problem, problem, warning } from "../nouns/problem.ts";
import type { Skill, Suffix } from "../nouns/variant.ts";
import { didYouMean } from "../text/nearest.ts";

/** Skills with their states, and what is wrong with the names that were given. */
export interface AppliedSkills {
  readonly skills: readonly Skill[];
  readonly notes: readonly Problem[];
  readonly errors: readonly Problem[];
}

/** Applies the project's `disabled` list (an unknown name there is a warning), then a variant's suffixes (an error). */
export function applySkillStates(
  skills: readonly Skill[],
  disabled: readonly string[],
  stateFile: string,
  suffixes: readonly Suffix[],
  variant: string,
): AppliedSkills {
  const names = skills.map((skill) => skill.name);
  const off = new Set(disabled);
  const only = suffixes.flatMap((suffix) => (suffix.kind === "only-skill" ? [suffix.name] : []));
  const states = new Map(
    names.map((name) => [name, only.length === 0 ? !off.has(name) : only.includes(name)]),
  );
  for (const suffix of suffixes) if (suffix.kind === "skill") states.set(suffix.name, suffix.on);
  const asked = suffixes.flatMap((suffix) =>
    suffix.kind === "skill" || suffix.kind === "only-skill" ? [suffix] : [],
  );
  return {
    skills: skills.map((skill) => ({ ...skill, enabled: states.get(skill.name) ?? true })),
    notes: disabled
      .filter((name) => !names.includes(name))
      .map((name) =>
        warning(
          "unknown-skill",
          { file: stateFile },
          `${name} is disabled here, but no such skill is installed.${didYouMean(name, names)}`,
        ),
      ),
    errors: asked
      .filter((suffix) => !names.includes(suffix.name))
      .map((suffix) => unknownSkill(suffix.name, names, `variant ${JSON.stringify(variant)}: `)),
  };
}

/** The error for a skill name that nothing has. */
export function unknownSkill(name: string, names: readonly string[], prefix = ""): Problem {
  const installed = names.length === 0 ? "no skill is installed" : `installed: ${names.join(", ")}`;
  return problem(
    "unknown-skill",
    {},
    `${prefix}there is no skill ${JSON.stringify(name)}.${didYouMean(name, names)}`,
    installed,
  );
}
