import { join } from "node:path";
import type { Settings } from "../core/config/settings.ts";
import type { VariantOptions } from "./variant-tiers.ts";

/** The user's home folder as the environment names it, or null. */
export function homeOf(env: VariantOptions["env"]): string | null {
  return env.HOME || env.USERPROFILE || null;
}

/** How a project's settings open its variants. The user tier, which depends on the machine, is used only on request. */
export function variantOptions(
  settings: Pick<
    Settings,
    "prompts" | "skills" | "profile" | "delivery" | "personality" | "tierDir" | "userTier"
  >,
  env: VariantOptions["env"],
  cwd: string,
): VariantOptions {
  const { prompts, skills, profile, delivery, personality, tierDir, userTier } = settings;
  const home = homeOf(env);
  const userDir = userTier && home !== null ? join(home, tierDir) : null;
  return { prompts, skills, profile, delivery, personality, tierDir, userDir, env, cwd };
}
