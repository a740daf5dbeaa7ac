import type { Skill } from "../../core/nouns/variant.ts";

/** Where the files of enabled skills (`references/`, `scripts/`) stand in a world, read-only. */
export const SKILL_FILES = ".evalkit/skills";
const MAX_FILES = 5_000;
const MAX_LENGTH = 16_000_000;

/**
 * The files of one trial, by normalised path. Folders exist as far as files stand in them. Growth is bounded; skill
 * files are readable and never change.
 */
export class WorldFiles {
  /** The case's files as the trial has changed them. */
  readonly texts: Map<string, string>;
  readonly mounted: ReadonlyMap<string, string>;

  constructor(texts: ReadonlyMap<string, string>, mounted: ReadonlyMap<string, string>) {
    this.texts = new Map(texts);
    this.mounted = mounted;
  }

  read(path: string): string | undefined {
    return this.texts.get(path) ?? this.mounted.get(path);
  }

  /** Whether files stand below the path; the root is always a folder. */
  isFolder(path: string): boolean {
    return path === "" || this.below(path).length > 0;
  }

  /** Why a text can't be written, or null when it was. */
  write(path: string, text: string): string | null {
    const refusal = this.refusal(path);
    if (refusal !== null) return refusal;
    const before = this.texts.get(path);
    this.texts.set(path, text);
    const full = fullness(this.texts);
    if (full === null) return null;
    if (before === undefined) this.texts.delete(path);
    else this.texts.set(path, before);
    return full;
  }

  private refusal(path: string): string | null {
    if (path === "") return "the workspace itself is a folder";
    if (isMounted(path)) return `${SKILL_FILES} is read-only`;
    if (this.texts.get(path) === undefined && this.isFolder(path)) return `${path} is a folder`;
    const parent = parents(path).find((folder) => this.texts.has(folder));
    return parent === undefined ? null : `${parent} is a file, not a folder`;
  }

  /**
   * Paths of the files below a folder, in code-unit order. Skill files show only when the folder lies in `.evalkit`:
   * a listing of the project is not littered with them.
   */
  below(folder: string): readonly string[] {
    const shown = folder === ".evalkit" || folder.startsWith(".evalkit/");
    const all = shown ? [...this.texts.keys(), ...this.mounted.keys()] : [...this.texts.keys()];
    const start = folder === "" ? "" : `${folder}/`;
    return [...new Set(all)].filter((path) => path.startsWith(start)).sort();
  }
}

/** Skill files as they stand in a world: those of enabled skills, under `.evalkit/skills/NAME/`. */
export function skillFiles(skills: readonly Skill[]): ReadonlyMap<string, string> {
  const enabled = skills.filter((skill) => skill.enabled);
  return new Map(
    enabled.flatMap((skill) =>
      skill.files.map((file) => [`${SKILL_FILES}/${skill.name}/${file.path}`, file.text] as const),
    ),
  );
}

/** Whether a path lies where the skill files stand. */
export function isMounted(path: string): boolean {
  return path === SKILL_FILES || path.startsWith(`${SKILL_FILES}/`);
}

/** Why so many files can't be kept, or null. */
export function fullness(texts: ReadonlyMap<string, string>): string | null {
  if (texts.size > MAX_FILES) return `the workspace is full: at most ${MAX_FILES} files`;
  let length = 0;
  for (const text of texts.values()) length += text.length;
  return length > MAX_LENGTH ? `the workspace is full: at most ${MAX_LENGTH} characters in all` : null;
}

function parents(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}
