/**
 * The candidate closest to a mistyped word, or null when none is close enough to be meant
 * (more than a third of the longer word differs). Ties go to the first by UTF-16 order.
 */
export function nearest(word: string, candidates: readonly string[]): string | null {
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const name of [...candidates].sort()) {
    const distance = editDistance(word.toLowerCase().slice(0, 200), name.toLowerCase().slice(0, 200));
    const close = distance <= Math.max(1, Math.floor(Math.max(word.length, name.length) / 3));
    if (close && (best === null || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? null;
}

/** ` Did you mean NAME?`, or the empty string. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const name = nearest(word, candidates);
  return name === null ? "" : ` Did you mean ${name}?`;
}

/** Optimal string alignment: insertions, deletions, substitutions and swapped neighbours cost 1 each. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
