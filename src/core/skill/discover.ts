import { isBelow, resolvePath, type TreeEntry } from "../variant/tree.ts";

/** A skill's folder as it was found; `file` is where SKILL.md lies, `source` the file it leads to when it is a link. */
export interface FoundSkill {
  readonly folder: string;
  readonly file: string;
  readonly source: string;
  /** Paths of the files beside SKILL.md, with the file each leads to; sorted. */
  readonly beside: readonly { readonly path: string; readonly source: string }[];
  /** Links and submodules beside SKILL.md that are not read. */
  readonly skipped: readonly Refusal[];
}

/** Something that is named and counted, and not read; `reason` completes "FILE …". */
export interface Refusal {
  readonly file: string;
  readonly code: string;
  readonly reason: string;
  readonly hint?: string;
}

export interface Discovery {
  readonly skills: readonly FoundSkill[];
  readonly refused: readonly Refusal[];
}

const SKILL = "SKILL.md";
const NEVER = /(?:^|\/)(?:node_modules|\.git)(?:\/|$)/;
/** Folders that builds and package managers fill: a copy of a skill in them is no skill of the project's. */
const BUILT = /^(?:dist|build|target|venv|\.venv|__pycache__)$/;

/**
 * Finds skills: `SKILL.md` at any depth below `root`, not below another skill, never in node_modules or .git, and not
 * below a build folder, which is told.
 * `linkRoot` is the tier's root: a link may lead to a file inside it and nowhere else.
 */
export function discoverSkills(
  entries: ReadonlyMap<string, TreeEntry>,
  root: string,
  linkRoot: string,
): Discovery {
  const below = [...entries.values()].filter(
    (entry) => isBelow(entry.path, root) && !NEVER.test(entry.path.slice(root.length)),
  );
  const marked = below.filter((entry) => nameOf(entry.path) === SKILL);
  const folders = new Set(marked.map((entry) => folderOf(entry.path)));
  const outer = marked.filter((entry) => !insideAnother(folderOf(entry.path), folders, root));
  const skills: FoundSkill[] = [];
  const refused: Refusal[] = [];
  for (const { path } of outer) {
    const built = buildFolder(path, root);
    const found =
      built === undefined
        ? findOne(entries, below, path, root, linkRoot)
        : {
            file: path,
            code: "build-folder",
            reason: `lies below a build folder, ${JSON.stringify(built)}`,
            hint: "move it out, or rename the folder",
          };
    if ("reason" in found) refused.push(found);
    else skills.push(found);
  }
  const owned = new Set(outer.map((entry) => folderOf(entry.path)));
  refused.push(...strays(entries, below, owned, root, linkRoot));
  return { skills, refused };
}

/** A build folder between the root and the skill's own folder, which may have any name. */
function buildFolder(file: string, root: string): string | undefined {
  const folders = folderOf(folderOf(file)).slice(root.length).split("/");
  return folders.find((name) => BUILT.test(name));
}

function findOne(
  entries: ReadonlyMap<string, TreeEntry>,
  below: readonly TreeEntry[],
  file: string,
  root: string,
  linkRoot: string,
): FoundSkill | Refusal {
  const folder = folderOf(file);
  if (folder === root) {
    return {
      file,
      code: "skill-at-root",
      reason: "lies in the skills folder itself",
      hint: "give the skill a folder of its own",
    };
  }
  const resolved = resolvePath(entries, file, linkRoot);
  if (resolved.kind !== "file") return refusal(file, resolved);
  const beside: { path: string; source: string }[] = [];
  const skipped: Refusal[] = [];
  for (const { path } of below) {
    if (!isBelow(path, folder) || path === file || /(?:^|\/)\./.test(path.slice(folder.length + 1))) continue;
    const target = resolvePath(entries, path, linkRoot);
    if (target.kind === "file") beside.push({ path: path.slice(folder.length + 1), source: target.path });
    else skipped.push(refusal(path, target));
  }
  return { folder, file, source: resolved.path, beside, skipped };
}

/** What looks like a skill and is none: a lone `skill.md`, a link to a folder, a submodule. */
function strays(
  entries: ReadonlyMap<string, TreeEntry>,
  below: readonly TreeEntry[],
  owned: ReadonlySet<string>,
  root: string,
  linkRoot: string,
): Refusal[] {
  return below.flatMap((entry): Refusal[] => {
    const { path, kind } = entry;
    const folder = folderOf(path);
    if (nameOf(path) === SKILL || owned.has(folder) || insideAnother(folder, owned, root)) return [];
    if (kind === "submodule")
      return [{ file: path, code: "submodule", reason: "is a submodule, which is not read" }];
    if (kind === "link") {
      const resolved = resolvePath(entries, path, linkRoot);
      if (resolved.kind === "refused" && resolved.code !== "dangling-link") return [refusal(path, resolved)];
      if (resolved.kind !== "file") {
        return [
          {
            file: path,
            code: "link-folder",
            reason: `is a link to ${JSON.stringify(entry.target ?? "")}; a skill's folder must be a folder`,
          },
        ];
      }
    }
    if (nameOf(path).toLowerCase() !== "skill.md") return [];
    return [
      {
        file: path,
        code: "skill-file-name",
        reason: "is not read as a skill",
        hint: `rename it to ${SKILL}, exactly so`,
      },
    ];
  });
}

function refusal(
  file: string,
  resolved:
    | { readonly kind: "missing" }
    | { readonly kind: "refused"; readonly code: string; readonly reason: string },
): Refusal {
  return resolved.kind === "refused"
    ? { file, code: resolved.code, reason: resolved.reason }
    : { file, code: "missing", reason: "is missing" };
}

/** Whether a folder above this one, below the root, is a skill's. */
function insideAnother(folder: string, skillFolders: ReadonlySet<string>, root: string): boolean {
  for (let at = folder.lastIndexOf("/"); at > root.length; at = folder.lastIndexOf("/", at - 1)) {
    if (skillFolders.has(folder.slice(0, at))) return true;
  }
  return false;
}

const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
