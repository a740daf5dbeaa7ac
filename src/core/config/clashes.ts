import { type Problem, problem } from "../nouns/problem.ts";
import { settingName } from "./keys.ts";
import type { Pick } from "./pick.ts";
import type { Settings } from "./settings.ts";

/** Settings that are right alone and make no sense together. */
export function clashesOf(settings: Settings, picks: readonly Pick[]): Problem[] {
  const given = new Map(picks.map((pick) => [settingName(pick.path), pick]));
  return [...nothingGated(settings, given), ...resumeClashes(settings, given)];
}

/** A gate over nothing can't pass: better said before the run is paid for than after it. */
function nothingGated({ gate }: Settings, given: ReadonlyMap<string, Pick>): Problem[] {
  if (gate.metrics.length > 0 || gate.human.length > 0) return [];
  return [
    problem(
      "nothing-gated",
      given.get("gate.metrics")?.where ?? { key: "gate.metrics" },
      "no metric and no score of people is gated: no run could ever pass",
      "name at least one metric, or gate.human",
    ),
  ];
}

function resumeClashes(settings: Settings, given: ReadonlyMap<string, Pick>): Problem[] {
  const { resume, runId } = settings;
  const [named, retried] = [given.get("run-id"), given.get("retry-broken")];
  if (resume === null) {
    if (retried?.from !== "flag" || !settings.retryBroken) return [];
    return [
      problem(
        "no-resume",
        retried.where,
        "only a resumed run has broken trials to run again",
        "add --resume RUN, such as --resume latest",
      ),
    ];
  }
  if (named === undefined || runId === null || resume.replace(/[\\/]+$/, "").endsWith(runId)) return [];
  return [
    problem(
      "resumed-id",
      named.where,
      `a resumed run keeps its own id: ${JSON.stringify(runId)} can't be given to ${JSON.stringify(resume)}`,
      "leave out one of the two",
    ),
  ];
}
