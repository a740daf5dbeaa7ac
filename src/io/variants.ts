import { fail, InputError, type Problem, problem } from "../core/nouns/problem.ts";
import {
  type Layer,
  ROLES,
  type Skill,
  type Suffix,
  type Variant,
  type VariantSpec,
} from "../core/nouns/variant.ts";
import { checkLanguage } from "../core/prompt/assemble.ts";
import {
  BASE,
  checkKnownLayer,
  DEFAULT_PERSONALITY,
  layerPaths,
  modePath,
  personalityPath,
} from "../core/prompt/layer-paths.ts";
import { checkPlaceholders, warnPlaceholders } from "../core/prompt/placeholders.ts";
import { applySkillStates } from "../core/skill/apply.ts";
import { parseSkillState } from "../core/skill/state.ts";
import { parseVariantSpec } from "../core/variant/spec.ts";
import { hasBelow, IS_FOLDER } from "../core/variant/tree.ts";
import { sha256 } from "./digest.ts";
import { readTreeText, type Tree } from "./tree.ts";
import { readLayers } from "./variant-layers.ts";
import { type ReadSkills, readSkills } from "./variant-skills.ts";
import { type OpenedBase, openBase, type VariantOptions } from "./variant-tiers.ts";
import { didYouMean } from "../core/text/nearest.ts";
import { byText } from "../core/text/order.ts";

export type { VariantOptions } from "./variant-tiers.ts";

/**
 * Opens a variant (`main+skill:web-access=off`, `worktree`, `dir:PATH`, …) and reads it whole: layers and skills
 * through their tiers, states and suffixes applied. `root` is the project's root folder. Throws InputError with every
 * fault that stops a run; refused skills and other warnings are in `notes`.
 */
export async function openVariant(root: string, text: string, options: VariantOptions): Promise<Variant> {
  const spec = parseVariantSpec(text);
  const wanted = layerPaths(options.profile, options.personality);
  const opened = await openBase(root, spec.base, options);
  const [own, read] = await Promise.all([readLayers(opened, wanted), skillsOf(opened, spec)]);
  const layers = await replaceLayers(root, own.layers, spec.suffixes, wanted, options);
  const named = layers.map((layer) => ({ ...layer, file: nameOf(opened, layer) }));
  const errors = [...read.errors, ...layerErrors(options, named, opened)];
  if (errors.length > 0) throw new InputError(errors);
  const delivery = spec.suffixes.flatMap((suffix) =>
    suffix.kind === "delivery" ? [suffix.delivery] : [],
  )[0];
  const parts = {
    profile: options.profile,
    delivery: delivery ?? options.delivery ?? DEFAULT_DELIVERY[options.profile],
    model: spec.suffixes.flatMap((suffix) => (suffix.kind === "model" ? [suffix.model] : []))[0] ?? null,
    personality: options.personality,
    layers,
    skills: read.skills,
  };
  return {
    label: text,
    source: opened.source,
    ...parts,
    skillCounts: read.counts,
    notes: [...own.notes, ...layerWarnings(named), ...read.notes],
    digest: digestOf(parts),
  };
}

const DEFAULT_DELIVERY = { layered: "next-user-message", "two-layer": "tool-result" } as const;

/** A variant's skills alone, with states and suffixes applied, as `evalkit skills` lists them. */
export async function openSkills(root: string, text: string, options: VariantOptions): Promise<ReadSkills> {
  const spec = parseVariantSpec(text);
  const read = await skillsOf(await openBase(root, spec.base, options), spec);
  if (read.errors.length > 0) throw new InputError(read.errors);
  return read;
}

async function skillsOf(opened: OpenedBase, spec: VariantSpec): Promise<ReadSkills> {
  const [read, disabled] = await Promise.all([readSkills(opened), readDisabled(opened)]);
  const applied = applySkillStates(read.skills, disabled, opened.stateFile, spec.suffixes, spec.text);
  return {
    ...read,
    skills: applied.skills,
    notes: [...read.notes, ...applied.notes],
    errors: [...read.errors, ...applied.errors],
  };
}

/** A layer's file as messages name it; one taken from another variant carries that one's name already. */
function nameOf(opened: OpenedBase, layer: Layer): string {
  const tier = opened.tiers.find((found) => found.tier === layer.tier);
  const file = tier === undefined ? layer.file : `${tier.prompts}/${layer.path}`;
  return tier !== undefined && tier.show(file) === layer.file ? tier.name(file) : layer.file;
}

/** Takes single layers from other variants, as `+layer:PATH=VARIANT` says. */
async function replaceLayers(
  root: string,
  layers: readonly Layer[],
  suffixes: readonly Suffix[],
  wanted: readonly string[],
  options: VariantOptions,
): Promise<readonly Layer[]> {
  const byPath = new Map(layers.map((layer) => [layer.path, layer]));
  for (const suffix of suffixes) {
    if (suffix.kind !== "layer") continue;
    const key = `+layer:${suffix.path}=${suffix.variant}`;
    checkKnownLayer(suffix.path, wanted, { key });
    const other = await openBase(root, parseVariantSpec(suffix.variant).base, options);
    const [found] = (await readLayers(other, [suffix.path])).layers;
    if (found === undefined) throw new InputError([noSuchLayer(key, suffix.path, other.label)]);
    const before = byPath.get(suffix.path);
    byPath.set(suffix.path, {
      ...found,
      file: `${suffix.variant}:${found.file}`,
      replaces: before === undefined ? [] : [...before.replaces, before.file],
    });
  }
  return [...byPath.values()].sort((a, b) => byText(a.path, b.path));
}

function noSuchLayer(key: string, path: string, label: string): Problem {
  return problem("missing-layer", { key }, `${label} has no layer ${path}`);
}

async function readDisabled({ tiers, stateFile, source }: OpenedBase): Promise<readonly string[]> {
  const project = tiers.find((tier) => tier.tier === "project");
  if (project === undefined) return [];
  const { tree, entries } = project;
  const file = project.name(stateFile);
  const isFolder =
    hasBelow(entries, stateFile) || (source.kind !== "git" && (await isEmptyFolder(tree, stateFile)));
  if (isFolder)
    fail(
      "not-a-file",
      { file },
      `the skill state ${IS_FOLDER}`,
      "delete it; evalkit skills on|off NAME writes the file",
    );
  if (!entries.has(stateFile)) return [];
  const text = await readTreeText(tree, stateFile);
  return text === null ? [] : parseSkillState(file, text);
}

/** An empty folder is no entry. A container's mount leaves one where there was no file. */
async function isEmptyFolder(tree: Tree, path: string): Promise<boolean> {
  const content = (await tree.read([path])).get(path);
  return content?.kind === "unreadable" && content.code === "not-a-file";
}

/** What must be right before the first model call: the Language section, and mode files without unknown placeholders. */
function layerErrors(
  options: VariantOptions,
  layers: readonly Layer[],
  opened: OpenedBase,
): readonly Problem[] {
  if (options.profile === "two-layer") return [];
  const base = layers.find((layer) => layer.path === BASE);
  const language = base === undefined ? [] : problemsOf(() => checkLanguage(base));
  const modes = ROLES.flatMap((role) => {
    const mode = layers.find((layer) => layer.path === modePath(role));
    return mode === undefined ? [] : checkPlaceholders(mode.text, mode.file, role);
  });
  return [...language, ...modes, ...missingPersonality(options.personality, layers, opened)];
}

/** The default personality may be missing; one that was asked for may not. */
function missingPersonality(
  personality: string,
  layers: readonly Layer[],
  opened: OpenedBase,
): readonly Problem[] {
  const path = personalityPath(personality);
  if (personality === DEFAULT_PERSONALITY || layers.some((layer) => layer.path === path)) return [];
  const there = opened.tiers.flatMap((tier) => {
    const folder = `${tier.prompts}/personalities/`;
    return [...tier.entries.keys()].flatMap((file) =>
      file.startsWith(folder) && file.endsWith(".md") ? [file.slice(folder.length, -3)] : [],
    );
  });
  const message = `${opened.label} has no personality ${JSON.stringify(personality)}.${didYouMean(personality, there)}`;
  const hint =
    there.length === 0 ? `add ${path}` : `personalities are ${[...new Set(there)].sort().join(", ")}`;
  return [problem("missing-layer", { key: "personality" }, message, hint)];
}

function problemsOf(check: () => void): readonly Problem[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.problems;
    throw error;
  }
}

function layerWarnings(layers: readonly Layer[]): readonly Problem[] {
  return layers.flatMap((layer) =>
    layer.path.startsWith("modes/") ? [] : warnPlaceholders(layer.text, layer.file),
  );
}

/**
 * The digest covers what can change what the model sees, and only that: layers as they are assembled (trimmed), and of
 * a disabled skill its name alone. Where a file lies, or a header key that nobody reads, makes no difference.
 */
function digestOf(
  parts: Pick<Variant, "profile" | "delivery" | "model" | "personality" | "layers" | "skills">,
): string {
  const { profile, delivery, model, personality } = parts;
  const layers = parts.layers.map((layer) => [layer.path, sha256(layer.text.trim())]);
  return sha256(
    JSON.stringify([
      "evalkit.variant/1",
      profile,
      delivery,
      model,
      personality,
      layers,
      parts.skills.map(skillParts),
    ]),
  );
}

function skillParts(skill: Skill): unknown {
  if (!skill.enabled) return [skill.name, "disabled"];
  const files = skill.files.map((file) => [file.path, file.digest]);
  return [skill.name, skill.description, skill.tags, skill.priority ?? 0, sha256(skill.body), files];
}
