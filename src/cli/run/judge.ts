import type { Settings } from "../../core/config/settings.ts";
import type { RequestSettings } from "../../core/reply/request.ts";
import type { RecordedModel } from "../../io/recordings.ts";
import { type Judge, modelJudge } from "../../run/judge.ts";
import { withRefusalStop } from "../../run/refusals.ts";
import { hasServer, liveModel, type ModelInput, recorded } from "./model.ts";

/** A judge and the recordings it is replayed from. */
export interface RunJudge {
  readonly judge: Judge;
  readonly model: RecordedModel;
}

/** The judge of a run, or null where the settings name none: judge checks are then not scored. */
export async function runJudge(input: ModelInput): Promise<RunJudge | null> {
  const { settings } = input;
  const { model: name, votes } = settings.judge;
  if (name === null) return null;
  const server = judgeServer(settings);
  const request = judgeRequest(settings);
  const live =
    settings.replay === "strict" || !hasServer(server)
      ? null
      : withRefusalStop(await liveModel(input, request, server), settings.concurrency, input.stop);
  const model = await recorded(
    input,
    live,
    request,
    settings.judge.baseUrl === null ? input.openHeaders : {},
  );
  return { judge: modelJudge(model, { model: name, votes }), model };
}

/** What is sent with each judgement: the judge's own sampling, nothing of the run's. */
export function judgeRequest(settings: Settings): RequestSettings {
  const { temperature, maxTokens } = settings.judge;
  return { temperature, maxTokens, seed: settings.seed, stream: settings.stream, extra: {} };
}

function judgeServer(settings: Settings): Pick<Settings, "baseUrl" | "apiKey"> {
  const { baseUrl, apiKey } = settings.judge;
  return baseUrl === null
    ? { baseUrl: settings.baseUrl, apiKey: apiKey ?? settings.apiKey }
    : { baseUrl, apiKey };
}
