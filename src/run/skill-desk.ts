import { sameName } from "../core/text/same-name.ts";
import type { Event } from "../core/nouns/transcript.ts";
import type { Skill, Variant } from "../core/nouns/variant.ts";
import { drainSkills, EMPTY_BUFFER, loadSkill } from "../core/skill/buffer.ts";
import { loadResult } from "../core/skill/load-result.ts";
import type { ToolResult } from "./tools/tool.ts";
import { cut } from "../core/text/cut.ts";

type SkillEvent = Extract<Event, { type: "skill" }>;

/** A user text as it is sent, with the skills that were put in front of it. */
export interface Arrival {
  readonly text: string;
  readonly injected: readonly string[];
  readonly events: readonly SkillEvent[];
}

/**
 * Skills of one conversation: its own buffer, so that no role gets what another has loaded. Loading is done in one
 * step without waiting, so parallel calls can't tread on each other.
 */
export class SkillDesk {
  private buffer = EMPTY_BUFFER;
  private readonly variant: Pick<Variant, "profile" | "delivery">;
  private readonly skills: ReadonlyMap<string, Skill>;
  private readonly conversation: number;

  constructor(
    variant: Pick<Variant, "profile" | "delivery">,
    skills: ReadonlyMap<string, Skill>,
    conversation: number,
  ) {
    this.variant = variant;
    this.skills = skills;
    this.conversation = conversation;
  }

  /** The result of `load_skill(name)`; unknown and disabled names are results like any other. */
  load(asked: string): ToolResult {
    const skill = this.skills.get(sameName(asked));
    const { profile, delivery } = this.variant;
    const name = skill?.name ?? cut(asked, 200);
    if (skill?.enabled !== true) {
      const kind = skill === undefined ? "unknown" : "disabled";
      const text = loadResult(profile, delivery, { kind, name, available: this.enabled() });
      return { text, error: true, events: [this.event(kind, name)] };
    }
    const { evicted, events } = this.take(skill);
    const text = loadResult(profile, delivery, { kind: "loaded", name, body: skill.body, evicted });
    return { text, error: false, events };
  }

  private take(skill: Skill): { readonly evicted: string | null; readonly events: readonly SkillEvent[] } {
    const { name, body } = skill;
    if (this.variant.delivery !== "next-user-message") {
      return { evicted: null, events: [this.event("loaded", name)] };
    }
    const { buffer, evicted, refreshed } = loadSkill(this.buffer, { name, body });
    this.buffer = buffer;
    const events = [this.event(refreshed ? "refreshed" : "loaded", name)];
    return { evicted, events: evicted === null ? events : [...events, this.event("evicted", evicted)] };
  }

  /** Puts the loaded skills in front of a user text, once. */
  arrive(userText: string): Arrival {
    const { buffer, prefix, names } = drainSkills(this.buffer);
    this.buffer = buffer;
    const events = names.map((name) => this.event("injected", name));
    return { text: `${prefix}${userText}`, injected: names, events };
  }

  private enabled(): readonly string[] {
    return [...this.skills.values()].filter((skill) => skill.enabled).map((skill) => skill.name);
  }

  private event(what: SkillEvent["what"], name: string): SkillEvent {
    return { type: "skill", conversation: this.conversation, what, name };
  }
}
