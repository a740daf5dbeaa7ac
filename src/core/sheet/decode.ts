/** A file's text and, where that took a guess, which encoding it was read as. */
export interface Decoded {
  readonly text: string;
  /** Set when the bytes were no Unicode and were taken for Windows-1252, as old spreadsheets save them. */
  readonly guessed: string | null;
}

/**
 * Bytes of a CSV file as text, without BOM: UTF-8, UTF-16 of either order with or without BOM (Excel's "Unicode
 * text"), else Windows-1252.
 */
export function decodeSheet(bytes: Uint8Array): Decoded {
  const wide = wideEncoding(bytes);
  if (wide !== null) return { text: withoutBom(new TextDecoder(wide).decode(bytes)), guessed: null };
  try {
    return { text: withoutBom(new TextDecoder("utf-8", { fatal: true }).decode(bytes)), guessed: null };
  } catch {
    return { text: new TextDecoder("windows-1252").decode(bytes), guessed: "Windows-1252" };
  }
}

function wideEncoding(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  // Without BOM: the header is plain Latin, so every other byte is zero.
  if (first !== undefined && first !== 0 && second === 0) return "utf-16le";
  if (first === 0 && second !== undefined && second !== 0) return "utf-16be";
  return null;
}

function withoutBom(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
