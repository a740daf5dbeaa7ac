/** A piece of a glob. `star` stays within a name, but for globs on names. */
export type GlobPart =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "any" }
  | { readonly kind: "star" }
  | { readonly kind: "class"; readonly has: (char: string) => boolean }
  | {
      readonly kind: "group";
      readonly sign: "@" | "?" | "*" | "+" | "!";
      readonly branches: readonly (readonly GlobPart[])[];
    };

/** Deeper nesting is read as the characters it is written with. */
const MAX_DEPTH = 20;
/** A longer range is read as the characters it is written with. */
const MAX_RANGE = 1_000;

/** The POSIX classes of `[[:alpha:]]`. */
const POSIX: Readonly<Record<string, RegExp>> = {
  alnum: /[a-z0-9]/i,
  alpha: /[a-z]/i,
  blank: /[ \t]/,
  digit: /[0-9]/,
  lower: /[a-z]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  word: /\w/,
  xdigit: /[0-9a-f]/i,
};

const literal = (char: string): GlobPart => ({ kind: "char", char });
const anyFolders: GlobPart = {
  kind: "group",
  sign: "*",
  branches: [[{ kind: "any" }, { kind: "star" }, literal("/")]],
};
/** What `**` stands for at the end: a name, and folders below it. */
const anythingBelow: readonly GlobPart[] = [
  { kind: "star" },
  { kind: "group", sign: "*", branches: [[literal("/"), { kind: "any" }, { kind: "star" }]] },
];

/** The pieces of a glob, from its characters. Nothing is an error: what opens nothing stands for itself. */
export function parseGlob(chars: readonly string[], depth = 0): readonly GlobPart[] {
  const parts: GlobPart[] = [];
  for (let at = 0; at < chars.length; ) {
    const read = stars(chars, at) ?? bracketed(chars, at, depth) ?? single(chars, at);
    parts.push(...read.parts);
    at = read.next;
  }
  return parts;
}

interface Read {
  readonly parts: readonly GlobPart[];
  readonly next: number;
}

function single(chars: readonly string[], at: number): Read {
  const char = chars[at] ?? "";
  const after = chars[at + 1];
  if (char === "\\" && after !== undefined) return { parts: [literal(after)], next: at + 2 };
  return { parts: [char === "?" ? { kind: "any" } : literal(char)], next: at + 1 };
}

/** One star or more; two that are a whole name stand for folders. */
function stars(chars: readonly string[], at: number): Read | null {
  if (chars[at] !== "*" || (chars[at + 1] === "(" && closing(chars, at + 1, "(", ")") > 0)) return null;
  let end = at;
  while (chars[end] === "*" && !(chars[end + 1] === "(" && end > at)) end += 1;
  const whole = end - at === 2 && (at === 0 || chars[at - 1] === "/");
  if (whole && chars[end] === "/") return { parts: [anyFolders], next: end + 1 };
  if (whole && end === chars.length) return { parts: anythingBelow, next: end };
  return { parts: [{ kind: "star" }], next: end };
}

function bracketed(chars: readonly string[], at: number, depth: number): Read | null {
  const char = chars[at] ?? "";
  if (char === "[") return characterClass(chars, at);
  if (depth >= MAX_DEPTH) return null;
  if (char === "{") return braces(chars, at, depth);
  const sign = char === "@" || char === "?" || char === "*" || char === "+" || char === "!" ? char : null;
  const open = sign === null ? at : at + 1;
  if (chars[open] !== "(") return null;
  const close = closing(chars, open, "(", ")");
  if (close < 0) return null;
  const branches = split(chars.slice(open + 1, close), "|").map((one) => parseGlob(one, depth + 1));
  return { parts: [{ kind: "group", sign: sign ?? "@", branches }], next: close + 1 };
}

/** `{a,b}`, `{1..9}`, `{a..f}`; other braces stand for themselves. */
function braces(chars: readonly string[], at: number, depth: number): Read | null {
  const close = closing(chars, at, "{", "}");
  if (close < 0) return null;
  const inner = chars.slice(at + 1, close);
  const written = split(inner, ",");
  const all =
    written.length > 1
      ? written.map((one) => parseGlob(one, depth + 1))
      : range(inner.join(""))?.map((one) => [...one].map(literal));
  if (all === undefined) return null;
  return { parts: [{ kind: "group", sign: "@", branches: all }], next: close + 1 };
}

/** The words of `1..9`, `01..12`, `a..f`, or undefined. */
function range(text: string): string[] | undefined {
  const [, first = "", last = ""] = /^(-?\d{1,9}|[a-zA-Z])\.\.(-?\d{1,9}|[a-zA-Z])$/.exec(text) ?? [];
  const letters = /^[a-zA-Z]$/.test(first) && /^[a-zA-Z]$/.test(last);
  const numbers = /\d/.test(first) && /\d/.test(last);
  if (!letters && !numbers) return undefined;
  const [from, to] = letters ? [first.charCodeAt(0), last.charCodeAt(0)] : [Number(first), Number(last)];
  const count = Math.abs(to - from) + 1;
  if (count > MAX_RANGE) return undefined;
  const width = /^-?0\d/.test(first) || /^-?0\d/.test(last) ? Math.max(first.length, last.length) : 0;
  return Array.from({ length: count }, (_, n) => {
    const value = Math.min(from, to) + n;
    return letters ? String.fromCharCode(value) : String(value).padStart(width, "0");
  });
}

/** `[abc]`, `[a-z]`, `[!abc]`, `[[:digit:]]`; one that is not closed stands for itself. */
function characterClass(chars: readonly string[], at: number): Read | null {
  const negated = chars[at + 1] === "!" || chars[at + 1] === "^";
  const tests: ((char: string) => boolean)[] = [];
  const first = negated ? at + 2 : at + 1;
  for (let place = first; place < chars.length; ) {
    const char = chars[place] ?? "";
    if (char === "]" && place > first) {
      const has = (one: string): boolean => tests.some((test) => test(one)) !== negated;
      return { parts: [{ kind: "class", has }], next: place + 1 };
    }
    const posix = char === "[" ? posixClass(chars, place) : null;
    if (posix !== null) {
      tests.push(posix.test);
      place = posix.next;
      continue;
    }
    const from = escaped(chars, place);
    const to =
      chars[from.next] === "-" && chars[from.next + 1] !== "]" ? escaped(chars, from.next + 1) : from;
    tests.push((one) => one >= from.char && one <= to.char);
    place = to.next;
  }
  return null;
}

function posixClass(chars: readonly string[], at: number) {
  const [whole = "", name = ""] = /^\[:([a-z]{1,8}):\]/.exec(chars.slice(at, at + 12).join("")) ?? [];
  const pattern = Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
  return pattern === undefined
    ? null
    : { test: (char: string) => pattern.test(char), next: at + whole.length };
}

function escaped(chars: readonly string[], at: number): { char: string; next: number } {
  const after = chars[at + 1];
  if (chars[at] === "\\" && after !== undefined) return { char: after, next: at + 2 };
  return { char: chars[at] ?? "", next: at + 1 };
}

/** The place of the bracket that closes the one at `at`, or -1. */
function closing(chars: readonly string[], at: number, open: string, close: string): number {
  let depth = 0;
  for (let place = at; place < chars.length; place += 1) {
    const char = chars[place];
    if (char === "\\") place += 1;
    else if (char === open) depth += 1;
    else if (char === close) depth -= 1;
    if (depth === 0) return place;
  }
  return -1;
}

/** The parts between separators that stand in no bracket. */
function split(chars: readonly string[], separator: string): readonly (readonly string[])[] {
  const all: string[][] = [[]];
  let depth = 0;
  for (let place = 0; place < chars.length; place += 1) {
    const char = chars[place] ?? "";
    if (char === separator && depth === 0) {
      all.push([]);
      continue;
    }
    if (char === "(" || char === "{") depth += 1;
    if (char === ")" || char === "}") depth -= 1;
    all.at(-1)?.push(char);
    const after = chars[place + 1];
    if (char === "\\" && after !== undefined) {
      all.at(-1)?.push(after);
      place += 1;
    }
  }
  return all;
}
