import type { ExpectedCall, MatchMode } from "../nouns/case.ts";
import { type ActualCall, type CallMatch, callDiffers, pairable, showCall, showExpected } from "./calls.ts";
import { count } from "../text/count.ts";
import type { Difference } from "./value.ts";

/** More than so many of one kind are counted, not listed. */
const MAX_LISTED = 5;

/** Says in words what a match found: missing calls with the closest call that was made, extra calls, wrong order. */
export function explainMatch(
  mode: MatchMode,
  expected: readonly ExpectedCall[],
  actual: readonly ActualCall[],
  match: CallMatch,
): string {
  if (match.holds) return heldText(mode, expected.length, match);
  const ordered = mode === "strict" || mode === "in_order";
  if (ordered && pairable(expected, actual) === expected.length && match.missing.length > 0) {
    return `all ${count(expected.length, "expected call")} came, in another order: ${orderOf(actual)}`;
  }
  const extraWrong = mode !== "superset" && mode !== "in_order";
  const lines = [
    ...(mode === "subset" ? [] : listed(match.missing, (at) => missingText(expected[at], actual, match))),
    ...(extraWrong ? listed(match.extra, (at) => extraText(actual[at], expected, match)) : []),
  ];
  return lines.join("\n");
}

function heldText(mode: MatchMode, expected: number, match: CallMatch): string {
  const made = mode === "subset" ? `${match.matched} of ` : "all ";
  const more = match.extra.length === 0 ? "" : `, and ${match.extra.length} more, which ${mode} allows`;
  return expected === 0 && more === ""
    ? "no calls, as expected"
    : `${made}${count(expected, "expected call")} came${more}`;
}

function missingText(
  wanted: ExpectedCall | undefined,
  actual: readonly ActualCall[],
  match: CallMatch,
): string {
  if (wanted === undefined) return "";
  const near = closest(wanted, actual, match.extra);
  const reason =
    near === null
      ? `${wanted.name} was not called`
      : `closest is call ${near.at + 1}: ${differencesText(near.differences)}`;
  const spent = near === null && actual.some((call) => call.name === wanted.name);
  return `missing: ${showExpected(wanted)}; ${spent ? "the calls that fit are taken by other expectations" : reason}`;
}

/** The call among those not yet paired that has the right name and the fewest differences. */
function closest(
  wanted: ExpectedCall,
  actual: readonly ActualCall[],
  free: readonly number[],
): { readonly at: number; readonly differences: readonly Difference[] } | null {
  let best: { at: number; differences: readonly Difference[] } | null = null;
  for (const at of free) {
    const call = actual[at];
    if (call === undefined || call.name !== wanted.name) continue;
    const differences = callDiffers(wanted, call);
    if (best === null || differences.length < best.differences.length) best = { at, differences };
  }
  return best;
}

function differencesText(differences: readonly Difference[]): string {
  const shown = differences
    .slice(0, 3)
    .map((one) => `${one.path} expected ${one.expected}, came ${one.came}`);
  const more = differences.length > 3 ? `; ${differences.length - 3} more keys differ` : "";
  return shown.length === 0 ? "it fits, but out of order" : `${shown.join("; ")}${more}`;
}

function extraText(
  call: ActualCall | undefined,
  expected: readonly ExpectedCall[],
  match: CallMatch,
): string {
  if (call === undefined) return "";
  const named = match.missing.some((at) => expected[at]?.name === call.name);
  return `${named ? "extra (see the missing call above)" : "extra"}: ${showCall(call)}`;
}

function orderOf(actual: readonly ActualCall[]): string {
  const names = actual.slice(0, 12).map((call) => call.name);
  return `${names.join(", ")}${actual.length > 12 ? ", …" : ""}`;
}

function listed(items: readonly number[], text: (at: number) => string): readonly string[] {
  const shown = items.slice(0, MAX_LISTED).map(text);
  return items.length > MAX_LISTED ? [...shown, `and ${items.length - MAX_LISTED} more`] : shown;
}
