import { isObject, parseJson } from "../text/json.ts";

/**
 * The arguments of a call while their pieces come. Most servers send each piece once; some send all so far again with
 * every piece, the whole text once more at the end, or `{}` before the arguments themselves. Which it was shows at the
 * end, so both readings are kept.
 */
export interface ArgumentPieces {
  /** Every piece behind the other; an object where the server sent one; `undefined` while nothing came. */
  joined: unknown;
  /** The same where a piece that begins with all before it takes its place; null while none did. */
  latest: string | null;
  /** The last piece that was not blank. */
  last: string;
  /** Where `joined` ends: brackets that are open, and whether inside a text. Each piece is looked at once. */
  readonly end: { open: number; inText: boolean; escaped: boolean };
}

/** No arguments yet. */
export function noArguments(): ArgumentPieces {
  return { joined: undefined, latest: null, last: "", end: { open: 0, inText: false, escaped: false } };
}

/** Whether anything but blanks was given. */
export function hasText(given: unknown): boolean {
  if (typeof given === "string") return given.trim() !== "";
  return given !== undefined && given !== null;
}

/** Adds what one piece of a call holds under `arguments`. */
export function addArguments(pieces: ArgumentPieces, given: unknown): void {
  if (given === undefined || given === null) return;
  const { joined, latest } = pieces;
  if (typeof given !== "string") {
    if (!hasText(joined)) pieces.joined = given;
    return;
  }
  if (typeof joined === "object" || (given === joined && isWholeJoined(pieces))) return;
  const before = typeof joined === "string" ? joined : "";
  pieces.joined = before + given;
  moveEnd(pieces.end, given);
  if (given.trim() !== "") {
    pieces.last = given;
    if (repeats(latest ?? before, given)) pieces.latest = given;
    else if (latest !== null) pieces.latest = latest + given;
  } else if (latest !== null) pieces.latest = latest + given;
}

function moveEnd(end: ArgumentPieces["end"], given: string): void {
  for (let at = 0; at < given.length; at += 1) {
    const sign = given[at];
    if (end.escaped) end.escaped = false;
    else if (sign === '"') end.inText = !end.inText;
    else if (end.inText) end.escaped = sign === "\\";
    else if (sign === "{" || sign === "[") end.open += 1;
    else if (sign === "}" || sign === "]") end.open -= 1;
  }
}

// Lengths first: the text so far is only looked at where it is short, else a long reply would cost its square.
function repeats(before: string, given: string): boolean {
  if (before.length > given.length || before.trim() === "") return false;
  return given.startsWith(before) || (before.trim() === "{}" && opensObject(given));
}

/** Whether the arguments are a complete JSON object: no more text can belong to them. */
export function isWhole(pieces: ArgumentPieces): boolean {
  const { latest, last } = pieces;
  return isWholeJoined(pieces) || (latest !== null && isWholeText(latest, last));
}

/** The same, each piece read as new text. */
export function isWholeJoined({ joined, last, end }: ArgumentPieces): boolean {
  if (typeof joined !== "string") return isObject(joined);
  return end.open === 0 && !end.inText && isWholeText(joined, last);
}

function isWholeText(text: string, end: string): boolean {
  return end.trimEnd().endsWith("}") && isObject(parseJson(text));
}

/** Whether a text is the beginning of a JSON object. */
export function opensObject(given: unknown): boolean {
  return typeof given === "string" && given.trimStart().startsWith("{");
}

/** Whether complete arguments are followed by other complete ones, not by the same again or by those that `{}` stood for. */
export function holdsOthers(pieces: ArgumentPieces, given: unknown): boolean {
  if (typeof given !== "string" || !opensObject(given) || !isObject(parseJson(given))) return false;
  const before = pieces.latest ?? pieces.joined;
  if (given === pieces.joined || (typeof before === "string" && repeats(before, given))) return false;
  return isWhole(pieces);
}

/** The arguments once all has come: the pieces joined, or without what came twice where only that is an object. */
export function settledArguments(pieces: ArgumentPieces): unknown {
  const { joined, latest, last } = pieces;
  if (latest === null || isWholeJoined(pieces)) return joined;
  return isWholeText(latest, last) ? latest : joined;
}
