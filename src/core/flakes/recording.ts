import type { RunRecord, TrialLine } from "../nouns/run.ts";

/**
 * What makes two trials the same recording, as one text: case, model, request settings, prompts and tools as they were
 * sent, trial number and every reply. Runs that replay a recording have it in common; the arm does not count, since a
 * version may be the candidate first and the baseline later, but for A/A runs, whose arms are recorded apart. Null where
 * no reply came: there is nothing to replay.
 */
export function recordingOf(record: RunRecord, line: TrialLine): string | null {
  const { arm, case: id, trial, events } = line;
  const prompts = events.flatMap((event) => (event.type === "conversation" ? event.promptDigest : []));
  const replies = events.flatMap((event) =>
    event.type === "reply"
      ? [[event.reply.content, event.reply.calls.map(({ name, arguments: raw }) => [name, raw])]]
      : [],
  );
  if (replies.length === 0) return null;
  return JSON.stringify([
    record.aa ? arm : "",
    [id, record.cases.find((one) => one.id === id)?.digest ?? null, trial],
    [record.arms[arm]?.model ?? record.model.name, record.model.request],
    [record.arms[arm]?.tools[id] ?? null, prompts, replies],
  ]);
}
