import { field, isObject, type JsonObject, textField } from "../text/json.ts";
import {
  addArguments,
  type ArgumentPieces,
  hasText,
  holdsOthers,
  isWhole,
  isWholeJoined,
  noArguments,
  opensObject,
} from "./stream-arguments.ts";

interface Call {
  id: string | undefined;
  name: string;
  readonly arguments: ArgumentPieces;
  /** The last `extra_content` of the call. */
  extra: JsonObject | undefined;
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
 * continued. A number or an id that is always the same is found out by what can't belong to the call so far: a name or
 * other arguments after whole ones, or another name after empty ones.
 */
export function addCallPiece(pieces: CallPieces, given: unknown): void {
  if (!isObject(given)) return;
  const piece = readPiece(given);
  const known = findCall(pieces, piece);
  const call = known ?? { id: undefined, name: "", arguments: noArguments(), extra: undefined };
  if (known === undefined) pieces.calls.push(call);
  if (piece.number !== undefined) pieces.slots.set(piece.number, call);
  if (call.id === undefined && piece.id !== "") {
    call.id = piece.id;
    pieces.ids.set(piece.id, call);
  }
  addName(call, piece.name);
  addArguments(call.arguments, piece.arguments);
  const extra = field(given, "extra_content");
  if (isObject(extra)) call.extra = extra;
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
  const id = field(given, "id");
  return {
    id: typeof id === "number" ? String(id) : textField(given, "id"),
    number: typeof number === "number" ? number : undefined,
    name: textField(source, "name"),
    arguments: field(source, "arguments"),
  };
}

function findCall(pieces: CallPieces, piece: Piece): Call | undefined {
  const numbered = piece.number === undefined ? undefined : pieces.slots.get(piece.number);
  const latest = pieces.ids.get(piece.id);
  if (latest !== undefined) {
    // One id for several calls: told apart by their numbers, else by what can't belong to the call so far.
    const same = numbered?.id === piece.id ? numbered : latest;
    const open = piece.number !== undefined && piece.name !== "" ? numbered : same;
    return open === undefined || startsAnew(open, piece) ? undefined : open;
  }
  const open = piece.number === undefined ? pieces.calls.at(-1) : numbered;
  if (open === undefined) return undefined;
  if (piece.id !== "" && open.id !== undefined) return opensAnother(open, piece, numbered) ? undefined : open;
  return startsAnew(open, piece) ? undefined : open;
}

/** Whether a piece can't belong to the call that its id or number names. */
function startsAnew(open: Call, piece: Piece): boolean {
  if (piece.name === "") return holdsOthers(open.arguments, piece.arguments);
  const other = piece.name !== open.name;
  if (isWholeFor(open, piece) && (other || hasText(piece.arguments))) return true;
  return other && open.name !== "" && isAnotherName(open, piece);
}

/** Whether the arguments so far are whole, for a piece that could begin a call. */
function isWholeFor(open: Call, piece: Piece): boolean {
  const begins = !hasText(piece.arguments) || isObject(piece.arguments) || opensObject(piece.arguments);
  return begins ? isWhole(open.arguments) : isWholeJoined(open.arguments);
}

/**
 * Another name before any arguments: the next call of a server that opens calls with empty arguments or tells none apart
 * at all, else the rest of the name. The rest of a name comes without arguments, or with a number and without an id.
 */
function isAnotherName(open: Call, piece: Piece): boolean {
  if (hasText(open.arguments.joined)) return false;
  if (piece.id === "" && piece.number !== undefined) return false;
  const bare = piece.id === "" && open.id === undefined;
  return bare || (open.arguments.joined !== undefined && typeof piece.arguments === "string");
}

/** A new id: another call, unless the piece is nameless or comes in the middle of arguments at the same number. */
function opensAnother(open: Call, piece: Piece, numbered: Call | undefined): boolean {
  if (numbered === undefined) return true;
  if (piece.name === "") return holdsOthers(open.arguments, piece.arguments);
  return !hasText(open.arguments.joined) || isWhole(open.arguments);
}

/** A name may come once, in every piece, or in pieces of its own before the arguments. */
function addName(call: Call, name: string): void {
  if (name === "" || name === call.name) return;
  if (!hasText(call.arguments.joined)) call.name += name;
}
