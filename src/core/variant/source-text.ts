/** Largest layer, SKILL.md or state file that is read, in bytes. */
export const MAX_FILE_BYTES = 1_048_576;

/** A file's text, or why it can't be used; `reason` completes the sentence "FILE …". */
export type SourceText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly code: string; readonly reason: string; readonly hint?: string };

/** Line ends made LF and one leading BOM dropped: done before anything is hashed, compared or sent. */
export function normaliseText(text: string): string {
  return (text.startsWith("\uFEFF") ? text.slice(1) : text).replace(/\r\n?/g, "\n");
}

/** Decodes a text file strictly: UTF-8 without NUL, no Git LFS pointer. The text comes normalised. */
export function decodeText(bytes: Uint8Array): SourceText {
  const decoded = decodeUtf8(bytes);
  if (typeof decoded !== "string") return decoded;
  const text = normaliseText(decoded);
  if (!isLfsPointer(text)) return { ok: true, text };
  return {
    ok: false,
    code: "lfs-pointer",
    reason: "is a Git LFS pointer, not the text itself",
    hint: "store prompts and skills in git itself (git lfs untrack, then add the file again), or run git lfs pull and use worktree",
  };
}

/** Recognises the pointer file that Git LFS commits in place of the content. */
export function isLfsPointer(text: string): boolean {
  return (
    /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v\d+\n/.test(text) &&
    /^oid [a-z0-9]+:[0-9a-f]+$/m.test(text.slice(0, 1024))
  );
}

function decodeUtf8(bytes: Uint8Array): string | Extract<SourceText, { ok: false }> {
  if (bytes.includes(0)) {
    const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    const reason = utf16 ? "is UTF-16, expected UTF-8" : "holds NUL bytes: it is no text file";
    return { ok: false, code: "not-text", reason, hint: "save it as UTF-8" };
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const reason = `is not valid UTF-8 (first bad byte in line ${lineOfBadByte(bytes)})`;
    return { ok: false, code: "not-utf8", reason, hint: "save it as UTF-8" };
  }
}

/** Line of the first byte that is no UTF-8: the decoder puts U+FFFD there, but the file may hold U+FFFD of its own. */
function lineOfBadByte(bytes: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(10, start);
    const stop = end < 0 ? bytes.length : end + 1;
    try {
      decoder.decode(bytes.subarray(start, stop));
    } catch {
      return line;
    }
    start = stop;
  }
  return line;
}
