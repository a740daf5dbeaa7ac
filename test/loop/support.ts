import { CaseInput } from "../../src/core/nouns/case.ts";
import type { Case } from "../../src/core/nouns/case.ts";
import type { TrialLine } from "../../src/core/nouns/run.ts";
import type { Reply, ToolCall } from "../../src/core/nouns/transcript.ts";
import type { Delivery, Profile, Skill, Variant } from "../../src/core/nouns/variant.ts";
import { systemClock } from "../../src/io/clock.ts";
import { sha256 } from "../../src/io/digest.ts";
import { openAiModel } from "../../src/io/openai-model.ts";
import type { Model, ModelRequest } from "../../src/run/ports.ts";
import { runTrial, type TrialDeps } from "../../src/run/trial.ts";
import { type Stub, type StubAnswer, type StubHandler, startStub } from "../support/stub-server.ts";

/** A case as its YAML would say it. */
export function caseOf(input: object = {}): Case {
  const parsed = CaseInput.parse({ turns: [{ user: "Hello." }], ...input });
  const id = parsed.id ?? "case";
  return { ...parsed, id, title: parsed.title ?? id, source: { file: "cases/case.yaml", line: 1 } };
}

export function skillOf(name: string, over: Partial<Skill> = {}): Skill {
  return {
    name,
    description: `About ${name}`,
    tags: [],
    tier: "builtin",
    file: `skills/${name}/SKILL.md`,
    replaces: [],
    body: `Body of ${name}.`,
    files: [],
    enabled: true,
    digest: sha256(name),
    ...over,
  };
}

interface VariantParts {
  readonly skills?: readonly Skill[];
  readonly layers?: Readonly<Record<string, string>>;
  readonly profile?: Profile;
  readonly delivery?: Delivery;
}

const LAYERS = {
  "base.md": "You are an agent.\n\n## Language\n\nAnswer in English.",
  "modes/agent.md": "## Mode: agent",
  "modes/plan.md": "## Mode: plan",
  "modes/planner.md": "## Mode: planner",
  "modes/team-planner.md": "## Mode: team planner",
  "modes/team-worker.md": "## Mode: team worker",
  "modes/team-reviewer.md": "## Mode: team reviewer",
};

export function variantOf(parts: VariantParts = {}): Variant {
  const layers = Object.entries({ ...LAYERS, ...parts.layers }).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    label: "worktree",
    source: { kind: "worktree", commit: null, dirty: false },
    profile: parts.profile ?? "layered",
    delivery: parts.delivery ?? "next-user-message",
    model: null,
    personality: "calm",
    layers: layers.map(([path, text]) => ({
      path,
      tier: "builtin",
      file: `prompts/${path}`,
      replaces: [],
      text,
      bytes: text.length,
      digest: sha256(text),
    })),
    skills: parts.skills ?? [],
    skillCounts: { found: 0, loaded: 0, refused: 0 },
    notes: [],
    digest: sha256("variant"),
  };
}

/** What a test sets apart from the usual. */
export type Over = Partial<TrialDeps> & { readonly variant?: Variant; readonly trial?: number };

/** Runs one trial against a model behind the port. */
export function trialWith(model: Model, item: Case, over: Over = {}): Promise<TrialLine> {
  const { variant = variantOf(), trial = 1, ...deps } = over;
  return runTrial(
    { key: { case: item.id, arm: "baseline", trial }, case: item },
    { arm: "baseline", variant, model: "stub-model", salt: "" },
    {
      model,
      judge: null,
      clock: systemClock,
      digest: sha256,
      limits: { turns: 20, tokens: null, trialSeconds: null },
      prices: {},
      signal: new AbortController().signal,
      keepText: () => undefined,
      ...deps,
    },
  );
}

/** A live model on a stub server. */
export async function stubModel(
  script: StubHandler | readonly StubAnswer[],
): Promise<{ stub: Stub; model: Model }> {
  const stub = await startStub(script);
  const model = await openAiModel({
    baseUrl: stub.url,
    apiKey: null,
    headers: {},
    timeoutSeconds: 20,
    settings: { temperature: null, maxTokens: null, seed: null, stream: false, extra: {} },
    mask: (text) => text,
  });
  return { stub, model };
}

/** Runs one trial over real HTTP; gives the line and what the server saw. */
export async function trialOver(
  script: StubHandler | readonly StubAnswer[],
  item: Case,
  over: Over = {},
): Promise<{ line: TrialLine; stub: Stub }> {
  const { stub, model } = await stubModel(script);
  return { line: await trialWith(model, item, over), stub };
}

/** A reply at the port. */
export function replyOf(
  over: Partial<Omit<Reply, "calls">> & { calls?: readonly Partial<ToolCall>[] } = {},
): Reply {
  const calls = (over.calls ?? []).map((call, at) => ({ id: `c${at}`, name: "f", arguments: "{}", ...call }));
  return {
    content: "",
    reasoning: "",
    finish: null,
    usage: { prompt: 10, cached: 0, completion: 5, reasoning: 0 },
    model: null,
    notes: [],
    ...over,
    calls,
  };
}

/** A model at the port that gives scripted replies; the requests are kept as they were sent. */
export function scripted(
  script: readonly Reply[] | ((request: ModelRequest, number: number) => Reply),
): Model & {
  requests: ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async call(request) {
      requests.push(request);
      const number = requests.length - 1;
      const reply = typeof script === "function" ? script(request, number) : script[number];
      if (reply === undefined) throw new Error(`no reply ${number}`);
      return { ok: true, reply, raw: null, ms: 5, attempts: 1, replayed: false };
    },
  };
}

/** Results of the tool calls of a line, in order. */
export function resultsOf(line: TrialLine): readonly string[] {
  return line.events.flatMap((event) => (event.type === "tool" ? [event.result] : []));
}

/** Value of a metric, or the reason why there is none. */
export function metric(line: TrialLine, name: keyof TrialLine["scores"]): number | string | undefined {
  const score = line.scores[name];
  return score?.status === "scored" ? score.value : score?.reason;
}
