import {
  type ActualCall,
  callDiffers,
  matchCalls,
  pairable,
  showCall,
  showExpected,
} from "../match/calls.ts";
import { explainMatch } from "../match/explain.ts";
import type { ExpectedCall, ToolExpectation } from "../nouns/case.ts";
import type { Evidence, Score } from "../nouns/score.ts";
import { allPassed, scored, unscored } from "./make.ts";

const NO_EXPECTATION = "the case has no tool expectation";

/**
 * `toolCallAccuracy`: 1 when the whole tool expectation holds (the calls in their match mode, nothing forbidden, every
 * `before` in order), else 0. `notOffered` names tools that this arm could not call; they are left out on both sides.
 */
export function scoreToolAccuracy(
  expectation: ToolExpectation | undefined,
  calls: readonly ActualCall[],
  notOffered: ReadonlySet<string>,
  note: string | null,
): Score {
  if (expectation === undefined) return unscored(NO_EXPECTATION);
  const evidence = [
    ...matchEvidence(expectation, calls, notOffered),
    ...expectation.forbid.map((rule, at) => forbidEvidence(rule, at, calls)),
    ...expectation.before.map(([first, then], at) => beforeEvidence(first, then, at, calls)),
  ];
  if (evidence.length === 0) return unscored("the tool expectation is empty: no calls, forbid or before");
  return allPassed(note === null ? evidence : withNote(evidence, note));
}

/**
 * `toolCallF1`: 2·paired / (expected + made), pairs by a maximum matching whatever the order and mode. No expected
 * calls and none made is 1: that is just what was wanted.
 */
export function scoreToolF1(
  expectation: ToolExpectation | undefined,
  calls: readonly ActualCall[],
  notOffered: ReadonlySet<string>,
): Score {
  if (expectation === undefined) return unscored(NO_EXPECTATION);
  if (expectation.calls === undefined) return unscored("the case lists no expected calls");
  const { expected, actual } = counted(expectation, calls, notOffered);
  const paired = pairable(expected, actual);
  const value = expected.length + actual.length === 0 ? 1 : (2 * paired) / (expected.length + actual.length);
  const detail = `${paired} paired, ${expected.length} expected, ${actual.length} made`;
  return scored(value, [{ check: "tools.calls paired", passed: value === 1, detail }]);
}

/** The expected and the made calls that count: without ignored tools and tools that this arm could not call. */
function counted(
  expectation: ToolExpectation,
  calls: readonly ActualCall[],
  notOffered: ReadonlySet<string>,
): { readonly expected: readonly ExpectedCall[]; readonly actual: readonly ActualCall[] } {
  const left = new Set([...expectation.ignore, ...notOffered]);
  return {
    expected: (expectation.calls ?? []).filter((call) => !left.has(call.name)),
    actual: calls.filter((call) => !left.has(call.name)),
  };
}

function matchEvidence(
  expectation: ToolExpectation,
  calls: readonly ActualCall[],
  notOffered: ReadonlySet<string>,
): readonly Evidence[] {
  if (expectation.calls === undefined) return [];
  const { expected, actual } = counted(expectation, calls, notOffered);
  const match = matchCalls(expectation.match, expected, actual);
  const detail = explainMatch(expectation.match, expected, actual, match);
  const left = expectation.calls.filter((call) => notOffered.has(call.name)).map((call) => call.name);
  const leftOut =
    left.length === 0 ? "" : `\nleft out, not offered in this arm: ${[...new Set(left)].join(", ")}`;
  return [
    { check: `tools.calls (${expectation.match})`, passed: match.holds, detail: `${detail}${leftOut}` },
  ];
}

function forbidEvidence(rule: string | ExpectedCall, at: number, calls: readonly ActualCall[]): Evidence {
  const hit = calls.findIndex((call) =>
    typeof rule === "string" ? call.name === rule : isForbidden(rule, call),
  );
  const call = calls[hit];
  return {
    check: `tools.forbid[${at}] ${typeof rule === "string" ? rule : showExpected(rule)}`,
    passed: call === undefined,
    detail: call === undefined ? "not called" : `call ${hit + 1} is forbidden: ${showCall(call)}`,
  };
}

/** Trying counts: a rule without arguments also forbids calls whose arguments can't be read. */
function isForbidden(rule: ExpectedCall, call: ActualCall): boolean {
  if (rule.args === undefined) return rule.name === call.name;
  return callDiffers(rule, call).length === 0;
}

function beforeEvidence(first: string, then: string, at: number, calls: readonly ActualCall[]): Evidence {
  const later = calls.findIndex((call) => call.name === then);
  const earlier = calls.findIndex((call) => call.name === first);
  const passed = later === -1 || (earlier !== -1 && earlier < later);
  const came = earlier === -1 ? `${first} was never called` : `${first} first came as call ${earlier + 1}`;
  const detail = later === -1 ? `${then} was not called` : `${then} came as call ${later + 1}; ${came}`;
  return { check: `tools.before[${at}] ${first} before ${then}`, passed, detail };
}

function withNote(evidence: readonly Evidence[], note: string): readonly Evidence[] {
  return evidence.map((one) => (one.passed ? one : { ...one, detail: `${one.detail}\n${note}` }));
}
