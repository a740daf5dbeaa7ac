import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { evalkit } from "../support/in-process.ts";
import { type Files, git, tempDir, writeFiles } from "../support/project.ts";

export const fixture = (...path: string[]) => join(import.meta.dirname, "../fixtures/bugs", ...path);
export const readFixture = (...path: string[]) => readFileSync(fixture(...path), "utf8");

export const BASE = "You are an agent.\n\n## Language\n\nAnswer in English.\n";
export const skill = (name: string, description = `About ${name}`, body = "Say which day it is.") =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;

/** A git project with a prompt, and below skills/ what lies in the folders of these bugs. */
export function projectWith(bugs: readonly string[], files: Files = {}): string {
  const dir = tempDir();
  git(dir, "init", "-q", "-b", "main");
  writeFiles(dir, { "prompts/base.md": BASE, ...files });
  for (const bug of bugs)
    cpSync(fixture(bug), join(dir, "skills"), { recursive: true, verbatimSymlinks: true });
  return dir;
}

/** A skill as `evalkit skills --json` lists it. */
export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly tier: string;
  readonly file: string;
  readonly replaces: readonly string[];
}

/** What `evalkit skills --json` says; notes as one line each. */
export async function listed(dir: string, ...more: string[]) {
  const { code, out, err } = await evalkit(dir, "skills", "--json", ...more);
  if (out === "") throw new Error(err);
  const parsed: { found: number; loaded: number; refused: number; skills: ListedSkill[]; notes: Note[] } =
    JSON.parse(out);
  const notes = parsed.notes.map(({ where, message }) => {
    const place = [where.file, where.line, where.column].filter((part) => part !== undefined).join(":");
    return `${place} ${message}`;
  });
  return { ...parsed, code, notes, err };
}

interface Note {
  readonly where: { file?: string; line?: number; column?: number };
  readonly message: string;
}

/** The one skill of a project made of this SKILL.md, or what was said instead. */
export async function readAs(text: string | Buffer) {
  const dir = projectWith([], { "skills/folder/SKILL.md": "" });
  writeFileSync(join(dir, "skills/folder/SKILL.md"), text);
  const { skills, notes, code } = await listed(dir);
  return { skill: skills[0], notes, code, dir };
}
