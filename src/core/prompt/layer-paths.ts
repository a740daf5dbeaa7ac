import { fail, type Where } from "../nouns/problem.ts";
import type { Profile, Role } from "../nouns/variant.ts";
import { ROLES } from "../nouns/variant.ts";
import { APPROVALS, type Approval } from "../nouns/case.ts";
import { didYouMean } from "../text/nearest.ts";

/** The personality that is used when none is named. */
export const DEFAULT_PERSONALITY = "calm";
export const BASE = "base.md";
export const CONTEXT_MANAGEMENT = "context/context-management.md";

/** Where a personality, a mode and an approval policy stand, relative to prompts/. */
export const personalityPath = (personality: string): string => `personalities/${personality}.md`;
export const modePath = (role: Role): string => `modes/${role}.md`;
export const approvalPath = (approval: Approval): string => `approvals/${approval}.md`;

/** Every layer path that a prompt of this profile may be assembled from, in the order of assembly. */
export function layerPaths(profile: Profile, personality: string): readonly string[] {
  if (profile === "two-layer") return [BASE];
  checkLayerPath(personalityPath(personality), { key: "personality" });
  return [
    BASE,
    personalityPath(personality),
    ...ROLES.map(modePath),
    ...APPROVALS.map(approvalPath),
    CONTEXT_MANAGEMENT,
  ];
}

/**
 * Refuses a layer path that could leave its tier's root: absolute, holding `..` or a backslash, or empty.
 * Throws InputError; a refused path is never looked up in a lower tier instead.
 */
export function checkLayerPath(path: string, where: Where): void {
  const reason =
    path.trim() === ""
      ? "is empty"
      : path.startsWith("/") || /^[A-Za-z]:/.test(path)
        ? "is absolute"
        : path.includes("..")
          ? "holds .."
          : /[\\\u0000-\u001f\u007f]/.test(path)
            ? "holds a backslash or a control character"
            : null;
  if (reason !== null) {
    fail(
      "layer-path",
      where,
      `the layer path ${JSON.stringify(path)} ${reason}`,
      "layer paths are relative to prompts/, such as modes/agent.md",
    );
  }
}

/** Throws InputError unless `path` is a layer that this profile assembles; answers with the nearest one. */
export function checkKnownLayer(path: string, known: readonly string[], where: Where): void {
  checkLayerPath(path, where);
  if (known.includes(path)) return;
  fail(
    "unknown-layer",
    where,
    `${JSON.stringify(path)} is no layer of this profile.${didYouMean(path, known)}`,
    `layers are ${known.join(", ")}`,
  );
}
