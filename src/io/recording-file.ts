import { closeSync, constants, openSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { RequestHead } from "../core/reply/miss.ts";
import { sha256 } from "./digest.ts";
import { decodeLine } from "./lines.ts";
import { makeFolder } from "./make-folder.ts";
import { field, isObject, list, parseJson, textField } from "../core/text/json.ts";

/** A recorded reply. */
export interface Recorded {
  readonly raw: unknown;
  readonly ms: number;
  readonly attempts: number;
}

/** A line of a recordings file. The key comes first and the reply last: a scan needs only the start of each line. */
export interface RecordingLine extends Recorded {
  readonly key: string;
  readonly case: string;
  readonly head: RequestHead;
}

/** Hexadecimal digits of a key. */
export const KEY_LENGTH = 32;
/** Never through a link, which a branch could have put there; Windows knows no such flag. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
const START = '{"key":"';
const [QUOTE, CR, BRACE] = [34, 13, 125];
/** A miss is explained by the latest recordings of a case; more would make a run of misses slow. */
const EXPLAINED = 2000;

/**
 * File name for a case: its id where that is a safe name on every system, else a name made of it and a short digest, so
 * that two ids never share a file by accident (`A` and `a` are one file on some systems).
 */
export function recordingName(caseId: string): string {
  const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(caseId);
  if (/^[a-z0-9_][a-z0-9._-]{0,99}$/.test(caseId) && !caseId.endsWith(".") && !reserved)
    return `${caseId}.jsonl`;
  const slug = caseId
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[-.]+/, "")
    .slice(0, 80);
  const safe = slug === "" ? "case" : reserved ? `_${slug}` : slug;
  return `${safe}-${sha256(caseId).slice(7, 17)}.jsonl`;
}

/**
 * The recordings of one case. Opening scans for the keys; a line is parsed when it is served. Of several lines with one
 * key the last counts. Lines that are no recordings (torn by a crash, left by a merge) are counted and left alone.
 */
export class RecordingFile {
  /** Lines that could not be read. */
  broken = 0;
  readonly #path: string;
  readonly #bytes: Buffer;
  readonly #starts = new Map<string, number>();
  readonly #added = new Map<string, string>();
  #addedBytes = 0;
  #torn: boolean;
  #heads: RequestHead[] | null = null;

  private constructor(path: string, bytes: Buffer) {
    this.#path = path;
    this.#bytes = bytes;
    this.#torn = bytes.length > 0 && bytes[bytes.length - 1] !== 10;
    for (let start = 0; start < bytes.length; ) {
      const end = this.#endOf(start);
      const key = this.#keyAt(start, end);
      if (key !== undefined) this.#starts.set(key, start);
      else if (end > start + 1) this.broken += 1;
      start = end + 1;
    }
  }

  /** Rejects when the file is there and cannot be read. */
  static async open(path: string): Promise<RecordingFile> {
    const bytes = await readFile(path, { flag: READ }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return Buffer.alloc(0);
      throw error;
    });
    return new RecordingFile(path, bytes);
  }

  /** Recordings that lie nowhere on disk, as those of another commit; nothing is added to them. */
  static of(bytes: Uint8Array): RecordingFile {
    return new RecordingFile("", Buffer.from(bytes));
  }

  /** The line that counts for a key, as it is. */
  line(key: string): string | undefined {
    return this.#added.get(key) ?? this.#lineAt(this.#starts.get(key));
  }

  /** Bytes held in memory. */
  get size(): number {
    return this.#bytes.length + this.#addedBytes;
  }

  /** The reply recorded under a key. */
  find(key: string): Recorded | undefined {
    const line = this.line(key);
    if (line === undefined) return undefined;
    const value = parseJson(line);
    const raw = field(value, "raw");
    if (raw === undefined) {
      this.broken += 1;
      return undefined;
    }
    return { raw, ms: numberField(value, "ms", 0), attempts: numberField(value, "attempts", 1) };
  }

  /**
   * Adds a line with a single write to the end of the file, so that lines of two processes never mix. Throws what the
   * file system throws (a full disk).
   */
  add(key: string, line: string): void {
    if (this.size === 0) makeFolder(dirname(this.#path));
    const bytes = Buffer.from(`${this.#torn ? "\n" : ""}${line}\n`);
    const file = openSync(this.#path, APPEND);
    try {
      const written = writeSync(file, bytes);
      if (written < bytes.length) {
        this.#torn = true;
        throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
      }
    } finally {
      closeSync(file);
    }
    this.#torn = false;
    this.#added.set(key, line);
    this.#addedBytes += bytes.length;
    this.#heads = null;
  }

  /** What was asked in the latest recordings. */
  heads(): readonly RequestHead[] {
    this.#heads ??= this.#readHeads();
    return this.#heads;
  }

  #readHeads(): RequestHead[] {
    const old = [...this.#starts.values()].slice(-EXPLAINED).map((start) => this.#lineAt(start) ?? "");
    return [...old, ...[...this.#added.values()].slice(-EXPLAINED)].flatMap((line) => readHead(line));
  }

  #keyAt(start: number, end: number): string | undefined {
    const first = start + START.length;
    const plain =
      this.#bytes.toString("latin1", start, first) === START && this.#bytes[first + KEY_LENGTH] === QUOTE;
    if (plain && end < this.#bytes.length) {
      const last = this.#bytes[end - 1] === CR ? end - 2 : end - 1;
      if (this.#bytes[last] !== BRACE) return undefined;
      return this.#bytes.toString("latin1", first, first + KEY_LENGTH);
    }
    // Without a line end (maybe torn), or written anew by another hand (a formatter): the slow way.
    const key = textField(parseJson(decodeLine(this.#bytes.subarray(start, end))), "key");
    return key.length === KEY_LENGTH ? key : undefined;
  }

  #lineAt(start: number | undefined): string | undefined {
    return start === undefined ? undefined : decodeLine(this.#bytes.subarray(start, this.#endOf(start)));
  }

  #endOf(start: number): number {
    const end = this.#bytes.indexOf(10, start);
    return end < 0 ? this.#bytes.length : end;
  }
}

/** The JSON text of a line. Throws where the reply is nested too deep for JSON. */
export function recordingLine(line: RecordingLine): string {
  const { head } = line;
  return JSON.stringify({
    key: line.key,
    case: line.case,
    trial: head.trial,
    ...(head.salt === "" ? {} : { salt: head.salt }),
    ...(head.occurrence === 0 ? {} : { occurrence: head.occurrence }),
    model: head.model,
    request: {
      settings: head.settings,
      ...(head.tools === "" ? {} : { tools: head.tools }),
      messages: head.messages,
    },
    ms: Math.round(line.ms),
    attempts: line.attempts,
    raw: line.raw,
  });
}

/** The head of a line, without parsing the reply where that can be done; nothing for a line that is no recording. */
function readHead(line: string): RequestHead[] {
  const cut = line.indexOf(',"raw":');
  const short = cut < 0 ? undefined : parseJson(`${line.slice(0, cut)}}`);
  const value = isObject(short) ? short : parseJson(line);
  const request = field(value, "request");
  if (!isObject(request)) return [];
  const settings = field(request, "settings");
  return [
    {
      trial: numberField(value, "trial", 0),
      salt: textField(value, "salt"),
      occurrence: numberField(value, "occurrence", 0),
      model: textField(value, "model"),
      settings: isObject(settings) ? settings : {},
      tools: textField(request, "tools"),
      messages: list(field(request, "messages")).map(String),
    },
  ];
}

function numberField(value: unknown, name: string, otherwise: number): number {
  const found = field(value, name);
  return typeof found === "number" ? found : otherwise;
}
