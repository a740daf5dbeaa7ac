/** What a reader must know of a reply that was evened out; codes that are not here only name a server's manners. */
const WORDS: ReadonlyMap<string, string> = new Map([
  [
    "tool-call-in-text",
    "tools not honoured: the model wrote a tool call as text, which is an answer and no call",
  ],
  ["cut-at-max-tokens", "the reply was cut at the token limit"],
  ["call-malformed", "a tool call could not be read"],
  ["calls-not-a-list", "the tool calls could not be read"],
  ["call-name-missing", "a tool call named no tool"],
  ["content-unreadable", "the text of the reply could not be read"],
]);

/** The notes of a reply in words, those alone that a reader must know. */
export function replyNotes(codes: readonly string[]): string[] {
  return [...new Set(codes)].flatMap((code) => WORDS.get(code) ?? []);
}
