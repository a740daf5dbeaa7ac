import type { Problem } from "./problem.ts";

/** Tiers, low to high: a higher one replaces whole files (layers) and whole skills. */
export const TIERS = ["builtin", "user", "project"] as const;
export type Tier = (typeof TIERS)[number];

/** Prompt profiles: `layered` (section 4 of the contract) and `two-layer` (base.md and an index only). */
export const PROFILES = ["layered", "two-layer"] as const;
export type Profile = (typeof PROFILES)[number];

/** How a loaded skill's body reaches the model. */
export const DELIVERIES = ["next-user-message", "tool-result", "system-prompt"] as const;
export type Delivery = (typeof DELIVERIES)[number];

/** Roles whose system prompt can be assembled; each names a file `modes/<role>.md`. */
export const ROLES = ["agent", "plan", "planner", "team-planner", "team-worker", "team-reviewer"] as const;
export type Role = (typeof ROLES)[number];

/** One suffix of a variant: `+skill:NAME=off` and its sisters. */
export type Suffix =
  | { readonly kind: "skill"; readonly name: string; readonly on: boolean }
  | { readonly kind: "only-skill"; readonly name: string }
  | { readonly kind: "delivery"; readonly delivery: Delivery }
  | { readonly kind: "layer"; readonly path: string; readonly variant: string }
  | { readonly kind: "model"; readonly model: string };

/** What the user typed after `--baseline` or `--candidate`, taken apart. */
export interface VariantSpec {
  /** The whole text as typed. */
  readonly text: string;
  readonly base:
    | { readonly kind: "git"; readonly rev: string }
    | { readonly kind: "worktree" }
    | { readonly kind: "dir"; readonly path: string };
  readonly suffixes: readonly Suffix[];
}

/** One Markdown prompt file, LF line ends, no BOM. `path` is relative to `prompts/`, such as `modes/agent.md`. */
export interface Layer {
  readonly path: string;
  readonly tier: Tier;
  /** The file as a person finds it: relative to the repository's root, or absolute for the user tier. */
  readonly file: string;
  /** Files of lower tiers that this one replaces, lowest first. */
  readonly replaces: readonly string[];
  readonly text: string;
  readonly bytes: number;
  readonly digest: string;
}

/** A file beside a skill's SKILL.md (`references/…`, `scripts/…`), path relative to the skill's folder. */
export interface SkillFile {
  readonly path: string;
  readonly text: string;
  readonly digest: string;
}

/** One skill. `body` is the text after the front matter, LF, never holding a header line. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Which skills the index keeps when it runs out of room: higher first, 0 when not given. */
  readonly priority?: number;
  readonly tier: Tier;
  readonly file: string;
  readonly replaces: readonly string[];
  readonly body: string;
  readonly files: readonly SkillFile[];
  /** Enabled for this variant by project state and suffixes; a case narrows it further. */
  readonly enabled: boolean;
  /** Covers SKILL.md and the files beside it. */
  readonly digest: string;
}

/** Where a variant's files were read. */
export type VariantSource =
  | { readonly kind: "git"; readonly rev: string; readonly commit: string }
  | { readonly kind: "worktree"; readonly commit: string | null; readonly dirty: boolean }
  | { readonly kind: "dir"; readonly path: string };

/** One version of prompts and skills, read whole before the first model call. */
export interface Variant {
  /** What the user typed. */
  readonly label: string;
  readonly source: VariantSource;
  readonly profile: Profile;
  readonly delivery: Delivery;
  /** Set by `+model:NAME`. */
  readonly model: string | null;
  readonly personality: string;
  /** Sorted by path; at most one a path (the winning tier's). */
  readonly layers: readonly Layer[];
  /** Sorted by name; disabled ones included. */
  readonly skills: readonly Skill[];
  readonly skillCounts: { readonly found: number; readonly loaded: number; readonly refused: number };
  /** Tools whose descriptions a mutation check has blurred; else absent. */
  readonly blurredTools?: readonly string[];
  /** Warnings met while reading (refused skills, repaired front matter); errors have been thrown. */
  readonly notes: readonly Problem[];
  /** `sha256:…` over profile, delivery, model, personality, layers, skills and their states. */
  readonly digest: string;
}
