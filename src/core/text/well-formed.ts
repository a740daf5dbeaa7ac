/** Half characters become U+FFFD: no valid JSON or UTF-8 may hold them, and a server would refuse them sent back. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, "\uFFFD");
}
