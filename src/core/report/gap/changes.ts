import type { RunRecord } from "../../nouns/run.ts";
import { markdownCode, markdownFence, markdownText } from "../escape.ts";
import type { ReportInput } from "../input.ts";
import { type TextChange, textChanges } from "../text-changes.ts";
import { clip, id, leftOut } from "./words.ts";
import { count } from "../../text/count.ts";

const SHOWN_CHANGES = 40;
const SHOWN_COMMITS = 30;
/** A line of a diff longer than this is most likely data. */
const LONGEST_LINE = 500;

/** What was changed: differences of layers and skills. */
export function changesBlock({ record }: ReportInput): string {
  const { baseline, candidate } = record.arms;
  if (record.kind === "import") return "These results were made elsewhere: prompts and skills are not known.";
  if (baseline === null || candidate === null)
    return "One version only: there is nothing to compare it with.";
  const changes = textChanges(record);
  const settings = settingChanges(record);
  if (changes.length + settings.length === 0)
    return "No change: both versions hold the same prompts and skills.";
  return [
    ...(settings.length === 0 ? [] : [settings.join("\n")]),
    ...changes.slice(0, SHOWN_CHANGES).map(changeText),
    ...leftOut(SHOWN_CHANGES, changes.length, "changed file", "git diff shows them all"),
  ].join("\n\n");
}

/** What differs between the arms beside their texts. */
function settingChanges({ arms: { baseline, candidate } }: RunRecord): string[] {
  if (baseline === null || candidate === null) return [];
  return (["profile", "delivery", "model"] as const).flatMap((key) => {
    const [before, after] = [baseline[key], candidate[key]];
    if (before === after) return [];
    const words = (value: string | null): string => (value === null ? "the run's own" : markdownCode(value));
    return [`- ${key}: ${words(before)} → ${words(after)}`];
  });
}

function changeText(change: TextChange): string {
  const { kind, name, file, what, notes, patch, added, removed } = change;
  const lines = added + removed === 0 ? "" : `, ${count(added, "line")} added, ${removed} removed`;
  const place = file === name ? "" : ` (${markdownCode(file)})`;
  const more = change.leftOut === 0 ? [] : [`… ${count(change.leftOut, "more line")} of this diff left out.`];
  return [
    `**${kind} ${id(name)}**${place}: ${what}${lines}`,
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${markdownText(clip(note, 400))}`).join("\n")]),
    ...(patch.length === 0 ? [] : [markdownFence(patch.map(shortLine).join("\n"), "diff")]),
    ...more,
  ].join("\n\n");
}

function shortLine(line: string): string {
  return clip(line, LONGEST_LINE);
}

/** Why: the commits between the versions, newest as git gives them. */
export function whyBlock({ record }: ReportInput): string {
  const { commits } = record;
  if (commits.length === 0) return "No commit message says why: there is no commit between the two versions.";
  const lines = commits.slice(0, SHOWN_COMMITS).map(({ commit, subject, body }) => {
    const head = `- ${markdownCode(commit.slice(0, 7))} ${markdownText(clip(subject, 300))}`;
    const text = body.trim();
    // Indented under its item: a paragraph of that item, on one line, so that nothing in it starts a block.
    return text === "" ? head : `${head}\n\n  ${markdownText(clip(text, 1000))}`;
  });
  return [
    lines.join("\n"),
    ...leftOut(SHOWN_COMMITS, commits.length, "commit", "git log shows them all"),
  ].join("\n\n");
}
