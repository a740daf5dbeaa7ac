/** One entry of a tree of files; folders are not listed. */
export interface TreeEntry {
  /** Relative to the tree's root, `/` between names. */
  readonly path: string;
  readonly kind: "file" | "link" | "submodule" | "special";
  /** Where a link points, as it is written. */
  readonly target?: string;
}

/** Where a path leads once links are followed, or why it may not be used; `reason` completes "PATH …". */
export type Resolved =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly code: string; readonly reason: string };

/**
 * Follows links by their text alone, inside `root` only: what a link points at outside the tier's root is never read,
 * neither from git's object store nor from the disk. `entries` holds every entry below the root by path.
 */
export function resolvePath(entries: ReadonlyMap<string, TreeEntry>, path: string, root: string): Resolved {
  let current = path;
  for (let hops = 0; hops < 20; hops += 1) {
    const stop = firstNonFolder(entries, current);
    if (stop === null)
      return hops === 0
        ? nothingAt(entries, current)
        : refused("dangling-link", `is a link to ${current}, which is missing`);
    if (stop.kind === "submodule")
      return refused("submodule", `lies in the submodule ${stop.path}, which is not read`);
    if (stop.kind === "special") return refused("not-a-file", "is no regular file");
    if (stop.kind === "file") {
      if (stop.path === current) return { kind: "file", path: current };
      return hops === 0
        ? { kind: "missing" }
        : refused("dangling-link", `is a link to ${current}, which is missing`);
    }
    const next = joinPath(stop.path, stop.target ?? "", current.slice(stop.path.length));
    if (next === null || !isBelow(next, root)) {
      return refused(
        "link-outside",
        `is a link to ${JSON.stringify(stop.target ?? "")}, outside ${root === "" ? "its root" : root}`,
      );
    }
    current = next;
  }
  return refused("link-loop", "is a link that leads back to itself");
}

/** A folder where a file is expected is no absence: whoever made it meant something by it. */
function nothingAt(entries: ReadonlyMap<string, TreeEntry>, path: string): Resolved {
  return hasBelow(entries, path) ? refused("not-a-file", IS_FOLDER) : { kind: "missing" };
}

/** Whether anything lies below a path, so that it is a folder. */
export function hasBelow(entries: ReadonlyMap<string, TreeEntry>, path: string): boolean {
  for (const other of entries.keys()) if (isBelow(other, path)) return true;
  return false;
}

/** Completes "PATH …". */
export const IS_FOLDER = "is a folder, where a file is expected";

/** Whether a path lies below a folder (`""` is the tree's root). */
export function isBelow(path: string, folder: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}

function refused(code: string, reason: string): Resolved {
  return { kind: "refused", code, reason };
}

/** The entry at a path, or the link, file or submodule that stands where one of its folders should be. */
function firstNonFolder(entries: ReadonlyMap<string, TreeEntry>, path: string): TreeEntry | null {
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    const entry = entries.get(path.slice(0, slash));
    if (entry !== undefined) return entry;
  }
  return entries.get(path) ?? null;
}

/** The path a link leads to, normalised, or null when it is absolute or climbs out of the tree. */
function joinPath(link: string, target: string, rest: string): string | null {
  if (target === "" || target.startsWith("/") || /^[A-Za-z]:|\\/.test(target)) return null;
  const names = link.split("/").slice(0, -1);
  for (const name of `${target}${rest}`.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.join("/");
}
