import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorCode } from "./files.ts";

/**
 * Makes a folder and those above it; one that is there is fine. Node's own `recursive` never comes back where a folder
 * that exists answers "no such file", as /proc does. Throws what the file system throws, ENOTSUP in such a place.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (isFolder(path)) return;
    const above = dirname(resolve(path));
    if (errorCode(error) !== "ENOENT" || above === resolve(path)) throw error;
    if (existsSync(above)) throw Object.assign(new Error(`${above} takes no folders`), { code: "ENOTSUP" });
    makeFolder(above);
    makeFolder(path);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
