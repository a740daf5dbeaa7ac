/** A path inside the workspace, or why there is none. */
export type WorkspacePath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly why: string };

const MAX_LENGTH = 500;

/**
 * Normalises a path that a model wrote: relative, `/` between names, no empty or `.` parts; `""` is the workspace root.
 * Absolute paths, `~`, drive letters and any `..` are refused: a path is judged by what it says, not by where it would
 * end. Backslashes count as separators, so that `..\` is no way around.
 */
export function workspacePath(input: string): WorkspacePath {
  if (input.length > MAX_LENGTH) return refused(`is longer than ${MAX_LENGTH} characters`);
  if (/[\0\r\n]/.test(input)) return refused("holds a line end or a null character");
  const slashed = input.trim().replaceAll("\\", "/");
  if (/^(\/|~|[A-Za-z]:)/.test(slashed)) return refused("is not relative to the workspace");
  const parts = slashed.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) return refused("leads out of the workspace with `..`");
  return { ok: true, path: parts.join("/") };
}

function refused(why: string): WorkspacePath {
  return { ok: false, why };
}
