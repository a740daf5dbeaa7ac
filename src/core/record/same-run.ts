import { type Problem, problem } from "../nouns/problem.ts";
import type { RunRecord } from "../nouns/run.ts";
import { JUDGE_PROMPT, judgeSettings } from "./judge-settings.ts";

/**
 * Whether trials made now may join those of a saved run: same prompts, skills, tools, cases, model and sampling. Each
 * difference is a problem; an empty list says that they may.
 */
export function differencesOf(saved: RunRecord, now: RunRecord): Problem[] {
  const differ = (what: string, before: string, today: string): Problem[] =>
    before === today
      ? []
      : [
          problem(
            "resume-differs",
            { file: `run ${saved.runId}` },
            `${what} is not what the run was started with: ${before} then, ${today} now`,
            "its trials can't be mixed with these: start a new run",
          ),
        ];
  const arms = (["baseline", "candidate"] as const).flatMap((arm) =>
    differ(
      `the ${arm} (${now.arms[arm]?.variant})`,
      String(saved.arms[arm]?.digest),
      String(now.arms[arm]?.digest),
    ),
  );
  return [
    ...arms,
    ...differ("the number of trials", String(saved.trials), String(now.trials)),
    ...differ("the model", String(saved.model.name), String(now.model.name)),
    ...differ("the request", JSON.stringify(saved.model.request), JSON.stringify(now.model.request)),
    ...judgeDifferences(saved, now, differ),
    ...caseDifferences(saved, now, differ),
  ];
}

type Differ = (what: string, before: string, today: string) => Problem[];

/**
 * The saved run's judge is kept unless a flag or the environment names another: half a run judged by each is neither.
 * Its prompt can't be kept: it is this evalkit's.
 */
function judgeDifferences(saved: RunRecord, now: RunRecord, differ: Differ): Problem[] {
  const before = judgeSettings(saved);
  if (before === null) return [];
  return [...(judgeSettings({ ...now, cases: saved.cases }) ?? [])]
    .filter(
      ([key, { from }]) => from === "flag" || from === "env" || (key === JUDGE_PROMPT && before.has(key)),
    )
    .flatMap(([key, { value }]) => differ(key, String(before.get(key)?.value), String(value)));
}

function caseDifferences(saved: RunRecord, now: RunRecord, differ: Differ): Problem[] {
  const today = new Map(now.cases.map(({ id, digest }) => [id, digest]));
  const before = new Set(saved.cases.map(({ id }) => id));
  const gone = saved.cases.flatMap(({ id, digest }) =>
    differ(`case ${id}`, digest, today.get(id) ?? "missing"),
  );
  const more = now.cases.filter(({ id }) => !before.has(id));
  return [...gone, ...more.flatMap(({ id, digest }) => differ(`case ${id}`, "not there", digest))];
}
