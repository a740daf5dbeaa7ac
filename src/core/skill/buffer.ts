/** A loaded skill waiting for the next user message. */
export interface BufferedSkill {
  readonly name: string;
  readonly body: string;
}

/** Loaded skills in load order, oldest first. Plain data: every role and trial holds its own. */
export type SkillBuffer = readonly BufferedSkill[];

/** The buffer that every conversation starts with. */
export const EMPTY_BUFFER: SkillBuffer = [];
/** Loading a fourth skill drops the one loaded longest ago. */
export const BUFFER_CAPACITY = 3;

/** The buffer after a load. `refreshed`: the skill was there and moved to the newest place. */
export interface Loaded {
  readonly buffer: SkillBuffer;
  readonly evicted: string | null;
  readonly refreshed: boolean;
}

/** Puts a skill at the newest place. */
export function loadSkill(buffer: SkillBuffer, skill: BufferedSkill): Loaded {
  const others = buffer.filter((held) => held.name !== skill.name);
  const refreshed = others.length < buffer.length;
  const held = [...others, { name: skill.name, body: skill.body }];
  const [oldest, ...kept] = held;
  if (held.length <= BUFFER_CAPACITY || oldest === undefined)
    return { buffer: held, evicted: null, refreshed };
  return { buffer: kept, evicted: oldest.name, refreshed };
}

/**
 * Takes everything out, once: `prefix` goes in front of the next user message (each body under
 * `## Loaded skill: NAME`, then a line `---`), and is empty when nothing was loaded.
 */
export function drainSkills(buffer: SkillBuffer): {
  readonly buffer: SkillBuffer;
  readonly prefix: string;
  readonly names: readonly string[];
} {
  // The blank line before `---` matters: without it Markdown reads the body's last line as a heading.
  const parts = buffer.map((skill) => `## Loaded skill: ${skill.name}\n\n${skill.body.trim()}\n\n`);
  const prefix = parts.length === 0 ? "" : `${parts.join("")}---\n\n`;
  return { buffer: EMPTY_BUFFER, prefix, names: buffer.map((skill) => skill.name) };
}
