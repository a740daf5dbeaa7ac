import type { Inspection } from "../report.ts";

/** Ids and tags stand in file names, tables and command lines: one visible line, no blanks around it. */
export function checkIdentity({ case: one, error }: Inspection): void {
  const wrong = badName(one.id);
  if (wrong !== null)
    error("bad-id", ["id"], `the id ${JSON.stringify(one.id)} ${wrong}`, "an id is one short line of text");
  one.tags.forEach((tag, at) => {
    const odd = badName(tag);
    if (odd !== null) error("bad-tag", ["tags", at], `the tag ${JSON.stringify(tag)} ${odd}`);
  });
}

function badName(name: string): string | null {
  if (name.trim() === "") return "is empty";
  if (name !== name.trim()) return "begins or ends with a blank";
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name)) return "holds a line break or control character";
  // Lone surrogates can't be written as UTF-8.
  return /\p{Surrogate}/u.test(name) ? "holds half a character" : null;
}
