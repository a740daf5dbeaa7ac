import { CANNOT_JUDGE, PAIR_CHOICES, PAIR_QUESTION, SCALES } from "../anchors.ts";
import { UNSAFE } from "../cells.ts";
import { hashHex } from "../chance.ts";
import { columnsOf, DIMENSIONS } from "../columns.ts";
import type { Kind } from "../key.ts";
import type { ShownItem } from "../sheet.ts";
import { BODY } from "./markup.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

/** What the page of one rater shows. */
export interface PageInput {
  readonly rater: string;
  readonly kind: Kind;
  readonly items: readonly ShownItem[];
}

interface Choice {
  readonly value: string;
  /** The key that chooses it. */
  readonly key: string;
  readonly anchor: string;
}
interface Field {
  readonly name: string;
  readonly question: string;
  readonly choices: readonly Choice[];
}

/**
 * A rater's sheet as one HTML file that opens offline. It names no run, arm, model or time. The content security policy
 * allows this script and this style, named by their hashes, and no request at all. `sha256` gives base64.
 */
export function sheetPage(input: PageInput, sha256: (text: string) => string): string {
  const policy = `default-src 'none'; script-src 'sha256-${sha256(SCRIPT)}'; style-src 'sha256-${sha256(STYLE)}'; base-uri 'none'; form-action 'none'`;
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    "<title>Scoring sheet</title>",
    `<style>${STYLE}</style>`,
    "</head>",
    `<body>${BODY}`,
    `<script type="application/json" id="data">${scriptJson(pageData(input))}</script>`,
    `<script>${SCRIPT}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/** JSON that can't end the script block it stands in, nor a line of it. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function pageData({ rater, kind, items }: PageInput) {
  return {
    rater,
    kind,
    items,
    // Names the place in the browser where entries are kept: other items, other place.
    digest: hashHex(JSON.stringify([kind, rater, items]), 13),
    unsafe: UNSAFE,
    columns: columnsOf(kind),
    fields: kind === "pair" ? [pairField()] : DIMENSIONS.map(singleField),
    keys: keysOf(kind),
  };
}

const CANNOT: Choice = { value: "x", key: "x", anchor: CANNOT_JUDGE };

function singleField(name: (typeof DIMENSIONS)[number]): Field {
  const { question, points } = SCALES[name];
  const choices = points.map(({ score, anchor }) => ({ value: String(score), key: String(score), anchor }));
  return { name, question, choices: [...choices, CANNOT] };
}

function pairField(): Field {
  const choices = PAIR_CHOICES.map(({ value, anchor }, at) => ({ value, key: String(at + 1), anchor }));
  return { name: "preferred", question: PAIR_QUESTION, choices: [...choices, CANNOT] };
}

function keysOf(kind: Kind): readonly (readonly [key: string, what: string])[] {
  const scores =
    kind === "pair"
      ? ([["1 2 3", "left, tie, right"]] as const)
      : ([["1 … 5", "score the marked dimension; the mark moves on"]] as const);
  return [
    ...scores,
    ["x", "cannot judge"],
    ["↑ ↓", "move the mark to another dimension"],
    ["← →", "previous, next item"],
    ["Enter", "next item that is still open"],
    ["u", "undo"],
    ["n", "write a note; Esc leaves it"],
    ["a", "show or fold what the agent did"],
    ["Delete", "empty the marked score"],
    ["?", "this help"],
  ];
}
