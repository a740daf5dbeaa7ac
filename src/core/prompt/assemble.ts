import type { Approval } from "../nouns/case.ts";
import { fail, InputError, type Problem, warning } from "../nouns/problem.ts";
import type { Layer, Role, Skill, Variant } from "../nouns/variant.ts";
import { renderIndex } from "../skill/index-text.ts";
import { wrapSkill } from "../skill/load-result.ts";
import { hasLanguageSection } from "./language.ts";
import {
  approvalPath,
  BASE,
  CONTEXT_MANAGEMENT,
  DEFAULT_PERSONALITY,
  modePath,
  personalityPath,
} from "./layer-paths.ts";
import { fillPlaceholders } from "./placeholders.ts";

/** What one prompt is assembled for. */
export interface PromptInput {
  readonly role: Role;
  readonly approval: Approval;
  /** Body of `## Project Context`; blank leaves the section out. */
  readonly context: string;
  /** Body of `## Handoff`; blank leaves the section out. */
  readonly handoff: string;
  /** As `skillsFor` gives them: only enabled ones stand in the index. */
  readonly skills: readonly Skill[];
  /** Values of the placeholders declared for the role. */
  readonly values: Readonly<Record<string, string>>;
}

/** Sections of a prompt, in their fixed order. */
export const SECTION_KINDS = [
  "base",
  "personality",
  "mode",
  "approval",
  "context",
  "skills",
  "context-management",
  "handoff",
] as const;

/** One section of an assembled prompt; `path` is the layer's, null for generated sections. */
export interface PromptSection {
  readonly kind: (typeof SECTION_KINDS)[number];
  readonly path: string | null;
  /** UTF-8 bytes of the section as it stands in the prompt. */
  readonly bytes: number;
}

/** A system prompt with where its parts come from. */
export interface AssembledPrompt {
  readonly text: string;
  readonly sections: readonly PromptSection[];
  /** Warnings: layers left out, skills shortened or left out of the index. */
  readonly notes: readonly Problem[];
}

/** The parts of a variant that the assembler reads. */
export type PromptVariant = Pick<Variant, "profile" | "delivery" | "personality" | "layers">;

/**
 * Assembles the system prompt, stable parts first and changing ones last. Throws InputError when base.md is missing or
 * has no `## Language` section, when a required mode or a named personality is missing, or a placeholder is not filled.
 */
export function assemblePrompt(variant: PromptVariant, input: PromptInput): AssembledPrompt {
  const index = renderIndex(input.skills);
  const notes = indexNotes(index.shortened, index.omitted);
  if (variant.profile === "two-layer") return twoLayer(variant, input, index.text, notes);
  const base = requiredBase(variant);
  checkLanguage(base);
  const file = (kind: PromptSection["kind"], path: string, required: boolean) =>
    section(kind, path, layerText(variant, path, required, notes));
  const sections = [
    section("base", BASE, base.text),
    file("personality", personalityPath(variant.personality), variant.personality !== DEFAULT_PERSONALITY),
    section("mode", modePath(input.role), modeText(variant, input, notes)),
    file("approval", approvalPath(input.approval), false),
    section("context", null, headed("Project Context", input.context)),
    section("skills", null, headed("Skills", skillsText(variant, input.skills, index.text))),
    file("context-management", CONTEXT_MANAGEMENT, false),
    section("handoff", null, headed("Handoff", input.handoff)),
  ];
  return joined(sections, notes);
}

/** Throws InputError unless base.md holds a `## Language` section. */
export function checkLanguage(base: Layer): void {
  if (hasLanguageSection(base.text)) return;
  fail(
    "no-language-section",
    { file: base.file },
    "base.md has no ## Language section (a heading line outside code fences)",
    "add ## Language with the language that the agent answers in",
  );
}

function twoLayer(
  variant: PromptVariant,
  input: PromptInput,
  index: string,
  notes: Problem[],
): AssembledPrompt {
  for (const [key, text] of Object.entries({ context: input.context, handoff: input.handoff })) {
    if (text.trim() !== "")
      notes.push(
        warning("section-left-out", { key }, `${key} is left out: the profile two-layer has no such section`),
      );
  }
  const list = `Skills available:\n${index === "" ? "(no skills available)" : index}`;
  const bodies =
    variant.delivery === "system-prompt"
      ? enabled(input.skills).map((skill) => wrapSkill(skill.name, skill.body))
      : [];
  const sections = [
    section("base", BASE, requiredBase(variant).text),
    section("skills", null, [list, ...bodies].join("\n\n")),
  ];
  return joined(sections, notes);
}

interface Section extends PromptSection {
  readonly text: string;
}

function section(kind: PromptSection["kind"], path: string | null, text: string): Section {
  const trimmed = text.trim();
  return { kind, path, text: trimmed, bytes: new TextEncoder().encode(trimmed).length };
}

function joined(all: readonly Section[], notes: readonly Problem[]): AssembledPrompt {
  const sections = all.filter((part) => part.text !== "");
  return {
    text: sections.map((part) => part.text).join("\n\n"),
    sections: sections.map(({ kind, path, bytes }) => ({ kind, path, bytes })),
    notes,
  };
}

const headed = (heading: string, text: string) =>
  text.trim() === "" ? "" : `## ${heading}\n\n${text.trim()}`;
const enabled = (skills: readonly Skill[]) => skills.filter((skill) => skill.enabled);

/** The index; with delivery `system-prompt` every enabled skill's body follows it, in the same order. */
function skillsText(variant: PromptVariant, skills: readonly Skill[], index: string): string {
  if (variant.delivery !== "system-prompt") return index;
  const bodies = enabled(skills).map((skill) => `## Loaded skill: ${skill.name}\n\n${skill.body}`);
  return [index, ...bodies].join("\n\n");
}

function requiredBase(variant: PromptVariant): Layer {
  const base = variant.layers.find((layer) => layer.path === BASE);
  return base ?? fail("missing-layer", { file: BASE }, "the layer base.md is missing");
}

/** A missing agent mode is left out with a note; the other roles can't do their work without their file. */
function modeText(variant: PromptVariant, input: PromptInput, notes: Problem[]): string {
  const path = modePath(input.role);
  const text = layerText(variant, path, input.role !== "agent", notes);
  const file = variant.layers.find((layer) => layer.path === path)?.file ?? path;
  const filled = fillPlaceholders(text, file, input.role, input.values);
  if (filled.problems.length > 0) throw new InputError(filled.problems);
  return filled.text;
}

function layerText(variant: PromptVariant, path: string, required: boolean, notes: Problem[]): string {
  const layer = variant.layers.find((found) => found.path === path);
  if (layer !== undefined) return layer.text;
  if (required)
    return fail("missing-layer", { file: path }, `the layer ${path} is missing`, `add ${path} to prompts/`);
  notes.push(
    warning("missing-layer", { file: path }, `the layer ${path} is missing and left out of the prompt`),
  );
  return "";
}

function indexNotes(shortened: readonly string[], omitted: readonly string[]): Problem[] {
  const hint = "shorten descriptions or tags, or disable skills that the cases don't need";
  const notes: Problem[] = [];
  if (shortened.length > 0)
    notes.push(
      warning(
        "index-shortened",
        {},
        `the skill index is over its limit of 4,096 bytes; shortened: ${shortened.join(", ")}`,
        hint,
      ),
    );
  if (omitted.length > 0)
    notes.push(
      warning(
        "index-omitted",
        {},
        `the skill index is over its limit of 4,096 bytes; left out: ${omitted.join(", ")}`,
        hint,
      ),
    );
  return notes;
}
