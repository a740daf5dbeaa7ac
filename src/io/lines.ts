import { createReadStream } from "node:fs";
import { errorCode } from "./files.ts";

const NEWLINE = 10;

/**
 * The lines of a file, one at a time, without their ends (`\n`, `\r\n`); a missing file has none. Only `\n` ends a line:
 * JSON may hold U+2028 as it is, which readline of newer versions of Node takes for an end. Rejects when the file can't
 * be read.
 */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 })) {
      const bytes: Buffer = chunk;
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        yield lineOf(parts, bytes.subarray(start, end));
        parts = [];
        start = end + 1;
      }
      if (start < bytes.length) parts.push(bytes.subarray(start));
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
  if (parts.length > 0) yield lineOf(parts, Buffer.alloc(0));
}

/** Decoded as a whole, so that no character is split between two chunks. */
function lineOf(parts: readonly Buffer[], last: Buffer): string {
  const bytes = parts.length === 0 ? last : Buffer.concat([...parts, last]);
  const text = bytes.toString("utf8");
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}
