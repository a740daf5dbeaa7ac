import { PASS_METRICS } from "../compare/metric-kind.ts";
import type { ArmRecord, RunRecord } from "../nouns/run.ts";
import { ARMS, type Arm } from "../nouns/score.ts";
import { count } from "../text/count.ts";
import { figure } from "../text/figures.ts";
import { NO_DATA } from "./figures.ts";
import type { ArmSummary, Comparison, Summary } from "../nouns/summary.ts";

/** A case that passed in one arm and fails in the other, and by which of the two pass metrics. */
export interface ChangedCase {
  readonly id: string;
  readonly to: "fail" | "pass";
  readonly metrics: readonly Comparison["metric"][];
}

/** Cases that changed sides by task completion or tool-call accuracy: regressions first, then by id. */
export function changedCases(summary: Summary): readonly ChangedCase[] {
  const compared = summary.comparisons.filter((one) => PASS_METRICS.some((metric) => metric === one.metric));
  const side = (to: "fail" | "pass"): ChangedCase[] => {
    const idsOf = (one: Comparison) => (to === "fail" ? one.passToFail : one.failToPass);
    const ids = [...new Set(compared.flatMap(idsOf))].sort();
    return ids.map((id) => ({
      id,
      to,
      metrics: compared.filter((one) => idsOf(one).includes(id)).map((one) => one.metric),
    }));
  };
  return [...side("fail"), ...side("pass")];
}

/** What to say where no case changed: that none did, or that nobody can know. */
export function unchangedWords(summary: Summary): string {
  const known = summary.comparisons.some(
    (one) => one.cases > 0 && PASS_METRICS.some((metric) => metric === one.metric),
  );
  return known
    ? "No case changed from pass to fail or from fail to pass."
    : "Changed cases: no data, since no case has a verdict in both versions.";
}

/** An arm in a few words: what was typed, the short commit, and whether files were changed beside it. */
export function armWords(arm: ArmRecord): { readonly variant: string; readonly commit: string | null } {
  const commit = arm.commit === null ? null : arm.commit.slice(0, 7);
  return {
    variant: arm.variant,
    commit: commit === null ? null : arm.dirty ? `${commit}, with changes not committed` : commit,
  };
}

/** Names of the models under test, and how many of the trials that ended are recordings of them, whole or in part. */
export interface ModelWords {
  readonly names: readonly string[];
  readonly replayed: number;
  readonly partly: number;
  readonly trials: number;
  /** Whether any model was asked: the ones under test or a judge. */
  readonly asked: boolean;
}

/** Counts what a report says of the models. */
export function modelWords(record: RunRecord, summary: Summary): ModelWords {
  const names = ARMS.flatMap((arm) => modelOf(record, arm) ?? []);
  const arms = ARMS.flatMap((arm) => summary.arms[arm] ?? []);
  const replayed = total(arms, (arm) => arm.replayed ?? 0);
  const trials = total(arms, ({ trials: { finished, stopped } }) => finished + stopped);
  const partly = total(arms, (arm) => arm.partlyReplayed ?? 0);
  const asked = arms.some((arm) => arm.asked !== false);
  return { names: [...new Set(names)], replayed, partly, trials, asked };
}

/** Whether results came from outside of evalkit: arms of evalkit's own runs have digests, compared across runs too. */
export function madeElsewhere(record: RunRecord): boolean {
  return record.kind === "import" && ARMS.every((arm) => (record.arms[arm]?.digest ?? null) === null);
}

/** The sentence that names the models; recordings are never passed off as live replies, nor live ones as recordings. */
export function modelSentence({ names, replayed, partly, trials, asked }: ModelWords): string {
  const name = names.length === 0 ? "not recorded" : names.join(" and ");
  if (replayed + partly === 0) return name;
  if (replayed >= trials) return `recordings of ${name}${asked ? "" : "; no model was called"}`;
  const parts = partly === 0 ? "" : `, ${partly} partly`;
  return `${name}; ${replayed} of ${count(trials, "trial")} are recordings of it${parts}`;
}

function modelOf(record: RunRecord, arm: Arm): string | null {
  const own = record.arms[arm];
  return own === null ? null : (own.model ?? record.model.name);
}

function total(arms: readonly ArmSummary[], value: (arm: ArmSummary) => number): number {
  return arms.reduce((sum, arm) => sum + value(arm), 0);
}

/** What judging the arms took: `apart from the agent's tokens and cost: baseline 6 calls, …`. Null where no judge was asked. */
export function judgeWords({ arms }: Summary): string | null {
  const parts = ARMS.flatMap((arm) => {
    const judge = arms[arm]?.judge ?? null;
    if (judge === null) return [];
    const { calls, unparsable, tokens, cost } = judge;
    const none = unparsable === 0 ? "" : ` (${unparsable} without a verdict)`;
    const used = `${whole(tokens.prompt)} prompt and ${whole(tokens.completion)} completion tokens`;
    return [`${arm} ${count(calls, "call")}${none}, ${used}, cost ${cost === null ? NO_DATA : figure(cost)}`];
  });
  return parts.length === 0 ? null : `apart from the agent's tokens and cost: ${parts.join("; ")}`;
}

function whole(value: number | null): string {
  return value === null ? NO_DATA : value.toFixed(0);
}

/** How an arm's trials ended: `60 planned: 58 finished, 2 broken (timeout 2)`. What is 0 is left out, but for finished. */
export function trialWords(arm: ArmSummary): string {
  const { planned, finished, stopped, broken } = arm.trials;
  const kinds = Object.entries(arm.brokenKinds).map(([kind, n]) => `${kind} ${n}`);
  const never = planned - finished - stopped - broken;
  const parts = [
    `${finished} finished`,
    ...(stopped > 0 ? [`${stopped} stopped at a limit`] : []),
    ...(broken > 0 ? [`${broken} broken${kinds.length === 0 ? "" : ` (${kinds.join(", ")})`}`] : []),
    ...(never > 0 ? [`${never} never ran`] : []),
  ];
  return `${planned} planned: ${parts.join(", ")}`;
}
