import { createReadStream } from "node:fs";
import { errorCode } from "./files.ts";

const NEWLINE = 10;
/** No line of ours comes near; one beyond V8's longest text would end the process. */
const MAX_LINE = 256 * 1024 * 1024;
/** What stands for a longer line: nothing that could be taken for one of ours. */
const NO_LINE = "\ufffd";

/**
 * The lines of a file, one at a time, without their ends (`\n`, `\r\n`); a missing file has none. Only `\n` ends a line:
 * JSON may hold U+2028 as it is, which readline of newer versions of Node takes for an end. A line beyond all bounds is
 * given as `\ufffd` and takes no memory. Rejects when the file can't be read.
 */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let held = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 })) {
      const bytes: Buffer = chunk;
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        yield held > MAX_LINE ? NO_LINE : lineOf(parts, bytes.subarray(start, end));
        parts = [];
        held = 0;
        start = end + 1;
      }
      held += bytes.length - start;
      if (held > MAX_LINE) parts = [];
      else if (start < bytes.length) parts.push(bytes.subarray(start));
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
  if (held > 0) yield held > MAX_LINE ? NO_LINE : lineOf(parts, Buffer.alloc(0));
}

/** Decoded as a whole, so that no character is split between two chunks. */
function lineOf(parts: readonly Buffer[], last: Buffer): string {
  const bytes = parts.length === 0 ? last : Buffer.concat([...parts, last]);
  const text = decodeLine(bytes);
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

/** A line as text; `\ufffd` where it is longer than any line of ours. */
export function decodeLine(bytes: Buffer): string {
  return bytes.length > MAX_LINE ? NO_LINE : bytes.toString("utf8");
}
