/**
 * Whether a Markdown text holds a `## Language` heading line outside code fences. The heading must stand in base.md
 * itself: no other layer or skill can supply it.
 */
export function hasLanguageSection(text: string): boolean {
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    if (fence !== null) {
      if (closes(line, fence)) fence = null;
      continue;
    }
    const opened = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
    if (opened !== undefined) fence = opened;
    else if (/^ {0,3}##[ \t]+Language[ \t]*(?:#+[ \t]*)?$/.test(line)) return true;
  }
  return false;
}

/** A fence is closed by at least as many of the same signs, with nothing behind them. */
function closes(line: string, fence: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return found !== undefined && found[0] === fence[0] && found.length >= fence.length;
}
