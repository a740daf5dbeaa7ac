import { readdir } from "node:fs/promises";
import { fail } from "../../core/nouns/problem.ts";
import type { RequestSettings } from "../../core/reply/request.ts";
import type { Settings } from "../../core/config/settings.ts";
import { type Brought, recordingsOfBranch } from "../../io/branch-recordings.ts";
import { resolveCommit } from "../../io/git.ts";
import { isCi, trustedCommit } from "../../io/merge-target.ts";
import { createMask } from "../../io/mask.ts";
import { openAiModel, routeTo } from "../../io/openai-model.ts";
import type { CliIo } from "../command.ts";
import { type Project, recordingsDir } from "../../io/project.ts";
import { type RecordedModel, withRecordings } from "../../io/recordings.ts";
import { withManners } from "../../run/manners.ts";
import { withLimiter } from "../../run/limiter.ts";
import type { Clock, Model } from "../../run/ports.ts";
import { withRetries } from "../../run/retry.ts";

/** What the models of a run are built from. */
export interface ModelInput {
  readonly root: string;
  readonly settings: Settings;
  /** Headers that hold no secret, a part of the recordings' keys. */
  readonly openHeaders: Readonly<Record<string, string>>;
  readonly mask: (text: string) => string;
  /** Proxies stand there. */
  readonly env: CliIo["env"];
  readonly clock: Clock;
  /** Which recordings the branch under test brought; null outside of CI. */
  readonly brought: Brought | null;
  onWait(reason: string, seconds: number): void;
  /** Told why nothing more may be started: the judge is refused again and again. */
  stop(reason: string): void;
}

/** The sampling settings that go into each body and each recording's key. */
export function requestSettings(settings: Settings): RequestSettings {
  const { temperature, maxTokens, seed, stream, request } = settings;
  return { temperature, maxTokens, seed, stream, extra: request };
}

/** Whether a server can be asked at all: a key or an address is known. */
export function hasServer(settings: Pick<Settings, "apiKey" | "baseUrl">): boolean {
  return settings.apiKey !== null || settings.baseUrl !== null;
}

/**
 * The model under test: recordings in front of retries in front of an adaptive limit in front of the server. Without a
 * server, recordings alone are served.
 */
export async function testedModel(input: ModelInput): Promise<RecordedModel> {
  const { settings } = input;
  const replayOnly = settings.replay === "strict";
  const live =
    replayOnly || !hasServer(settings) ? null : await liveModel(input, requestSettings(settings), settings);
  return recorded(input, live, requestSettings(settings), input.openHeaders);
}

/** A model behind the recordings of a run; also the judge's. */
export function recorded(
  input: ModelInput,
  live: Model | null,
  request: RequestSettings,
  headers: ModelInput["openHeaders"],
): Promise<RecordedModel> {
  const { settings, mask, brought } = input;
  const dir = recordingsDir(input);
  return withRecordings(live, { dir, mode: settings.replay, settings: request, headers, mask, brought });
}

/** What the branch brought of a project's recordings, held against the baseline's commit: in CI, else null. */
export async function broughtRecordings(
  project: Pick<Project, "root" | "settings">,
  baseline: string | null,
  { env }: Pick<CliIo, "env">,
): Promise<Brought | null> {
  if (!isCi(env)) return null;
  const here = baseline === null ? null : await resolveCommit(project.root, baseline, env).catch(() => null);
  const commit = here ?? (await trustedCommit(project.root, env));
  return recordingsOfBranch(recordingsDir(project), project.root, commit, env);
}

/** A live model with its retries and its limit; also the judge's. */
export async function liveModel(
  input: ModelInput,
  request: RequestSettings,
  server: Pick<Settings, "baseUrl" | "apiKey">,
): Promise<Model> {
  const { settings, clock, mask, env } = input;
  const model = await openAiModel({
    baseUrl: server.baseUrl,
    apiKey: server.apiKey,
    // Headers hold credentials: they go to the server they were set for and to no other.
    headers: server.baseUrl === settings.baseUrl ? settings.headers : {},
    timeoutSeconds: settings.timeout,
    settings: request,
    mask,
    env,
  });
  const limited = withLimiter(withManners(model), { concurrency: settings.concurrency, clock });
  return withRetries(limited, {
    retries: settings.retries,
    clock,
    random: Math.random,
    onWait: input.onWait,
  });
}

/**
 * Throws InputError that says what to set where neither a server nor recordings can answer, or where an address is none:
 * before a run is made.
 */
export async function checkAnswerable(
  project: Pick<Project, "root" | "settings">,
  env: CliIo["env"],
): Promise<void> {
  const { settings } = project;
  if (settings.replay === "strict") return;
  if (hasServer(settings)) return void routeTo({ baseUrl: settings.baseUrl, env, mask: createMask(env) });
  const recorded = await hasRecordings(recordingsDir(project));
  if (settings.replay === "auto" && recorded) return;
  const recordings = recorded
    ? `--replay ${settings.replay} asks the server for every reply`
    : `there are no recordings in ${settings.recordings}/`;
  fail(
    "no-server",
    { key: "base-url" },
    `no model server is known, and ${recordings}`,
    "set OPENAI_API_KEY, or OPENAI_BASE_URL (--base-url) for another server",
  );
}

async function hasRecordings(dir: string): Promise<boolean> {
  return readdir(dir).then(
    (names) => names.some((name) => name.endsWith(".jsonl")),
    () => false,
  );
}
