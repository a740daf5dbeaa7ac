import type { Case } from "../nouns/case.ts";
import type { RunRecord } from "../nouns/run.ts";

/** What a verdict of a judge depends on, beside the case. */
const KEYS = ["judge.model", "judge.temperature", "judge.max-tokens", "judge.votes"];

/** Whether a check of the case asks a judge. */
export function isJudged({ expect }: Pick<Case, "expect">): boolean {
  return (expect.completion ?? []).some((check) => "judge" in check);
}

/** What evalkit tells a judge: no setting, but a verdict depends on it as on one. */
export const JUDGE_PROMPT = "judge.prompt";

/** The judge's settings of a run and the digest of its prompt, by key; null where no case of it asks a judge. */
export function judgeSettings(
  record: Pick<RunRecord, "cases" | "settings" | "judgePrompt">,
): ReadonlyMap<string, { readonly value: unknown; readonly from: string }> | null {
  if (!record.cases.some(({ case: one }) => one && isJudged(one))) return null;
  const prompt = { value: record.judgePrompt, from: "evalkit" };
  return new Map([
    ...record.settings
      .filter(({ key }) => KEYS.includes(key))
      .map(({ key, value, from }) => [key, { value, from }] as const),
    ...(record.judgePrompt === null ? [] : [[JUDGE_PROMPT, prompt] as const]),
  ]);
}
