import { fail } from "../core/nouns/problem.ts";
import { errorCode } from "./files.ts";

/** Codes that say: no more room, on the disk, of the user's share, or of what one file may take (`ulimit -f`). */
const FULL: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Codes that say: this place may not be written to at all. */
const REFUSED: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOTDIR: "a part of the path is a file, not a folder",
  EEXIST: "a file of that name is in the way",
  ENAMETOOLONG: "the path is too long",
  ENOTSUP: "no folder can be made there",
  ESTALE: "deleted or moved while it was written to",
  ELOOP: "it is a link, and links are not written through",
};

export function isFullDisk(error: unknown): error is Error {
  return FULL.has(errorCode(error));
}

/** Why a place may not be written to, in words; null for any other error. */
export function writeRefusal(error: unknown): string | null {
  const code = errorCode(error) ?? "";
  return Object.hasOwn(REFUSED, code) ? `${REFUSED[code]} (${code})` : null;
}

/** Passes an error on, as InputError where the place may not be written to. */
export function refuseWrite(error: unknown, file: string, hint = "choose another --reports folder"): never {
  const why = writeRefusal(error);
  if (why === null) throw error;
  return fail("cannot-write", { file }, `this folder can't be written to: ${why}`, hint);
}
