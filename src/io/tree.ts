import { fail } from "../core/nouns/problem.ts";
import { decodeText, MAX_FILE_BYTES, type SourceText } from "../core/variant/source-text.ts";
import { resolvePath, type TreeEntry } from "../core/variant/tree.ts";
import { byText } from "../core/text/order.ts";

/** A file's bytes, or why they are not there; `reason` completes "PATH …". */
export type Content =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "unreadable"; readonly code: string; readonly reason: string; readonly hint?: string };

/** More entries than this below the folders asked for is taken for a mistake (a dependency folder, a build). */
export const MAX_ENTRIES = 50_000;

/** Files of one version: a git commit or a folder on disk. Read only; links are reported, never followed. */
export interface Tree {
  /** How messages name the tree, such as `main (1a2b3c4d)`. */
  readonly label: string;
  /** Every entry at or below the folders, by path, sorted; folders that are missing add nothing. */
  list(folders: readonly string[]): Promise<ReadonlyMap<string, TreeEntry>>;
  /** Contents of regular files, by path; a path that is missing is left out. A folder, or larger than `limit`, is unreadable. */
  read(paths: readonly string[], limit?: number): Promise<ReadonlyMap<string, Content>>;
}

/**
 * One text file of a tree by path, normalised (LF, no BOM), or null where there is none. Links are followed inside the
 * tree. Throws InputError naming the file when it can't be used (too large, LFS pointer, no UTF-8, link out of the tree).
 */
export async function readTreeText(tree: Tree, path: string): Promise<string | null> {
  const top = path.split("/")[0] ?? path;
  const resolved = resolvePath(await tree.list([path, top]), path, "");
  if (resolved.kind === "missing") return null;
  if (resolved.kind === "refused") return fail(resolved.code, { file: path }, `${path} ${resolved.reason}`);
  const content = (await tree.read([resolved.path])).get(resolved.path);
  if (content === undefined) return null;
  const text = textOf(content);
  return text.ok ? text.text : fail(text.code, { file: path }, `${path} ${text.reason}`, text.hint);
}

/** The text of a file's content (LF, no BOM), or why there is none; `reason` completes "PATH …". */
export function textOf(content: Content | undefined): SourceText {
  if (content === undefined) return { ok: false, code: "unreadable", reason: "can't be read" };
  return content.kind === "bytes" ? decodeText(content.bytes) : { ok: false, ...content };
}

/** The content of a file that is larger than what is read. */
export function tooLarge(size: number, limit: number = MAX_FILE_BYTES): Content {
  const reason = `is ${size.toLocaleString("en")} bytes, at most ${limit.toLocaleString("en")} are read`;
  return {
    kind: "unreadable",
    code: "too-large",
    reason,
    hint: "prompts and skills are short texts: split it",
  };
}

/** Sorted by path in UTF-16 order. Throws InputError when there are too many to be prompts and skills. */
export function entryMap(
  entries: readonly TreeEntry[],
  folders: readonly string[],
): ReadonlyMap<string, TreeEntry> {
  if (entries.length > MAX_ENTRIES) {
    fail("too-many-files", {}, `more than ${MAX_ENTRIES} files lie below ${folders.join(", ")}`);
  }
  return new Map([...entries].sort((a, b) => byText(a.path, b.path)).map((entry) => [entry.path, entry]));
}
