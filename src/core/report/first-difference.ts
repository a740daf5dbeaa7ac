import type { TrialLine } from "../nouns/run.ts";
import type { Reply, ToolCall } from "../nouns/transcript.ts";
import { parseJson, sameJson } from "../text/json.ts";

/** One model call of a trial. */
export interface ShownTurn {
  readonly turn: number;
  readonly content: string;
  readonly calls: readonly ToolCall[];
}

/** Where two trials part: the first turn with other calls or, where neither calls, another answer. */
export interface FirstDifference {
  /** Counts model calls from 1. */
  readonly turn: number;
  /** Null: this trial had ended by then. */
  readonly baseline: ShownTurn | null;
  readonly candidate: ShownTurn | null;
  /** Model calls that were the same before. */
  readonly same: number;
}

/**
 * Compares two trials turn by turn, by the names and arguments of their calls (as JSON: neither spacing nor the order of
 * keys counts, nor do call ids) and, in a turn without calls, by the text. Null: no turn differs.
 */
export function firstDifference(baseline: TrialLine, candidate: TrialLine): FirstDifference | null {
  const [before, after] = [turnsOf(baseline), turnsOf(candidate)];
  const longer = Math.max(before.length, after.length);
  for (let at = 0; at < longer; at += 1) {
    const [left, right] = [before[at] ?? null, after[at] ?? null];
    if (left === null || right === null || !sameTurn(left, right))
      return { turn: at + 1, baseline: left, candidate: right, same: at };
  }
  return null;
}

function turnsOf(line: TrialLine): ShownTurn[] {
  return line.events.flatMap((event) => (event.type === "reply" ? [shown(event.turn, event.reply)] : []));
}

function shown(turn: number, { content, calls }: Reply): ShownTurn {
  return { turn, content, calls };
}

function sameTurn(left: ShownTurn, right: ShownTurn): boolean {
  if (left.calls.length !== right.calls.length) return false;
  if (left.calls.length === 0) return left.content.trim() === right.content.trim();
  return left.calls.every((call, at) => sameCall(call, right.calls[at]));
}

function sameCall(left: ToolCall, right: ToolCall | undefined): boolean {
  if (right === undefined || left.name !== right.name) return false;
  const [a, b] = [jsonOf(left.arguments), jsonOf(right.arguments)];
  return a === undefined || b === undefined ? left.arguments === right.arguments : sameJson(a, b);
}

/** Empty arguments are those of a call without any. */
function jsonOf(raw: string): unknown {
  return parseJson(raw.trim() === "" ? "{}" : raw);
}
