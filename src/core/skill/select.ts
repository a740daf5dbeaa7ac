import { sameName } from "../text/same-name.ts";
import type { Case } from "../nouns/case.ts";
import type { Skill, Variant } from "../nouns/variant.ts";

/**
 * Every installed skill, with `enabled` narrowed by a case: what the case doesn't name is installed but disabled. A
 * skill that the project or a suffix has disabled stays so, whatever the case says.
 */
export function skillsFor(variant: Pick<Variant, "skills">, selection: Case["skills"]): readonly Skill[] {
  if (selection === "all") return variant.skills;
  const wanted = new Set(selection === "none" ? [] : selection.map(sameName));
  return variant.skills.map((skill) => ({ ...skill, enabled: skill.enabled && wanted.has(skill.name) }));
}
