/** The body was larger than anything a reply can be. */
export class BodyTooLarge extends Error {
  constructor(readonly limit: number) {
    super(`more than ${limit} bytes`);
    this.name = "BodyTooLarge";
  }
}

/** The text of a response, at most `limit` bytes of it. Rejects with `BodyTooLarge`, or when the connection breaks. */
export async function boundedText(response: Response, limit: number): Promise<string> {
  const length = Number(response.headers.get("content-length") ?? Number.NaN);
  if (length > limit) {
    await response.body?.cancel();
    throw new BodyTooLarge(limit);
  }
  if (length >= 0 && response.headers.get("content-encoding") === null) return response.text();
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of boundedChunks(response, limit)) text += decoder.decode(bytes, { stream: true });
  return text + decoder.decode();
}

/**
 * The pieces of a response's body. Rejects with `BodyTooLarge` beyond `limit` bytes. Who stops early has read what
 * matters: the bytes that close the body usually come with it, and are taken so that the connection can be used again; a
 * server that keeps it open is not waited for.
 */
export async function* boundedChunks(response: Response, limit: number): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  let bytes = 0;
  let open = true;
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      bytes += piece.value.byteLength;
      if (bytes > limit) throw new BodyTooLarge(limit);
      yield piece.value;
    }
    open = false;
  } catch (error) {
    open = false;
    await reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    if (open) await drain(reader);
  }
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const grace = new Promise<"late">((resolve) => setTimeout(resolve, 20, "late").unref());
  const rest = reader.read().then(
    ({ done }) => (done ? "closed" : "late"),
    () => "closed",
  );
  if ((await Promise.race([rest, grace])) === "late") void reader.cancel().catch(() => undefined);
}
