import type { RunRecord, TrialLine } from "../../nouns/run.ts";
import { ARMS } from "../../nouns/score.ts";
import { wholeEnd } from "../../text/cut.ts";
import { inertLine, oneLine, terminalText } from "../escape.ts";
import { armWords } from "../shared.ts";
import { argumentsText, endText, type Step, stepsOf } from "../transcript.ts";
import type { ListedTrial } from "./pick.ts";
import { scoreLines } from "./scores.ts";

/** What stands around a trial: the run, the case's other trials, and how much of a text is shown. */
export interface ShownTrial {
  readonly record: RunRecord;
  readonly line: TrialLine;
  readonly trials: readonly ListedTrial[];
  /** Nothing is folded. */
  readonly full: boolean;
}

/** Characters and lines of a tool's result that are shown; what the agent and the user say is never folded. */
const FOLD_CHARACTERS = 800;
const FOLD_LINES = 12;
const FOLD_ARGUMENTS = 1000;

const NO_EVENTS = {
  run: "(nothing was said: the trial ended before)",
  import: "(results made elsewhere: there is no transcript)",
} as const;

/** One trial as a person reads it on a terminal: what was asked, said and called, how it ended, what the checks found. */
export function trialText(shown: ShownTrial): string {
  const { line, record } = shown;
  const definition = record.cases.find((one) => one.id === line.case)?.case ?? null;
  const turns = definition?.turns.map(({ user }) => user) ?? [];
  const steps = stepsOf(line, turns).map((step) => stepLines(step, shown.full));
  const blocks = [
    heading(shown, definition?.title ?? null),
    ...(steps.length === 0 ? [[NO_EVENTS[record.kind]]] : steps),
    answer(line),
    ending(line),
    scoreLines(line),
  ];
  return blocks
    .filter((block) => block.length > 0)
    .map(terminalBlock)
    .join("\n\n");
}

/** Lines made of untrusted texts as one block that a terminal and a CI runner only print. */
export function terminalBlock(lines: readonly string[]): string {
  return terminalText(lines.join("\n")).split("\n").map(inertLine).join("\n");
}

function heading({ record, line, trials }: ShownTrial, title: string | null): string[] {
  const own = record.arms[line.arm];
  const { variant, commit } = own === null ? { variant: "", commit: null } : armWords(own);
  const at = commit === null ? "" : ` at ${commit}`;
  const named = title === null || title === line.case ? "" : `: ${oneLine(title)}`;
  return [
    `case ${oneLine(line.case)}${named}`,
    `run ${oneLine(record.runId)}, ${line.arm} (${oneLine(variant)}${at}), trial ${line.trial}`,
    ...otherTrials(trials),
  ];
}

const SHOWN_TRIALS = 40;

function otherTrials(trials: readonly ListedTrial[]): string[] {
  return ARMS.flatMap((arm) => {
    const own = trials.filter((one) => one.arm === arm);
    if (own.length === 0) return [];
    const words = own.slice(0, SHOWN_TRIALS).map(({ trial, mark }) => `${trial} ${mark}`);
    const more = own.length > SHOWN_TRIALS ? [`and ${own.length - SHOWN_TRIALS} more`] : [];
    const apart = words.some((one) => one.includes(",")) ? "; " : ", ";
    return [`  trials of the ${arm}: ${[...words, ...more].join(apart)}`];
  });
}

function stepLines(step: Step, full: boolean): string[] {
  switch (step.kind) {
    case "speaker":
      return [`— ${oneLine(step.role)} —`];
    case "user": {
      const skills = step.injected.map(oneLine).join(", ");
      return [
        step.injected.length === 0 ? "user" : `user (skills in front: ${skills})`,
        ...indent(step.text),
      ];
    }
    case "says":
      return [`turn ${step.turn} says`, ...indent(step.text)];
    case "note":
      return indent(step.text, "* ", "  ");
    case "call":
      return callLines(step, full);
  }
}

function callLines(step: Extract<Step, { kind: "call" }>, full: boolean): string[] {
  const made = fold(argumentsText(step.arguments), full, FOLD_ARGUMENTS);
  const asked = step.approval === null ? [] : [`  approval asked: ${step.approval}`];
  const head = `turn ${step.turn} calls ${oneLine(step.name)} ${made}`.split("\n");
  if (step.result === null) return [...head, ...asked, "  → no result: the trial ended before"];
  const { text, error } = step.result;
  const came = text === "" ? "(empty)" : fold(text, full, FOLD_CHARACTERS);
  return [...head, ...asked, ...indent(`${error ? "error: " : ""}${came}`, "  → ", "    ")];
}

function answer(line: TrialLine): string[] {
  return ["answer", ...(line.answer === "" ? ["  (none)"] : indent(line.answer))];
}

function ending(line: TrialLine): string[] {
  const { outcome } = line;
  const status =
    outcome.status === "broken" && outcome.failure.status !== null
      ? `, HTTP ${outcome.failure.status}, ${outcome.failure.attempts} attempts`
      : "";
  const [first = "", ...rest] = endText(outcome).split("\n");
  const took = `${line.seconds.toFixed(1)} s, replies ${line.replies}${status}`;
  return [`outcome: ${first}`, ...rest.map((text) => `  ${text}`), `  ${took}`];
}

/** The text cut at a number of lines and characters, between whole characters; the cut is told. */
function fold(text: string, full: boolean, limit: number): string {
  if (full) return text;
  const lines = text.split("\n");
  const few = lines.slice(0, FOLD_LINES).join("\n");
  const kept = few.slice(0, wholeEnd(few, limit));
  if (kept.length === text.length) return text;
  return `${kept.trimEnd()}\n… ${text.length - kept.length} more characters; --full shows them`;
}

function indent(text: string, first = "  ", rest = "  "): string[] {
  return text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line, at) => `${at === 0 ? first : rest}${line}`);
}
