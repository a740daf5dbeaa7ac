import type { RunRecord } from "../../nouns/run.ts";
import { ARMS } from "../../nouns/score.ts";
import { oneLine } from "../escape.ts";
import { armWords } from "../shared.ts";
import { terminalBlock } from "./trial.ts";
import type { Overview, Trouble, TroubledArm } from "./trouble.ts";
import { count } from "../../text/count.ts";

const SHOWN_CASES = 200;
const SHOWN_REASONS = 5;

/** The cases of a run that need a look, each with what went wrong, and how to see one of them. */
export function overviewText(record: RunRecord, overview: Overview): string {
  const bad = new Set(overview.cases.filter(isBad).map((one) => one.case));
  const wrong = overview.cases.filter((one) => bad.has(one.case));
  const stopped = overview.cases.filter((one) => !bad.has(one.case));
  const blocks = [
    heading(record, overview),
    ...[...bad].slice(0, SHOWN_CASES).map((id) => caseLines(id, wrong)),
    leftOut(bad.size),
    onlyStopped(stopped),
    ending(record, wrong[0]?.case ?? stopped[0]?.case),
  ];
  return blocks
    .filter((block) => block.length > 0)
    .map(terminalBlock)
    .join("\n\n");
}

function isBad({ failed, broken, notScored }: TroubledArm): boolean {
  return failed + broken + notScored > 0;
}

function leftOut(cases: number): string[] {
  return cases > SHOWN_CASES ? [`… ${count(cases - SHOWN_CASES, "more case")}: --json names all`] : [];
}

/** Where a limit is a part of the plan, all trials are stopped and nothing is wrong: a line each will do. */
function onlyStopped(arms: readonly TroubledArm[]): string[] {
  if (arms.length === 0) return [];
  const lines = arms.slice(0, SHOWN_CASES).map((one) => {
    const why = one.troubles.map(({ detail }) => oneLine(detail)).join("; ");
    return `  ■ ${oneLine(one.case)}, ${one.arm}: ${one.stopped} of ${count(one.trials, "trial")} (${why})`;
  });
  return ["stopped at a limit, with no failed check:", ...lines, ...leftOut(arms.length)];
}

function heading(record: RunRecord, { trials, cases }: Overview): string[] {
  const arms = ARMS.flatMap((arm) => {
    const own = record.arms[arm];
    if (own === null) return [];
    const { variant, commit } = armWords(own);
    return [`  ${arm.padEnd(10)} ${oneLine(variant)}${commit === null ? "" : ` (${commit})`}`];
  });
  const sum = (key: Count): number => cases.reduce((total, one) => total + one[key], 0);
  const open = sum("notScored");
  const parts = [
    ...(["failed", "stopped", "broken"] as const).map((key) => `${sum(key)} ${key}`),
    ...(open > 0 ? [`${open} ${WORDS.notScored}`] : []),
  ];
  return [
    `run ${oneLine(record.runId)}`,
    ...arms,
    `  ${count(record.cases.length, "case")}, ${count(trials, "trial")}: ${parts.join(", ")}`,
  ];
}

type Count = "failed" | "stopped" | "broken" | "notScored";
const WORDS: Readonly<Record<Count, string>> = {
  ...{ failed: "failed", stopped: "stopped", broken: "broken" },
  notScored: "not scored though a check failed",
};

function caseLines(id: string, cases: readonly TroubledArm[]): string[] {
  return [oneLine(id), ...cases.filter((one) => one.case === id).flatMap(armLines)];
}

function armLines(one: TroubledArm): string[] {
  const parts = (["failed", "notScored", "stopped", "broken"] as const)
    .filter((key) => one[key] > 0)
    .map((key) => `${one[key]} ${WORDS[key]}`);
  const more = one.troubles.length - SHOWN_REASONS;
  return [
    `  ${one.arm}: ${parts.join(", ")} of ${count(one.trials, "trial")}`,
    ...one.troubles.slice(0, SHOWN_REASONS).map(reasonLine),
    ...(more > 0 ? [`    … ${count(more, "more reason")}`] : []),
  ];
}

const SIGNS = { failed: "✗", stopped: "■", broken: "!" } as const;

function reasonLine({ kind, what, detail, trials }: Trouble): string {
  const named = kind === "failed" ? oneLine(what) : `${kind} (${what})`;
  return `    ${SIGNS[kind]} ${named}: ${oneLine(detail)} [trial ${trials.slice(0, 10).join(", ")}${trials.length > 10 ? ", …" : ""}]`;
}

function ending(record: RunRecord, first: string | undefined): string[] {
  if (first === undefined) return ["No trial failed, stopped or broke."];
  return ["One of them, with its transcript:", `  evalkit show ${word(record.runId)} ${word(first)}`];
}

/** A word of a command line as a shell takes it. */
function word(text: string): string {
  const line = oneLine(text);
  return /^[\w./@%+=:,-]+$/.test(line) ? line : `'${line.replaceAll("'", "'\\''")}'`;
}
