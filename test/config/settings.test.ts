import { expect, test } from "vitest";
import { parseConfig } from "../../src/core/config/file.ts";
import { ALL_FLAGS } from "../../src/core/config/flags.ts";
import type { RawValue } from "../../src/core/config/raw.ts";
import { resolveSettings } from "../../src/core/config/resolve.ts";
import { Settings } from "../../src/core/config/settings.ts";
import { formatProblem } from "../../src/core/nouns/problem.ts";
import { evalkit } from "../support/in-process.ts";
import { tempDir, writeFiles } from "../support/project.ts";

interface Given {
  readonly file?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, RawValue>>;
  readonly secrets?: boolean;
}

function resolve({ file, env = {}, flags = {}, secrets = true }: Given) {
  const given = Object.entries(flags).map(([name, raw]) => {
    const flag = ALL_FLAGS.find((one) => one.name === name);
    if (flag === undefined) throw new Error(`no flag ${name}`);
    return { flag, raw };
  });
  const config = file === undefined ? null : parseConfig("evalkit.yaml", file);
  return resolveSettings({ flags: given, env, file: config, secrets });
}
const told = (given: Given) => resolve(given).problems.map(formatProblem);
const first = (given: Given) => told(given).map((text) => text.split("\n")[0]);
const settingsOf = (given: Given) => {
  const { settings, problems } = resolve(given);
  if (settings === null) throw new Error(problems.map(formatProblem).join("\n"));
  return settings;
};

test("defaults are the contract's", () => {
  expect(settingsOf({})).toMatchObject({
    trials: 3,
    concurrency: 8,
    timeout: 120,
    retries: 4,
    stream: true,
    replay: "auto",
    profile: "layered",
    personality: "calm",
    tierDir: ".evalkit",
    userTier: false,
    cases: ["cases"],
    recordings: "recordings",
    reports: "reports",
    gate: { margin: 0.1, alpha: 0.05, coverage: 0.95, critical: true, undecided: "fail" },
  });
});

test("flag over environment over file over default, each setting alone, with its provenance", () => {
  const given = {
    file: "trials: 4\nbase-url: http://file/v1\ntierDir: .paicli/\nretries: 1\ngate: {margin: 0.2, allow-removed: [a]}\ntimeout: 7",
    env: {
      EVALKIT_TRIALS: "5",
      OPENAI_BASE_URL: "http://openai/v1",
      EVALKIT_MARGIN: "0.3",
      EVALKIT_RETRIES: "",
    },
    flags: { trials: "6", stream: false, filter: ["a,b", "{c,d}*"] },
  };
  const { settings, provenance } = resolve(given);
  expect(settings).toMatchObject({
    trials: 6,
    baseUrl: "http://openai/v1",
    tierDir: ".paicli",
    retries: 1,
    stream: false,
    filter: ["a", "b", "{c,d}*"],
    gate: { margin: 0.3, allowRemoved: ["a"], alpha: 0.05 },
  });
  const origin = Object.fromEntries(provenance.map(({ key, from, where }) => [key, [from, where]]));
  expect(origin).toMatchObject({
    trials: ["flag", "--trials"],
    stream: ["flag", "--no-stream"],
    "base-url": ["env", "OPENAI_BASE_URL"],
    "tier-dir": ["file", "evalkit.yaml:3"],
    "gate.margin": ["env", "EVALKIT_MARGIN"],
    "gate.allow-removed": ["file", "evalkit.yaml:5"],
    "gate.alpha": ["default", null],
    concurrency: ["default", null],
  });
});

test("EVALKIT_* comes before the names that other tools use", () => {
  const env = {
    EVALKIT_BASE_URL: "http://own/v1",
    OPENAI_BASE_URL: "http://other/v1",
    OPENAI_API_KEY: "k1",
    EVALKIT_API_KEY: "k2",
  };
  expect(settingsOf({ env })).toMatchObject({ baseUrl: "http://own/v1", apiKey: "k2" });
  expect(settingsOf({ env: { OPENAI_API_KEY: "k1" } }).apiKey).toBe("k1");
});

test("flag names and camelCase are one setting; both at once are refused", () => {
  expect(
    settingsOf({ file: "maxTokens: 5\nuser-tier: true\ncases: one\njudge: {base-url: http://j/v1}" }),
  ).toMatchObject({
    maxTokens: 5,
    userTier: true,
    cases: ["one"],
    judge: { baseUrl: "http://j/v1" },
  });
  expect(first({ file: "base-url: http://x\nbaseUrl: http://y" })).toEqual([
    "evalkit.yaml:2:1: error: baseUrl and base-url are the same setting (at baseUrl) [duplicate-key]",
  ]);
});

test("whatever is wrong in the file is told at once, with line, key and the nearest known key", () => {
  const file = `trails: 4
gate: {margn: 1, margin: 3, metrics: [taskCompletoin]}
limits: 3
prompts: ../x
request: {model: x}
prices: {m: {prompt: -1}}
seed: 1.5
base-ulr: x
trials: 3x
headers: {"a b": x}
tier-dir: /etc
`;
  expect(first({ file })).toEqual([
    'evalkit.yaml:1:1: error: unknown key "trails". Did you mean trials? (at trails) [unknown-key]',
    'evalkit.yaml:2:8: error: unknown key "margn". Did you mean margin? (at gate.margn) [unknown-key]',
    "evalkit.yaml:2:18: error: expected at most 1, got the number 3 (at gate.margin) [wrong-value]",
    'evalkit.yaml:2:39: error: expected one of toolCallAccuracy, toolCallF1, taskCompletion, turns, skillActivation, toolCalls, promptTokens, cachedTokens, completionTokens, seconds, cost, approvals, got the text "taskCompletoin". Did you mean taskCompletion? (at gate.metrics[0]) [wrong-value]',
    "evalkit.yaml:3:1: error: expected a map, got the number 3 (at limits) [wrong-type]",
    'evalkit.yaml:4:1: error: expected a relative path inside the project, without .., got the text "../x" (at prompts) [wrong-value]',
    "evalkit.yaml:5:1: error: request can't set model, messages or tools, got a map (at request) [wrong-value]",
    'evalkit.yaml:6:10: error: the key "completion" is missing; it takes a number (at prices.m.completion) [missing-key]',
    "evalkit.yaml:6:14: error: expected at least 0, got the number -1 (at prices.m.prompt) [wrong-value]",
    "evalkit.yaml:7:1: error: expected a whole number, got the number 1.5 (at seed) [wrong-type]",
    'evalkit.yaml:8:1: error: unknown key "base-ulr". Did you mean base-url? (at base-ulr) [unknown-key]',
    'evalkit.yaml:9:1: error: expected a number, got the text "3x" (at trials) [wrong-type]',
    'evalkit.yaml:10:11: error: expected the name of a header, got the key "a b" (at headers["a b"]) [wrong-value]',
    'evalkit.yaml:11:1: error: expected a relative path inside the project, without .., got the text "/etc" (at tier-dir) [wrong-value]',
  ]);
});

test("flags and variables are read whole and named in the message", () => {
  expect(first({ flags: { trials: "0" } })).toEqual([
    "error: expected at least 1, got the number 0 (at --trials) [wrong-value]",
  ]);
  expect(first({ flags: { trials: "abc" } })).toEqual([
    'error: expected a whole number, got "abc" (at --trials) [bad-setting]',
  ]);
  expect(first({ flags: { concurrency: "1e3" } })).toEqual([
    'error: expected a whole number, got "1e3" (at --concurrency) [bad-setting]',
  ]);
  expect(first({ flags: { margin: "1.5" } })).toEqual([
    "error: expected at most 1, got the number 1.5 (at --margin) [wrong-value]",
  ]);
  expect(first({ flags: { timeout: "0" } })).toEqual([
    "error: expected more than 0, got the number 0 (at --timeout) [wrong-value]",
  ]);
  expect(first({ flags: { undecided: "pss" } })[0]).toMatch(
    /got the text "pss"\. Did you mean pass\? \(at --undecided\)/,
  );
  expect(first({ flags: { "base-url": "localhost:1" } })[0]).toMatch(
    /http or https address.*\(at --base-url\)/,
  );
  expect(first({ flags: { "run-id": "../x" } })[0]).toMatch(/up to 100 letters.*\(at --run-id\)/);
  expect(first({ env: { EVALKIT_SEED: "x", EVALKIT_STREAM: "maybe" } })).toEqual([
    'error: expected a whole number, got "x" (at EVALKIT_SEED) [bad-setting]',
    'error: expected true or false, got "maybe" (at EVALKIT_STREAM) [bad-setting]',
  ]);
});

test("a mistyped variable is named, a foreign one is left alone", () => {
  expect(first({ env: { EVALKIT_TRAILS: "4", EVALKIT_MARK: "x" } })).toEqual([
    "warning: the environment variable EVALKIT_TRAILS means nothing. Did you mean EVALKIT_TRIALS? (at EVALKIT_TRAILS) [unknown-variable]",
  ]);
});

test("variables are filled in headers and keys only; secrets are masked in the provenance", () => {
  const file =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as people write it
    'headers: {Authorization: "Bearer ${K}", X-Team: a}\napi-key: ${K}\nmodel: ${K}\nrequest: {user: "${K}"}';
  const { settings, provenance, problems } = resolve({ file, env: { K: "s3cret" } });
  expect(settings).toMatchObject({
    headers: { Authorization: "Bearer s3cret", "X-Team": "a" },
    apiKey: "s3cret",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: stays as it is written
    model: "${K}",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: stays as it is written
    request: { user: "${K}" },
  });
  expect(problems.map(({ code, severity }) => [code, severity])).toEqual([["not-filled", "warning"]]);
  expect(JSON.stringify(provenance)).not.toContain("s3cret");
  expect(provenance.find(({ key }) => key === "headers")?.value).toEqual({
    Authorization: "***",
    "X-Team": "***",
  });
});

test("a missing variable names its key: an error where a model is called, else a warning", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as people write it
  const file = 'headers: {Authorization: "Bearer ${NOT_THERE}"}';
  expect(told({ file })).toEqual([
    "evalkit.yaml:1:1: error: the environment variable NOT_THERE is not set (at headers.Authorization) [missing-variable]\n  hint: set NOT_THERE, or take the value out of the config",
  ]);
  expect(resolve({ file, secrets: false })).toMatchObject({
    settings: { headers: {} },
    problems: [{ code: "missing-variable", severity: "warning" }],
  });
});

test("a secret written into the file is warned about, without quoting it", () => {
  const texts = told({ file: "api-key: sk-123456\nheaders: {X-Api-Key: abc123}" });
  expect(texts.map((text) => text.split(": ")[1])).toEqual(["warning", "warning"]);
  expect(texts.join()).not.toMatch(/sk-123456|abc123/);
});

test.each([
  ["", []],
  ["# nothing yet\n", []],
  ["a: b\n---\nc: d", ["bad-config", "unknown-key"]],
  ["- x", ["wrong-type"]],
  ["trials: 1\ntrials: 2", ["duplicate-key"]],
  ["a: !x y", ["bad-yaml"]],
])("config %j", (file, codes) => {
  expect(resolve({ file }).problems.map(({ code }) => code)).toEqual(codes);
});

test.each([
  [["--metrics", ""], "", "no run could ever pass (at --metrics)"],
  [[], "gate: {metrics: []}", "evalkit.yaml:1:8: error: no metric and no score of people is gated"],
  [["--retry-broken"], "", "only a resumed run has broken trials to run again (at --retry-broken)"],
  [
    ["--resume", "latest", "--run-id", "q"],
    "",
    'a resumed run keeps its own id: "q" can\'t be given to "latest" (at --run-id)',
  ],
])("what makes no sense together is told before anything is paid: %j %j", async (flags, config, expected) => {
  const cwd = tempDir();
  writeFiles(cwd, { "evalkit.yaml": config });
  const { code, out, err } = await evalkit(cwd, "run", ...flags);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(expected);
});

test("a personality may be named in any script, and stays a file's name", () => {
  const named = (personality: string) => Settings.safeParse({ personality }).success;
  expect(["calm", "тихий", "冷静", "très_calme", "no-1"].map(named)).toEqual([true, true, true, true, true]);
  expect(["", "..", "a/b", "a.md", "a b", "a\u202eb", "\u0301"].map(named)).not.toContain(true);
});
