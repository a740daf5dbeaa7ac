import type { Where } from "../nouns/problem.ts";

/** Keys and indexes that lead to a value inside a document. */
export type Path = readonly (string | number)[];

const PLAIN = /^[A-Za-z_$][\w$-]*$/;

/** A path as people write it: `expect.tools.calls[0].name`, odd keys quoted: `world.pages["https://a.test/"]`. */
export function keyText(path: Path): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (!PLAIN.test(part)) text += `[${JSON.stringify(part)}]`;
    else text += text === "" ? part : `.${part}`;
  }
  return text;
}

/** Where a key stands in a file, for a problem. */
export function placeIn(
  file: string,
  document: { locate(path: Path): { readonly line: number; readonly column: number } },
  path: Path,
): Where {
  return { file, ...document.locate(path), ...(path.length === 0 ? {} : { key: keyText(path) }) };
}
