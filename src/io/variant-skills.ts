import { basename } from "node:path/posix";
import { type Problem, problem, warning } from "../core/nouns/problem.ts";
import type { Skill, SkillFile, Variant } from "../core/nouns/variant.ts";
import { discoverSkills, type FoundSkill, type Refusal } from "../core/skill/discover.ts";
import { mergeSkills, type RefusedSkill } from "../core/skill/merge.ts";
import { parseSkill } from "../core/skill/skill-file.ts";
import { sha256 } from "./digest.ts";
import { type Content, textOf } from "./tree.ts";
import type { OpenedBase, TierSource } from "./variant-tiers.ts";

/** Files beside SKILL.md: more or larger ones are left out with a note. */
const MAX_FILES = 64;
const MAX_BESIDE_BYTES = 262_144;

/** A variant's skills before states and suffixes, all enabled. */
export interface ReadSkills {
  readonly skills: readonly Skill[];
  readonly counts: Variant["skillCounts"];
  /** Refused skills, repaired headers, files left out. */
  readonly notes: readonly Problem[];
  /** The same name twice in one tier. */
  readonly errors: readonly Problem[];
}

/** Reads the skills of every tier. A skill that can't be read is refused by name and counted; the others still load. */
export async function readSkills(opened: OpenedBase): Promise<ReadSkills> {
  const tiers = await Promise.all(opened.tiers.map(readTier));
  const loaded = tiers.flatMap((tier) => tier.loaded);
  const refused = tiers.flatMap((tier) => tier.refused);
  const merged = mergeSkills(loaded, refused);
  return {
    skills: merged.skills,
    counts: { found: loaded.length + refused.length, loaded: loaded.length, refused: refused.length },
    notes: [
      ...refused.map((skill) => skill.problem),
      ...tiers.flatMap((tier) => tier.notes),
      ...merged.notes,
    ],
    errors: merged.errors,
  };
}

interface TierSkills {
  readonly loaded: Skill[];
  readonly refused: RefusedSkill[];
  readonly notes: Problem[];
}

async function readTier(tier: TierSource): Promise<TierSkills> {
  const found = discoverSkills(tier.entries, tier.skills, tier.skillRoot);
  const read: TierSkills = { loaded: [], refused: [], notes: [] };
  const heads = await tier.tree.read([...new Set(found.skills.map((skill) => skill.source))]);
  const besides = found.skills.flatMap((skill) =>
    skill.beside.slice(0, MAX_FILES).map((file) => file.source),
  );
  const files = await tier.tree.read([...new Set(besides)], MAX_BESIDE_BYTES);
  for (const refusal of [...rootRefusal(tier), ...found.refused])
    read.refused.push(refusedSkill(tier, refusal));
  for (const skill of found.skills) readOne(tier, skill, heads, files, read);
  return read;
}

/** The skills folder itself may be a link or a submodule: then none of its skills can be read. */
function rootRefusal(tier: TierSource): Refusal[] {
  const entry = tier.entries.get(tier.skills);
  if (entry === undefined || entry.kind === "file") return [];
  return [
    {
      file: tier.skills,
      code: "skills-folder",
      reason: `is a ${entry.kind}, expected a folder: no skill in it is read`,
    },
  ];
}

function readOne(
  tier: TierSource,
  found: FoundSkill,
  heads: ReadonlyMap<string, Content>,
  files: ReadonlyMap<string, Content>,
  read: TierSkills,
): void {
  const text = textOf(heads.get(found.source));
  if (!text.ok) {
    read.refused.push(refusedSkill(tier, { ...text, file: found.file }));
    return;
  }
  const parsed = parseSkill(tier.name(found.file), basename(found.folder), text.text);
  if (!parsed.ok) {
    read.refused.push({
      tier: tier.tier,
      folderName: basename(found.folder),
      problem: asRefused(parsed.problem),
    });
    return;
  }
  const beside = readBeside(tier, found, files);
  const { name, description, tags, priority, body } = parsed.skill;
  read.notes.push(...parsed.notes, ...beside.notes);
  read.loaded.push({
    name,
    description,
    tags,
    priority,
    body,
    tier: tier.tier,
    file: tier.show(found.file),
    replaces: [],
    files: beside.files,
    enabled: true,
    digest: sha256(JSON.stringify([text.text, beside.files.map((file) => [file.path, file.digest])])),
  });
}

function readBeside(
  tier: TierSource,
  found: FoundSkill,
  contents: ReadonlyMap<string, Content>,
): { files: SkillFile[]; notes: Problem[] } {
  const files: SkillFile[] = [];
  const notes = found.skipped.map((skipped) => leftOut(tier, skipped));
  for (const { path, source } of found.beside.slice(0, MAX_FILES)) {
    const text = textOf(contents.get(source));
    if (text.ok) files.push({ path, text: text.text, digest: sha256(text.text) });
    else notes.push(leftOut(tier, { ...text, file: `${found.folder}/${path}` }));
  }
  const more = found.beside.length - MAX_FILES;
  if (more > 0)
    notes.push(
      leftOut(tier, {
        file: found.folder,
        code: "too-many-files",
        reason: `holds ${more} files more than the ${MAX_FILES} that are read`,
      }),
    );
  return { files, notes };
}

function refusedSkill(tier: TierSource, refusal: Refusal): RefusedSkill {
  const why = problem(refusal.code, { file: tier.name(refusal.file) }, `it ${refusal.reason}`, refusal.hint);
  const name = basename(refusal.file);
  const folderName = /^skill\.md$/i.test(name) ? basename(refusal.file.slice(0, -name.length - 1)) : name;
  return { tier: tier.tier, folderName, problem: asRefused(why) };
}

/** Refusing one skill lets the others load: it is a warning, and says that the skill is gone. */
function asRefused(why: Problem): Problem {
  return { ...why, severity: "warning", message: `${REFUSED}${why.message}` };
}

const REFUSED = "skill refused: ";

/** Whether a note says that a skill was refused: no fault of a run, which measures the rest, but one of the project. */
export function isSkillRefused(note: Problem): boolean {
  return note.message.startsWith(REFUSED);
}

function leftOut(tier: TierSource, refusal: Refusal): Problem {
  return warning(
    refusal.code,
    { file: tier.name(refusal.file) },
    `left out of the skill: it ${refusal.reason}`,
    refusal.hint,
  );
}
