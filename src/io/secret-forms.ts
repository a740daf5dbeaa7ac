/** Shorter pieces are too likely to be ordinary words of a text. */
const SHORTEST = 8;

/** The texts as which a value may stand whole: as it is, in JSON, in a URL, in hexadecimal, in Base64. */
export function fixedForms(value: string): readonly string[] {
  const once = JSON.stringify(value).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  const hex = Buffer.from(value).toString("hex");
  const encoded = encodeURIComponent(Buffer.from(value).toString("utf8"));
  return [value, once, twice, encoded, hex, hex.toUpperCase(), ...base64Forms(value)];
}

/** The part of the Base64 text that stays the same whatever comes before and after, for each of three alignments. */
function base64Forms(value: string): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    const text = bytes.toString("base64");
    const from = before === 0 ? 0 : before + 1;
    const to = Math.floor((bytes.length * 4) / 3);
    const inner = text.slice(from, to);
    if (inner.length < SHORTEST) return [];
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** What an encoder may have written for one character, and what some write twice or put a backslash before. */
const SIGNS =
  /\\+(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[nrtbf])|%(?:25)*[0-9a-f]{2}(?:%(?:25)*[89ab][0-9a-f])*|&(?:amp;)*(?:#x[0-9a-f]{1,6}|#[0-9]{1,7}|amp|lt|gt|quot|apos|nbsp);|\\+|['"\r]+|\+/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  nbsp: "\u00a0",
  n: "\n",
  t: "\t",
  b: "\b",
  f: "\f",
};

/**
 * Finds values however an encoder wrote them: JSON (ASCII only too, and inside of JSON once more), URLs and forms, HTML, XML,
 * SQL, CSV, shells, Markdown. Text and values are read back to the same plain form, in linear time, and compared there:
 * without quotes and backslashes, with a blank for `+`. Letters and digits stand for themselves in all of these.
 */
export class SpelledSecrets {
  readonly #needles: readonly { readonly plain: string; readonly anchor: string }[];

  constructor(values: readonly string[]) {
    const needles = values.filter((value) => /[^A-Za-z0-9]/.test(value)).flatMap(needlesOf);
    this.#needles = needles.sort((a, b) => b.plain.length - a.plain.length);
  }

  /** The text with every value in it replaced. */
  replace(text: string, mask: string): string {
    const near = this.#needles.filter(({ anchor }) => text.includes(anchor));
    if (near.length === 0) return text;
    const read = readBack(text);
    const spans = near.flatMap(({ plain }) => placesOf(plain, read.text)).sort((a, b) => a.from - b.from);
    let masked = "";
    let done = 0;
    for (const { from, to } of spans) {
      const [start, end] = [read.startOf(from), read.endOf(to - 1)];
      if (start < done) continue;
      masked += text.slice(done, start) + mask;
      done = end;
    }
    return masked + text.slice(done);
  }
}

function needlesOf(value: string): { readonly plain: string; readonly anchor: string }[] {
  const spellings = [
    value,
    // A URL writes a backslash by its number: what follows is then no escape.
    value.replaceAll("\\", ""),
    value.normalize("NFC"),
    value.normalize("NFD"),
    // UTF-8 read as Latin-1, as some servers give a header back.
    Buffer.from(value).toString("latin1"),
  ];
  const anchor = longestWord(value.normalize("NFC"));
  return [...new Set(spellings.map((spelling) => readBack(spelling).text))]
    .filter((plain) => plain.length >= SHORTEST)
    .map((plain) => ({ plain, anchor }));
}

/** Letters and digits that stand as they are in every spelling: most texts hold no secret, and are told so by these. */
function longestWord(value: string): string {
  const words = value.replace(SIGNS, " ").split(/[^A-Za-z0-9]+/);
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

function placesOf(plain: string, text: string): { readonly from: number; readonly to: number }[] {
  const places: { from: number; to: number }[] = [];
  for (let at = text.indexOf(plain); at >= 0; at = text.indexOf(plain, at + plain.length))
    places.push({ from: at, to: at + plain.length });
  return places;
}

/** A text without its encoders, and where each of its characters stood. */
function readBack(text: string) {
  const parts: string[] = [];
  /** Places where a piece begins: in the plain form, in the text, and whether it was copied as it is. */
  const pieces: {
    readonly plain: number;
    readonly start: number;
    readonly end: number;
    readonly same: boolean;
  }[] = [];
  let size = 0;
  let done = 0;
  const add = (plain: string, start: number, end: number, same: boolean): void => {
    if (plain === "") return;
    parts.push(plain);
    pieces.push({ plain: size, start, end, same });
    size += plain.length;
  };
  for (const found of text.matchAll(SIGNS)) {
    const end = found.index + found[0].length;
    add(text.slice(done, found.index), done, found.index, true);
    add(decoded(found[0]), found.index, end, false);
    done = end;
  }
  add(text.slice(done), done, text.length, true);
  const pieceAt = (at: number) => {
    let [low, high] = [0, pieces.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((pieces[middle]?.plain ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return pieces[low] ?? { plain: 0, start: 0, end: 0, same: true };
  };
  return {
    text: parts.join(""),
    startOf: (at: number): number => {
      const piece = pieceAt(at);
      return piece.same ? piece.start + at - piece.plain : piece.start;
    },
    endOf: (at: number): number => {
      const piece = pieceAt(at);
      return piece.same ? piece.start + at - piece.plain + 1 : piece.end;
    },
  };
}

function decoded(sign: string): string {
  return characterOf(sign)
    .replace(/[\\'"\r]/g, "")
    .replaceAll("+", " ");
}

function characterOf(sign: string): string {
  if (sign.startsWith("%"))
    return Buffer.from(sign.replace(/%(?:25)*(?=[0-9a-f]{2})/gi, ""), "hex").toString("utf8");
  if (sign.startsWith("&")) {
    const [, hex, decimal, name = ""] = /(?:#x([0-9a-f]+)|#([0-9]+)|([a-z]+));$/i.exec(sign) ?? [];
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return Number.isInteger(code) && code <= 0x10ffff
      ? String.fromCodePoint(code)
      : (NAMED[name.toLowerCase()] ?? "");
  }
  const [, unit, letter = ""] = /^\\+(?:[ux]([0-9a-f]{2,4})|([nrtbf]))$/i.exec(sign) ?? [];
  if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
  return letter === "" ? sign : (NAMED[letter.toLowerCase()] ?? "");
}
