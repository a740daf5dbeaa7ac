import { createParser, type EventSourceMessage } from "eventsource-parser";
import { isErrorBody } from "../core/reply/fault.ts";
import { type Assembled, assembleStream } from "../core/reply/stream.ts";
import { boundedChunks } from "./http-body.ts";
import { isObject, parseJson } from "../core/text/json.ts";

/** A stream read to its end, or up to an event that is no JSON. */
export type StreamRead =
  | Assembled
  | { readonly kind: "not-json"; readonly event: number; readonly data: string }
  /** No event at all but a text, such as an error as plain JSON. */
  | { readonly kind: "no-events"; readonly text: string };

/** How much of a stream without events is kept to tell what it was. */
const KEPT = 64 * 1024;

interface Reading {
  readonly chunks: unknown[];
  done: boolean;
  failed: boolean;
  /** An event that is no JSON: cut off if it is the last, else not what we speak. */
  broken: { event: number; data: string } | null;
  beyondBroken: boolean;
}

/**
 * Reads an event stream as it arrives. Comments that keep the connection alive, any line end and a missing blank line at
 * the end are taken. It ends at `[DONE]` or an error event, or when the connection does; a connection that breaks after
 * the reply was complete has lost nothing. Rejects with `BodyTooLarge`, and when reading is aborted.
 */
export async function readEventStream(
  response: Response,
  limit: number,
  aborted: () => boolean,
): Promise<StreamRead> {
  const reader = eventReader();
  const decoder = new TextDecoder();
  try {
    for await (const bytes of boundedChunks(response, limit)) {
      reader.feed(decoder.decode(bytes, { stream: true }));
      if (reader.ended()) break;
    }
  } catch (error) {
    if (aborted() || !(error instanceof TypeError)) throw error;
  }
  return reader.finish();
}

/** The same for a text that is already here. */
export function readEventText(text: string): StreamRead {
  const reader = eventReader();
  reader.feed(text);
  return reader.finish();
}

function eventReader() {
  const reading: Reading = { chunks: [], done: false, failed: false, broken: null, beyondBroken: false };
  const parser = createParser({ onEvent: (event) => takeEvent(reading, event) });
  let start = "";
  return {
    feed: (text: string) => {
      if (reading.chunks.length === 0 && start.length < KEPT) start += text;
      parser.feed(text);
    },
    ended: () => reading.done || reading.failed || reading.beyondBroken,
    finish: (): StreamRead => {
      parser.feed("\n\n");
      const { broken } = reading;
      const silent = reading.chunks.length === 0 && broken === null && !reading.done;
      if (silent && /^\s*[{[<]/.test(start)) return { kind: "no-events", text: start };
      if (broken !== null && (reading.beyondBroken || reading.done)) return { kind: "not-json", ...broken };
      return assembleStream(reading.chunks, reading.done);
    },
  };
}

function takeEvent(reading: Reading, { data, event }: EventSourceMessage): void {
  const text = data.trim();
  if (reading.done || text === "") return;
  if (text === "[DONE]") {
    reading.done = true;
    return;
  }
  if (reading.broken !== null) reading.beyondBroken = true;
  const chunk = parseJson(text);
  if (!isObject(chunk)) {
    reading.broken ??= { event: reading.chunks.length + 1, data: text };
    return;
  }
  const told = event === "error" && !isErrorBody(chunk) ? { error: chunk } : chunk;
  reading.chunks.push(told);
  if (isErrorBody(told)) reading.failed = true;
}
