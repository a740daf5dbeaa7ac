import { pageText } from "../core/reply/error-body.ts";
import { classifyFault, type Fault } from "../core/reply/fault.ts";
import { boundedText } from "./http-body.ts";
import { readEventStream, readEventText, type StreamRead } from "./sse.ts";
import { parseJson } from "../core/text/json.ts";
import { wellFormed } from "../core/text/well-formed.ts";

/** What a response with a good status holds: the reply's JSON, or what came instead. */
export type HttpReply =
  | { readonly ok: true; readonly raw: unknown }
  | { readonly ok: false; readonly fault: Fault };

/**
 * Reads the body of a response with a good status by what it is, not by what was asked for: servers stream unasked, answer
 * a request for a stream with plain JSON, or send a page. Rejects when the connection breaks.
 */
export async function readReply(
  response: Response,
  limit: number,
  aborted: () => boolean,
): Promise<HttpReply> {
  const type = response.headers.get("content-type") ?? "";
  const read = type.includes("text/event-stream")
    ? streamReply(await readEventStream(response, limit, aborted))
    : textReply(await boundedText(response, limit));
  if (read.ok || read.fault.status !== 200) return read;
  return { ok: false, fault: { ...read.fault, status: response.status } };
}

function textReply(text: string): HttpReply {
  const raw = parseJson(text);
  if (raw !== undefined) return { ok: true, raw };
  const start = text.trimStart();
  if (/^(data|event|id|retry)?:/.test(start)) return streamReply(readEventText(text));
  if (start === "") return fault("bad-response", "an empty body");
  if (/^[{[]/.test(start)) {
    return fault(
      "cut-off",
      `JSON that breaks off after ${text.length} characters: …${wellFormed(text.slice(-80))}`,
    );
  }
  return fault(
    "bad-response",
    `no JSON but ${pageText(text)}`,
    "is the base URL right? It usually ends in /v1",
  );
}

function streamReply(read: StreamRead): HttpReply {
  switch (read.kind) {
    case "complete":
      return { ok: true, raw: read.raw };
    case "error":
      return { ok: false, fault: classifyFault({ status: 200, body: read.body, text: "" }) };
    case "no-events":
      return textReply(read.text);
    case "not-json":
      return fault("bad-response", `a stream whose event ${read.event} is no JSON: ${read.data}`);
    case "cut-off":
      return read.empty
        ? fault(
            "cut-off",
            "a stream that ended without a reply",
            "some servers cannot stream replies with tools: try --no-stream",
          )
        : fault("cut-off", `a stream that broke off after ${read.events} events`);
  }
}

function fault(kind: Fault["kind"], said: string, hint = ""): HttpReply {
  return { ok: false, fault: { kind, status: 200, said, hint } };
}
