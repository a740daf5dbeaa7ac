/** Cuts a text between whole characters and marks the cut. */
export function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, wholeEnd(text, limit))}…`;
}

/** The place at or just before `limit` that does not split a character in two halves. */
export function wholeEnd(text: string, limit: number): number {
  const unit = text.charCodeAt(limit - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? limit - 1 : limit;
}
