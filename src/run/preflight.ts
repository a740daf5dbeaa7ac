import type { Case } from "../core/nouns/case.ts";
import type { Role } from "../core/nouns/variant.ts";

/** Roles whose prompts a case needs, by its mode. All are assembled before the first model call. */
export const ROLES_OF_MODE: Readonly<Record<Case["mode"], readonly Role[]>> = {
  agent: ["agent"],
  plan: ["planner", "plan"],
  team: ["team-planner", "team-worker", "team-reviewer"],
};
