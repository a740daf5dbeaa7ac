import type { Problem } from "../nouns/problem.ts";
import type { Skill, Variant } from "../nouns/variant.ts";
import { oneLine } from "./index-text.ts";

/** `evalkit skills list` as text: a line a skill, its description below, what it replaces, and the counts. */
export function skillList(skills: readonly Skill[], counts: Variant["skillCounts"]): string {
  const width = Math.max(0, ...skills.map((skill) => skill.name.length));
  const lines = skills.flatMap((skill) => [
    `${skill.name.padEnd(width)}  ${skill.enabled ? "on " : "off"}  ${skill.tier.padEnd(7)}  ${skill.file}`,
    `  ${oneLine(skill.description).replaceAll("&lt;", "<")}`,
    ...skill.replaces.map((file) => `  replaces ${file}`),
  ]);
  const { found, loaded, refused } = counts;
  return [...lines, `${found} found, ${loaded} loaded, ${refused} refused`].join("\n");
}

/** `evalkit skills list --json`. */
export function skillJson(
  skills: readonly Skill[],
  counts: Variant["skillCounts"],
  notes: readonly Problem[],
): unknown {
  return {
    schema: "evalkit.skills/1",
    ...counts,
    skills: skills.map(
      ({ name, description, tags, priority, enabled, tier, file, replaces, files, digest }) => ({
        name,
        description,
        tags,
        priority: priority ?? 0,
        enabled,
        tier,
        file,
        replaces,
        files: files.map((beside) => beside.path),
        digest,
      }),
    ),
    notes,
  };
}

/** What stands above one skill's text. */
export function skillTitle(skill: Skill): string {
  const tags = skill.tags.length === 0 ? "" : ` [${skill.tags.join(", ")}]`;
  return [
    `${skill.name}: ${skill.description}${tags}`,
    `  ${skill.enabled ? "on" : "off"}, ${skill.tier}, ${skill.file}, ${skill.digest}`,
    ...skill.replaces.map((file) => `  replaces ${file}`),
    ...skill.files.map((file) => `  with ${file.path}`),
    "",
  ].join("\n");
}
