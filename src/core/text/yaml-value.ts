import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node } from "yaml";
import type { Path } from "./path.ts";
import { wellFormed } from "./well-formed.ts";

/** A place in a text; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where a value stands: `place` is its key (or item), `children` by key or index. */
export interface Spot {
  readonly place: Place;
  readonly children: Map<string | number, Spot>;
}

/** What is wrong with a document beyond its syntax. */
export interface Fault {
  readonly code: string;
  readonly place: Place;
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
}

/** Bounds of one document: values after aliases are followed, and nesting. */
const MAX_VALUES = 100_000;
const MAX_DEPTH = 100;

class Stop extends Error {}

interface Walk {
  readonly anchors: Map<string, Node>;
  readonly faults: Fault[];
  readonly placeOf: (offset: number) => Place;
  values: number;
}

/**
 * Turns a parsed document into plain data (own properties only) with the place of every key. Repeated keys, aliases that
 * grow beyond the bounds, numbers that JSON can't hold, tags and `__proto__` are faults.
 */
export function plainValue(
  document: Document.Parsed,
  placeOf: (offset: number) => Place,
): { value: unknown; spot: Spot; faults: readonly Fault[] } {
  const walk: Walk = { anchors: new Map(), faults: [], placeOf, values: 0 };
  const spot: Spot = { place: placeOf(startOf(document.contents)), children: new Map() };
  try {
    return { value: convert(document.contents, [], spot, walk), spot, faults: walk.faults };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { value: null, spot, faults: walk.faults };
  }
}

function convert(node: unknown, path: Path, spot: Spot, walk: Walk): unknown {
  walk.values += 1;
  if (walk.values > MAX_VALUES || path.length > MAX_DEPTH) {
    fault(
      walk,
      "too-much-yaml",
      spot.place,
      [],
      "the document grows beyond bounds once aliases are followed",
    );
    throw new Stop();
  }
  if (!isNode(node)) return null;
  if (isAlias(node)) return convert(target(node.source, path, spot, walk), path, spot, walk);
  if (node.anchor !== undefined) walk.anchors.set(node.anchor, node);
  if (isMap(node)) return convertMap(node.items, path, spot, walk);
  if (isSeq(node))
    return node.items.map((item, at) => convert(item, [...path, at], child(at, item, spot, walk), walk));
  return isScalar(node) ? scalar(node.value, path, spot, walk) : null;
}

function convertMap(
  items: readonly { key: unknown; value: unknown }[],
  path: Path,
  spot: Spot,
  walk: Walk,
): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  for (const { key, value } of items) {
    const name = keyOf(key, path, spot, walk);
    if (name === null) continue;
    const first = spot.children.get(name);
    const next = child(name, key, spot, walk);
    const here = [...path, name];
    if (first !== undefined) repeated(name, first.place, next.place, here, walk);
    else if (name === "__proto__")
      fault(walk, "bad-key", next.place, here, "the key __proto__ is not allowed");
    else entries.push([name, convert(value, here, next, walk)]);
  }
  return Object.fromEntries(entries);
}

/** The text of a key as it is written (`1.10` stays `1.10`), or null after a fault. */
function keyOf(key: unknown, path: Path, spot: Spot, walk: Walk): string | null {
  const node = isAlias(key) ? target(key.source, path, spot, walk) : key;
  if (isScalar(node) && node.value !== null) {
    if (typeof node.value === "string") return node.value;
    return typeof node.source === "string" ? node.source : String(node.value);
  }
  const place = isNode(key) ? walk.placeOf(startOf(key)) : spot.place;
  fault(walk, "bad-key", place, path, "a key must be a text, not empty, a list or a map");
  return null;
}

function target(name: string, path: Path, spot: Spot, walk: Walk): Node {
  const found = walk.anchors.get(name);
  if (found !== undefined) return found;
  fault(walk, "bad-yaml", spot.place, path, `alias *${name} has no anchor &${name} before it`);
  throw new Stop();
}

function scalar(value: unknown, path: Path, spot: Spot, walk: Walk): unknown {
  if (typeof value === "string" && wellFormed(value) !== value) {
    fault(walk, "bad-text", spot.place, path, "the text holds half a character (a lone surrogate)");
  }
  if (typeof value !== "number") return value;
  if (!Number.isFinite(value)) {
    fault(walk, "bad-number", spot.place, path, `${value} is no number that JSON can hold`);
  } else if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    const hint = "put it in quotes if it is an id";
    fault(walk, "bad-number", spot.place, path, "the number has too many digits to be kept exactly", hint);
  }
  return value;
}

/** The first of two equal keys keeps its place, so that later faults point at the value in use. */
function child(key: string | number, node: unknown, spot: Spot, walk: Walk): Spot {
  const made: Spot = {
    place: isNode(node) ? walk.placeOf(startOf(node)) : spot.place,
    children: new Map(),
  };
  if (!spot.children.has(key)) spot.children.set(key, made);
  return made;
}

function repeated(name: string, first: Place, second: Place, path: Path, walk: Walk): void {
  const message = `key ${JSON.stringify(name)} stands twice: line ${first.line} and line ${second.line}`;
  fault(walk, "duplicate-key", second, path, message, "keep one of them");
}

function fault(walk: Walk, code: string, place: Place, path: Path, message: string, hint?: string): void {
  walk.faults.push({ code, place, path, message, ...(hint === undefined ? {} : { hint }) });
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
