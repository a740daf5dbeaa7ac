import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "../core/nouns/problem.ts";
import { changeSkillState, parseSkillState } from "../core/skill/state.ts";
import { errorCode, writeAtomically } from "./files.ts";
import { withRunLock } from "./lock.ts";
import { makeFolder } from "./make-folder.ts";

/** Switches a skill on or off in `<root>/<tierDir>/skills.json`. Returns the file's path from the root. */
export async function switchSkill(root: string, tierDir: string, name: string, on: boolean): Promise<string> {
  const file = join(tierDir, "skills.json");
  await refuseLinks(root, tierDir);
  // Nothing to change: nothing is made, and nothing need be writable.
  if ((await disabledIn(root, file)).includes(name) === !on) return file;
  makeFolder(join(root, tierDir));
  // Two skills may be switched at once: neither may write what it read before the other.
  await withRunLock(
    join(root, tierDir),
    async () => {
      const disabled = await disabledIn(root, file);
      if (disabled.includes(name) === !on) return;
      await writeAtomically(join(root, file), changeSkillState(disabled, name, on));
    },
    "the skill state",
  );
  return file;
}

/** Throws InputError where the file is there and can't be read: it would be written over. */
async function disabledIn(root: string, file: string): Promise<readonly string[]> {
  const text = await readFile(join(root, file), "utf8").catch((error: unknown) =>
    errorCode(error) === "ENOENT"
      ? null
      : fail(
          "unreadable-file",
          { file },
          `the skill state can't be read (${errorCode(error)})`,
          "mend or delete it",
        ),
  );
  return text === null ? [] : parseSkillState(file, text);
}

/** A branch may have made the tier's folder a link to elsewhere; nothing is written through it. */
async function refuseLinks(root: string, tierDir: string): Promise<void> {
  const names = tierDir.split(/[/\\]/);
  for (let depth = 1; depth <= names.length; depth += 1) {
    const path = join(...names.slice(0, depth));
    const stats = await lstat(join(root, path)).catch(() => null);
    if (stats?.isSymbolicLink())
      fail("link-outside", { file: path }, `${path} is a link: the skill state is not written through it`);
  }
}
