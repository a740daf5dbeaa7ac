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

/** The pieces of a response's body; stopping early cancels it. Rejects with `BodyTooLarge` beyond `limit` bytes. */
export async function* boundedChunks(response: Response, limit: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  if (response.body === null) return;
  for await (const piece of response.body) {
    bytes += piece.byteLength;
    if (bytes > limit) throw new BodyTooLarge(limit);
    yield piece;
  }
}
