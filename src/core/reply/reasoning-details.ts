import { deeperThan, field, isObject, type JsonObject } from "../text/json.ts";

/** They are sent back as they came, so they must be fit to be written. */
const MAX_DEPTH = 20;
/** So many open blocks are looked at for one that a piece belongs to. */
const OPEN = 4;

/** A message's `reasoning_details` (OpenRouter), where there are any that can be sent back. */
export function readReasoningDetails(message: unknown): readonly JsonObject[] | undefined {
  const given = field(message, "reasoning_details");
  if (!Array.isArray(given) || given.length === 0 || deeperThan(given, MAX_DEPTH)) return undefined;
  return given.every(isObject) ? given : undefined;
}

/**
 * Adds one piece of a stream to the blocks so far: pieces of one block share type and index, its text comes in parts, and
 * its signature may come last and alone. Servers check the blocks that come back: they must be whole, and in their order.
 */
export function addReasoningDetail(blocks: JsonObject[], piece: unknown): void {
  if (!isObject(piece)) return;
  const at = blocks.findLastIndex((block, n) => n >= blocks.length - OPEN && isSameBlock(block, piece));
  const block = blocks[at];
  if (block === undefined) blocks.push(piece);
  else blocks[at] = joined(block, piece);
}

function isSameBlock(block: JsonObject, piece: JsonObject): boolean {
  const [before, after] = [field(block, "id"), field(piece, "id")];
  const same = (name: string) => field(block, name) === field(piece, name);
  return (
    typeof field(piece, "index") === "number" &&
    same("index") &&
    same("type") &&
    (before ?? after) === (after ?? before)
  );
}

function joined(block: JsonObject, piece: JsonObject): JsonObject {
  const texts = ["text", "summary"].flatMap((name) => {
    const [before, after] = [field(block, name), field(piece, name)];
    return typeof before === "string" && typeof after === "string" ? [[name, before + after] as const] : [];
  });
  const told = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  return { ...block, ...Object.fromEntries(told), ...Object.fromEntries(texts) };
}
