import { join } from "node:path";
import type { Case } from "../../src/core/nouns/case.ts";
import type { TrialLine } from "../../src/core/nouns/run.ts";
import type { Variant } from "../../src/core/nouns/variant.ts";
import { systemClock } from "../../src/io/clock.ts";
import { sha256 } from "../../src/io/digest.ts";
import { openAiModel } from "../../src/io/openai-model.ts";
import { loadCases, loadProject } from "../../src/io/project.ts";
import { openVariant } from "../../src/io/variants.ts";
import { runTrial } from "../../src/run/trial.ts";
import { readScripts, type Script, startObedient, type Temper } from "../support/obedient-server.ts";

export const root = join(import.meta.dirname, "../..");
export const scripts: readonly Script[] = readScripts(join(import.meta.dirname, "scripts"));

/** The shipped cases, sorted by id. */
export async function shippedCases(): Promise<readonly Case[]> {
  const project = await loadProject({ cwd: root, env: {} });
  return (await loadCases(project)).cases;
}

/** Prompts and skills of a folder (default: the shipped ones). */
export function variantOf(folder = "."): Promise<Variant> {
  return openVariant(root, `dir:${folder}`, {
    prompts: "prompts",
    skills: "skills",
    profile: "layered",
    delivery: null,
    personality: "calm",
    tierDir: ".evalkit",
    userDir: null,
    env: {},
  });
}

/** One trial a case, through a real server that plays the scripts; the lines by case id. */
export async function play(
  temper: Temper,
  cases: readonly Case[],
  variant: Variant,
): Promise<Map<string, TrialLine>> {
  const openings = new Map(cases.map((one) => [one.id, one.turns[0]?.user ?? ""]));
  const stub = await startObedient(temper, scripts, openings);
  const model = await openAiModel({
    baseUrl: stub.url,
    apiKey: null,
    headers: {},
    timeoutSeconds: 20,
    settings: { temperature: 0, maxTokens: null, seed: null, stream: false, extra: {} },
    mask: (text) => text,
  });
  const trial = (one: Case): Promise<TrialLine> =>
    runTrial(
      { key: { case: one.id, arm: "candidate", trial: 1 }, case: one },
      { arm: "candidate", variant, model: "stub-model", salt: "" },
      {
        model,
        judge: null,
        clock: systemClock,
        digest: sha256,
        limits: { turns: 20, tokens: null, trialSeconds: null },
        prices: {},
        signal: new AbortController().signal,
        keepText: () => undefined,
      },
    );
  const lines = await Promise.all(cases.map(async (one) => [one.id, await trial(one)] as const));
  await stub.close();
  return new Map(lines);
}

const SHARES = ["toolCallAccuracy", "taskCompletion", "skillActivation"] as const;

/** Every check of a trial that failed, in words; empty: all that is scored has full marks. */
export function faults(line: TrialLine | undefined): string[] {
  if (line === undefined) return ["no trial"];
  if (line.status === "broken") return [JSON.stringify(line.outcome)];
  const ended = line.outcome.status === "stopped" ? [`stopped: ${line.outcome.message}`] : [];
  const failed = SHARES.flatMap((metric) => {
    const score = line.scores[metric];
    if (score?.status !== "scored" || score.value === 1) return [];
    const details = score.evidence
      .filter(({ passed }) => !passed)
      .map(({ check, detail }) => `${check}: ${detail}`);
    return [`${metric} ${score.value} ${details.join("; ")}`];
  });
  return [...ended, ...failed];
}
