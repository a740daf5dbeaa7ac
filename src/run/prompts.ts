import type { Problem } from "../core/nouns/problem.ts";
import type { Variant } from "../core/nouns/variant.ts";
import { assemblePrompt, type PromptInput } from "../core/prompt/assemble.ts";
import type { Digest } from "./ports.ts";

/** A system prompt, its digest, and what the assembler warned of. */
export interface Prompt {
  readonly text: string;
  readonly digest: string;
  readonly notes: readonly Problem[];
}

const made = new WeakMap<Variant, Map<string, Prompt>>();

/**
 * A variant's system prompt; most cases share one, and it is assembled and kept once. Prompts with values of their own
 * (a plan's tasks) are not kept. Throws InputError as the assembler does.
 */
export function promptFor(variant: Variant, input: PromptInput, digest: Digest): Prompt {
  if (Object.keys(input.values).length > 0) return assembled(variant, input, digest);
  const { role, approval, context, handoff, skills } = input;
  const key = JSON.stringify([
    role,
    approval,
    context,
    handoff,
    skills.map((one) => [one.name, one.enabled]),
  ]);
  const kept = made.get(variant) ?? new Map<string, Prompt>();
  made.set(variant, kept);
  const prompt = kept.get(key) ?? assembled(variant, input, digest);
  kept.set(key, prompt);
  return prompt;
}

function assembled(variant: Variant, input: PromptInput, digest: Digest): Prompt {
  const { text, notes } = assemblePrompt(variant, input);
  return { text, digest: digest(text), notes };
}
