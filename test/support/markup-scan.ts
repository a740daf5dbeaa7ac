/** What stands in a marked-up text: elements in order of their opening, and the text between them. */
export interface Scanned {
  readonly elements: readonly { readonly name: string; readonly attributes: ReadonlyMap<string, string> }[];
  readonly text: string;
}

const TAG =
  /<(?:(\/)([A-Za-z][A-Za-z0-9]*)|([A-Za-z][A-Za-z0-9]*)((?:\s+[A-Za-z_:][-A-Za-z0-9_:]*(?:="[^"<>]*")?)*)\s*(\/)?)>/y;
const VOID = new Set(["meta", "br", "hr"]);

/**
 * Reads HTML or XML of our own making more strictly than any browser: every `<` and `>` must belong to a whole tag, all
 * attributes are in double quotes, every element is closed where it was opened. Throws where that is not so.
 */
export function scanMarkup(source: string): Scanned {
  const body = source.replace(/^(<!doctype html>|<\?xml version="1.0" encoding="UTF-8"\?>)\n/, "");
  const elements: { name: string; attributes: Map<string, string> }[] = [];
  const open: string[] = [];
  let text = "";
  let at = 0;
  while (at < body.length) {
    const sign = body[at] ?? "";
    if (sign !== "<") {
      if (sign === ">") throw new Error(`a stray > at ${at}: ${around(body, at)}`);
      const next = /[<>]/.exec(body.slice(at))?.index ?? body.length - at;
      text += body.slice(at, at + next);
      at += next;
      continue;
    }
    TAG.lastIndex = at;
    const found = TAG.exec(body);
    if (found === null) throw new Error(`no whole tag at ${at}: ${around(body, at)}`);
    const [whole, closing, closed = "", name = "", attributes = "", empty] = found;
    at += whole.length;
    if (closing === undefined) {
      elements.push({ name, attributes: attributesOf(attributes) });
      if (empty === undefined && !VOID.has(name)) open.push(name);
      if (name === "style") at = body.indexOf("</style>", at);
    } else if (open.pop() !== closed)
      throw new Error(`</${closed}> closes another element: ${around(body, at)}`);
  }
  if (open.length > 0) throw new Error(`never closed: ${open.join(", ")}`);
  return { elements, text: decode(text) };
}

function attributesOf(source: string): Map<string, string> {
  const all = source.matchAll(/([A-Za-z_:][-A-Za-z0-9_:]*)(?:="([^"]*)")?/g);
  return new Map([...all].map(([, name = "", value = ""]) => [name, decode(value)]));
}

function decode(text: string): string {
  const bare = /&(?!#\d+;|#x[0-9a-f]+;|amp;|lt;|gt;|quot;)/i.exec(text);
  if (bare !== null) throw new Error(`a bare &: ${around(text, bare.index)}`);
  return text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

function around(text: string, at: number): string {
  return JSON.stringify(text.slice(Math.max(0, at - 40), at + 60));
}
