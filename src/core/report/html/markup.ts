import { htmlAttribute, htmlText, oneLine } from "../escape.ts";

/** A piece of HTML that is safe as it stands. Made by `h` and `style` alone: a text can't become one by itself. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

/** What an element may hold: texts are escaped, null is left out. */
export type Child = string | Html | null;
export type Children = Child | readonly Child[];

/** Elements without content. */
const VOID = new Set(["meta", "br", "hr"]);

/** An element. Attribute values and texts are escaped here and nowhere else; null attributes are left out, true ones bare. */
export function h(
  tag: string,
  attributes: Readonly<Record<string, string | number | true | null>>,
  ...children: readonly Children[]
): Html {
  const written = Object.entries(attributes).map(([name, value]) =>
    value === null ? "" : value === true ? ` ${name}` : ` ${name}="${htmlAttribute(String(value))}"`,
  );
  const open = `<${tag}${written.join("")}>`;
  return new Html(VOID.has(tag) ? open : `${open}${markupOf(children)}</${tag}>`);
}

/** Several pieces as one. */
export function all(...children: readonly Children[]): Html {
  return new Html(markupOf(children));
}

/** The style sheet: a constant of this program, never a text of a run. */
export function style(css: string): Html {
  return new Html(`<style>${css}</style>`);
}

/** A name or id of a run, set off from the words around it. */
export function code(text: string): Html {
  const line = oneLine(text);
  return h("code", {}, line === "" ? "(empty)" : line);
}

function markupOf(children: readonly Children[]): string {
  return children
    .flat()
    .map((child) => (child === null ? "" : typeof child === "string" ? htmlText(child) : child.markup))
    .join("");
}
