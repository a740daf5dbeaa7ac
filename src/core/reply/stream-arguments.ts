import { isObject, parseJson } from "../text/json.ts";

/**
 * The arguments of a call while their pieces come. Most servers send each piece once; some send all so far again with
 * every piece, the whole text once more at the end, or `{}` before the arguments themselves. Which it was shows at the
 * end, so both readings are kept.
 */
export interface ArgumentPieces {
  /** Every piece behind the other; an object where the server sent one; `undefined` while nothing came. */
  joined: unknown;
  /** The same where a piece that begins with all before it takes its place. */
  latest: string;
  /** The last piece that was not blank. */
  last: string;
}

/** No arguments yet. */
export function noArguments(): ArgumentPieces {
  return { joined: undefined, latest: "", last: "" };
}

/** Whether anything but blanks was given. */
export function hasText(given: unknown): boolean {
  if (typeof given === "string") return given.trim() !== "";
  return given !== undefined && given !== null;
}

/** Adds what one piece of a call holds under `arguments`. */
export function addArguments(pieces: ArgumentPieces, given: unknown): void {
  if (given === undefined || given === null) return;
  const { joined } = pieces;
  if (typeof given !== "string") {
    if (!hasText(joined)) pieces.joined = given;
    return;
  }
  if (typeof joined === "object" || (given === joined && isWholeJoined(pieces))) return;
  pieces.joined = (typeof joined === "string" ? joined : "") + given;
  const blank = given.trim() === "";
  pieces.latest = !blank && repeats(pieces.latest, given) ? given : pieces.latest + given;
  if (!blank) pieces.last = given;
}

function repeats(before: string, given: string): boolean {
  if (before.length > given.length) return false;
  return given.startsWith(before) || (before.trim() === "{}" && opensObject(given));
}

/** Whether the arguments are a complete JSON object: no more text can belong to them. */
export function isWhole(pieces: ArgumentPieces): boolean {
  return isWholeJoined(pieces) || isWholeText(pieces.latest, pieces.last);
}

/** The same, each piece read as new text. */
export function isWholeJoined({ joined, last }: ArgumentPieces): boolean {
  return typeof joined === "string" ? isWholeText(joined, last) : isObject(joined);
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
  return given !== pieces.joined && !repeats(pieces.latest, given) && isWhole(pieces);
}

/** The arguments once all has come: the pieces joined, or without what came twice where only that is an object. */
export function settledArguments({ joined, latest, last }: ArgumentPieces): unknown {
  if (typeof joined !== "string" || joined === latest) return joined;
  return !isWholeText(joined, last) && isWholeText(latest, last) ? latest : joined;
}
