import type { ExpectedCall, MatchMode } from "../nouns/case.ts";
import type { ParsedArguments } from "./arguments.ts";
import { type Fits, fitsOf, maximumMatching, orderedMatching, type Pairing } from "./pairing.ts";
import { type Difference, extraKeys, keysDiffer } from "./value.ts";
import { cut } from "../text/cut.ts";
import { showJson } from "../text/json.ts";

/** A call as the model made it, its arguments parsed. */
export interface ActualCall {
  readonly name: string;
  readonly arguments: ParsedArguments;
  /** The arguments as the model wrote them. */
  readonly raw: string;
}

/** Expected calls against calls made. `pairs` holds for each expected call the index of the call it is paired with. */
export interface CallMatch {
  readonly holds: boolean;
  readonly pairs: Pairing;
  readonly matched: number;
  /** Indexes of expected calls that nothing fitted. */
  readonly missing: readonly number[];
  /** Indexes of calls that no expected call took. */
  readonly extra: readonly number[];
}

/**
 * How a call differs from an expected one; empty: it fits. A call whose arguments are no JSON object was never run and
 * fits no expectation. Call ids are never looked at.
 */
export function callDiffers(expected: ExpectedCall, call: ActualCall): readonly Difference[] {
  if (expected.name !== call.name) return [{ path: "name", expected: expected.name, came: call.name }];
  if (!call.arguments.ok) {
    return [{ path: "arguments", expected: "a JSON object", came: `arguments that ${call.arguments.why}` }];
  }
  const args = expected.args ?? {};
  const differences = keysDiffer(args, call.arguments.value);
  return expected.exact === true ? [...differences, ...extraKeys(args, call.arguments.value)] : differences;
}

/** Matches by mode. Where order counts, the pairing keeps it; else it is a maximum matching, never a greedy one. */
export function matchCalls(
  mode: MatchMode,
  expected: readonly ExpectedCall[],
  actual: readonly ActualCall[],
): CallMatch {
  const fits = fitTable(expected, actual);
  const pairs = mode === "strict" || mode === "in_order" ? orderedMatching(fits) : maximumMatching(fits);
  const taken = new Set(pairs);
  const matched = pairs.filter((pair) => pair !== null).length;
  return {
    holds: modeHolds(mode, matched, expected.length, actual.length),
    pairs,
    matched,
    missing: [...pairs.keys()].filter((at) => pairs[at] === null),
    extra: [...actual.keys()].filter((at) => !taken.has(at)),
  };
}

/** How many expected calls can be paired with calls made, whatever their order. */
export function pairable(expected: readonly ExpectedCall[], actual: readonly ActualCall[]): number {
  return maximumMatching(fitTable(expected, actual)).filter((pair) => pair !== null).length;
}

function fitTable(expected: readonly ExpectedCall[], actual: readonly ActualCall[]): Fits {
  return fitsOf(expected.length, actual.length, (e, a) => {
    const wanted = expected[e];
    const call = actual[a];
    return wanted !== undefined && call !== undefined && callDiffers(wanted, call).length === 0;
  });
}

function modeHolds(mode: MatchMode, matched: number, expected: number, actual: number): boolean {
  switch (mode) {
    case "strict":
    case "unordered":
      return matched === expected && matched === actual;
    case "subset":
      return matched === actual;
    case "superset":
    case "in_order":
      return matched === expected;
  }
}

/** A call on one line: `web_fetch({"url":"https://…"})`. */
export function showCall(call: ActualCall, limit = 160): string {
  return `${call.name}(${call.arguments.ok ? showJson(call.arguments.value, limit) : cut(call.raw, limit)})`;
}

/** An expected call on one line. */
export function showExpected(call: ExpectedCall, limit = 160): string {
  const free = call.exact === true ? "" : "…";
  return `${call.name}(${call.args === undefined ? free : showJson(call.args, limit)})`;
}
