/** Order of texts by UTF-16 code unit, the same on every machine: what `sort` does without a comparator. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
