import type { Layer, Variant } from "../nouns/variant.ts";
import { linesOutsideFences } from "../prompt/language.ts";
import { BASE } from "../prompt/layer-paths.ts";

/** One small damage to a variant. `name` is stable and fit for a folder. */
export interface Mutant {
  readonly name: string;
  /** What was done to it, in words. */
  readonly what: string;
  readonly variant: Variant;
}

/**
 * All mutants of a variant: each layer emptied, each section of base.md left out (but `## Language`, which must stand),
 * each enabled skill's text emptied, each tool's description blurred. `digest` is `sha256:…` of a text.
 */
export function mutantsOf(
  variant: Variant,
  tools: readonly string[],
  digest: (text: string) => string,
): readonly Mutant[] {
  const mutant = (name: string, what: string, change: Partial<Variant>): Mutant => ({
    name,
    what,
    variant: {
      ...variant,
      ...change,
      label: `${variant.label} (${what})`,
      digest: digest(`${variant.digest} ${name}`),
    },
  });
  const layers = variant.layers
    .filter(({ path }) => path !== BASE)
    .map((layer) =>
      mutant(
        `layer-${slug(layer.path)}`,
        `layer ${layer.path} left out`,
        withLayer(variant, layer, "", digest),
      ),
    );
  const base = variant.layers.find(({ path }) => path === BASE);
  const sections =
    base === undefined
      ? []
      : sectionsOf(base.text).map(({ title, rest }) =>
          mutant(
            `base-${slug(title)}`,
            `section "${title}" of base.md left out`,
            withLayer(variant, base, rest, digest),
          ),
        );
  const skills = variant.skills
    .filter(({ enabled }) => enabled)
    .map((skill) =>
      mutant(
        `skill-${slug(skill.name)}`,
        `skill ${skill.name} emptied`,
        withoutBody(variant, skill.name, digest),
      ),
    );
  const blurred = tools.map((tool) =>
    mutant(`tool-${slug(tool)}`, `description of ${tool} blurred`, { blurredTools: [tool] }),
  );
  return [...layers, ...sections, ...skills, ...blurred];
}

function withLayer(
  variant: Variant,
  layer: Layer,
  text: string,
  digest: (text: string) => string,
): Partial<Variant> {
  const changed = { ...layer, text, bytes: new TextEncoder().encode(text).length, digest: digest(text) };
  return { layers: variant.layers.map((one) => (one === layer ? changed : one)) };
}

function withoutBody(variant: Variant, name: string, digest: (text: string) => string): Partial<Variant> {
  const empty = "(This skill has no text.)";
  return {
    skills: variant.skills.map((one) =>
      one.name === name ? { ...one, body: empty, files: [], digest: digest(empty) } : one,
    ),
  };
}

/** Each `## ` section outside code fences, with the text that is left when it goes. */
function sectionsOf(text: string): { title: string; rest: string }[] {
  const lines = text.split("\n");
  const heads = linesOutsideFences(text).flatMap(({ line, at }) => {
    const title = /^##\s+(.+?)\s*$/.exec(line)?.[1];
    return title === undefined ? [] : [{ title, line: at }];
  });
  return heads.flatMap(({ title, line }, at) => {
    if (title === "Language") return [];
    const end = heads[at + 1]?.line ?? lines.length;
    return [{ title, rest: [...lines.slice(0, line), ...lines.slice(end)].join("\n") }];
  });
}

function slug(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/\.md$/, "")
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-+|-+$/g, "") || "x"
  );
}
