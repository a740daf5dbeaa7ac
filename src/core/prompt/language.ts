/**
 * Whether a Markdown text holds a `## Language` heading line outside code fences. The heading must stand in base.md
 * itself: no other layer or skill can supply it.
 */
export function hasLanguageSection(text: string): boolean {
  return linesOutsideFences(text).some(({ line }) =>
    /^ {0,3}##[ \t]+Language[ \t]*(?:#+[ \t]*)?$/.test(line),
  );
}

/** The lines of a Markdown text that stand in no code fence, fence lines left out; `at` counts all lines from 0. */
export function linesOutsideFences(text: string): { readonly line: string; readonly at: number }[] {
  let fence: string | null = null;
  return text.split("\n").flatMap((line, at) => {
    if (fence !== null) {
      if (closes(line, fence)) fence = null;
      return [];
    }
    fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? null;
    return fence === null ? [{ line, at }] : [];
  });
}

/** A fence is closed by at least as many of the same signs, with nothing behind them. */
function closes(line: string, fence: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return found !== undefined && found[0] === fence[0] && found.length >= fence.length;
}
