import { ARMS } from "../../nouns/score.ts";
import { markdownText } from "../escape.ts";
import type { ReportInput } from "../input.ts";
import { clip, ids } from "./words.ts";

const SHOWN = 50;

/** Notes of the run and of its arms, and what the cases of the two versions have not in common. */
export function notesBlock({ record, withoutSample }: ReportInput): string {
  const arms = ARMS.flatMap((arm) => (record.arms[arm]?.notes ?? []).map((note) => `${arm}: ${note}`));
  const all = [...record.notes, ...arms].map((note) => `- ${markdownText(clip(note, 1000))}`);
  const changes = record.caseChanges;
  const cases = (["removed", "changed", "added"] as const).flatMap((what) => {
    const own = changes?.[what] ?? [];
    return own.length === 0 ? [] : [`- cases ${what} against the baseline: ${ids(own)}`];
  });
  const bound =
    withoutSample.length === 0 ? [] : [`- no transcript kept for this report of: ${ids(withoutSample)}`];
  const more = all.length > SHOWN ? [`- … and ${all.length - SHOWN} more in run.json`] : [];
  const lines = [...all.slice(0, SHOWN), ...more, ...cases, ...bound];
  return lines.length === 0 ? "None." : lines.join("\n");
}
