import { type Problem, problem } from "../nouns/problem.ts";
import { cut } from "../text/cut.ts";
import { ARMS, type Arm, METRICS, type Metric } from "../nouns/score.ts";
import { isShare } from "../compare/metric-kind.ts";
import { isObject, type JsonObject } from "../text/json.ts";
import { didYouMean } from "../text/nearest.ts";
import { wellFormed } from "../text/well-formed.ts";
import { messageOf } from "../text/thrown.ts";
import { trialKey } from "../record/trial-key.ts";

/** One result made elsewhere. */
export interface ImportedRow {
  readonly case: string;
  readonly arm: Arm;
  readonly trial: number;
  readonly status: "finished" | "stopped" | "broken";
  readonly scores: Readonly<Partial<Record<Metric, number>>>;
  readonly line: number;
}

/** Numbers of trials are counts: a time in milliseconds is none. */
const MOST = 1_000_000_000;
const STATUSES = ["finished", "stopped", "broken"] as const;
const KEYS = ["case", "arm", "trial", "status", ...METRICS];

/**
 * Reads results, one JSON object a line. Strict: whatever is no number in range, no known key, or a triple given
 * twice is a problem with file and line, and none of it is guessed. Blank lines are skipped.
 */
export function parseResults(file: string, text: string): { rows: ImportedRow[]; problems: Problem[] } {
  const rows: ImportedRow[] = [];
  const problems: Problem[] = [];
  const seen = new Map<string, number>();
  text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .forEach((source, at) => {
      if (source.trim() === "") return;
      const place = { file, line: at + 1 };
      const row = readLine(source, place, problems);
      if (row === null) return;
      const key = trialKey(row);
      const first = seen.get(key);
      if (first === undefined) {
        seen.set(key, place.line);
        rows.push(row);
      } else {
        problems.push(
          problem(
            "duplicate-trial",
            place,
            `case ${JSON.stringify(row.case)}, ${row.arm}, trial ${row.trial} was given in line ${first} already`,
            "number the trials of a case and arm 1, 2, 3, …",
          ),
        );
      }
    });
  return { rows, problems };
}

interface Place {
  readonly file: string;
  readonly line: number;
}

/** One line, or null after adding what is wrong with it. */
function readLine(source: string, place: Place, problems: Problem[]): ImportedRow | null {
  const value = parseObject(source, place, problems);
  if (value === null) return null;
  const before = problems.length;
  const fail = (key: string, message: string, hint?: string): void => {
    problems.push(problem("bad-result", { ...place, key }, message, hint));
  };
  for (const key of repeatedKeys(source)) fail(key, "the key stands twice in this line", "keep one of them");
  for (const key of Object.keys(value)) {
    if (!KEYS.includes(key)) fail(key, `unknown key ${JSON.stringify(key)}.${didYouMean(key, KEYS)}`);
  }
  const id = value.case;
  const trial = value.trial;
  const arm = ARMS.find((name) => name === value.arm);
  const status = value.status === undefined ? "finished" : STATUSES.find((name) => name === value.status);
  if (typeof id !== "string" || id.trim() === "" || wellFormed(id) !== id)
    fail("case", `expected the case's id, got ${shown(id)}`);
  if (arm === undefined) fail("arm", `expected baseline or candidate, got ${shown(value.arm)}`);
  if (typeof trial !== "number" || !Number.isInteger(trial) || trial < 1 || trial > MOST) {
    fail(
      "trial",
      `expected a whole number from 1, got ${shown(trial)}`,
      typeof trial === "number" && trial > MOST
        ? `trials are counted from 1, up to ${MOST}`
        : "trials count from 1",
    );
  }
  if (status === undefined) fail("status", `expected ${STATUSES.join(", ")}, got ${shown(value.status)}`);
  const scores = readScores(value, status === "broken", fail);
  if (problems.length > before || arm === undefined || status === undefined) return null;
  if (typeof id !== "string" || typeof trial !== "number") return null;
  return { case: id, arm, trial, status, scores, line: place.line };
}

function parseObject(source: string, place: Place, problems: Problem[]): JsonObject | null {
  try {
    const value: unknown = JSON.parse(source);
    if (isObject(value)) return value;
    problems.push(
      problem("bad-result", place, `expected one JSON object a line, got ${shown(value)}`, EXAMPLE),
    );
  } catch (error) {
    const hint = /\bNaN\b|\bInfinity\b/.test(source)
      ? "NaN and Infinity are no JSON: leave out the key of a score that does not exist"
      : EXAMPLE;
    const why = messageOf(error);
    problems.push(problem("bad-result", place, `this line is no JSON: ${cut(why, 200)}`, hint));
  }
  return null;
}

/** Keys that a flat JSON object holds more than once: `JSON.parse` keeps the last of them in silence. */
function repeatedKeys(source: string): string[] {
  const keys = [...source.matchAll(/("(?:[^"\\]|\\.)*")\s*:/g)].map((found) => found[1] ?? "");
  return [...new Set(keys.filter((key, at) => keys.indexOf(key) < at))].map((key) => key.slice(1, -1));
}

/** What a line looks like, for messages. */
export const EXAMPLE = 'such as {"case":"a","arm":"baseline","trial":1,"taskCompletion":1}';

function readScores(
  value: JsonObject,
  broken: boolean,
  fail: (key: string, message: string, hint?: string) => void,
): Partial<Record<Metric, number>> {
  const scores: Partial<Record<Metric, number>> = {};
  for (const metric of METRICS) {
    if (!Object.hasOwn(value, metric)) continue;
    const score = value[metric];
    const highest = isShare(metric) ? 1 : Number.MAX_SAFE_INTEGER;
    if (broken) fail(metric, "a broken trial has no score", "leave its metrics out");
    else if (typeof score !== "number" || !Number.isFinite(score) || score < 0 || score > highest) {
      const range = isShare(metric) ? "a number from 0 to 1" : "a number from 0";
      fail(metric, `expected ${range}, got ${shown(score)}`, HINTS[typeof score] ?? nullHint(score));
    } else scores[metric] = score;
  }
  return scores;
}

const HINTS: Readonly<Record<string, string>> = {
  boolean: "write 1 for true and 0 for false",
  string: "write the number without quotes",
};

function nullHint(score: unknown): string | undefined {
  return score === null ? "leave out the key of a score that does not exist" : undefined;
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : cut(JSON.stringify(value), 80);
}
