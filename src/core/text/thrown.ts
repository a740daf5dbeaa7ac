/** What something thrown says: anything can be thrown, an error is only the usual case. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
