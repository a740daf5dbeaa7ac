import { field, isObject, type JsonObject, parseJson, textField } from "../text/json.ts";

interface Call {
  id: string | undefined;
  name: string;
  /** Text so far; an object where the server sent one; `undefined` while nothing came. */
  arguments: unknown;
}

/** The tool calls of a stream so far. `slots` finds a call by the number that the server gave it. */
export interface CallPieces {
  readonly calls: Call[];
  readonly slots: Map<number, Call>;
  /** The latest call of each id. */
  readonly ids: Map<string, Call>;
}

/**
 * Adds one piece of `delta.tool_calls`. Which call a piece belongs to is told by servers in many ways, so: an id seen
 * before continues that call; a new id opens a call, unless it stands in a piece without a name at a number already in
 * use (servers that invent an id for each piece); without an id the number decides, and without both the last call is
 * continued. A number that is always 0 is found out by a name that comes when the call so far is already whole.
 */
export function addCallPiece(pieces: CallPieces, given: unknown): void {
  if (!isObject(given)) return;
  const piece = readPiece(given);
  const known = findCall(pieces, piece);
  const call = known ?? { id: undefined, name: "", arguments: undefined };
  if (known === undefined) pieces.calls.push(call);
  if (piece.number !== undefined) pieces.slots.set(piece.number, call);
  if (call.id === undefined && piece.id !== "") {
    call.id = piece.id;
    pieces.ids.set(piece.id, call);
  }
  addName(call, piece.name);
  addArguments(call, piece.arguments);
}

interface Piece {
  readonly id: string;
  readonly number: number | undefined;
  readonly name: string;
  readonly arguments: unknown;
}

function readPiece(given: JsonObject): Piece {
  const inner = field(given, "function");
  const source = isObject(inner) ? inner : given;
  const number = field(given, "index");
  return {
    id: textField(given, "id"),
    number: typeof number === "number" ? number : undefined,
    name: textField(source, "name"),
    arguments: field(source, "arguments"),
  };
}

function findCall(pieces: CallPieces, piece: Piece): Call | undefined {
  const numbered = piece.number === undefined ? undefined : pieces.slots.get(piece.number);
  const same = pieces.ids.get(piece.id);
  if (same !== undefined) {
    // One id for several calls: told apart by their numbers, else by a whole call that comes after a whole one.
    const elsewhere = piece.number !== undefined && numbered !== same && piece.name !== "";
    if (elsewhere) return numbered;
    return startsAnew(same, piece) ? undefined : same;
  }
  const open = piece.number === undefined ? pieces.calls.at(-1) : numbered;
  if (open === undefined) return undefined;
  if (piece.id !== "" && open.id !== undefined) return opensAnother(open, piece, numbered) ? undefined : open;
  return startsAnew(open, piece) ? undefined : open;
}

/** A name after a call that is whole already begins the next call, unless it only repeats itself. */
function startsAnew(open: Call, piece: Piece): boolean {
  return piece.name !== "" && isWhole(open) && (piece.name !== open.name || hasText(piece.arguments));
}

function hasText(given: unknown): boolean {
  return given !== undefined && given !== null && given !== "";
}

/** A new id: another call, unless the piece is nameless or comes in the middle of arguments at the same number. */
function opensAnother(open: Call, piece: Piece, numbered: Call | undefined): boolean {
  return numbered === undefined || (piece.name !== "" && (!hasText(open.arguments) || isWhole(open)));
}

/** Whether a call's arguments are a complete JSON object, so that more text cannot belong to them. */
function isWhole(call: Call): boolean {
  if (typeof call.arguments !== "string") return isObject(call.arguments);
  return call.arguments.trimEnd().endsWith("}") && isObject(parseJson(call.arguments));
}

/** A name may come once, in every piece, or in pieces of its own before the arguments. */
function addName(call: Call, name: string): void {
  if (name === "" || name === call.name) return;
  if (!hasText(call.arguments)) call.name += name;
}

function addArguments(call: Call, given: unknown): void {
  if (given === undefined || given === null) return;
  if (typeof given === "string" && typeof call.arguments !== "object") {
    call.arguments = (typeof call.arguments === "string" ? call.arguments : "") + given;
  } else if (typeof given !== "string" && (call.arguments === undefined || call.arguments === "")) {
    call.arguments = given;
  }
}
