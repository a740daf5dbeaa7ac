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
