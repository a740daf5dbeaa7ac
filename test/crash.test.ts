import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  type CliResult,
  cleanEnv,
  cli,
  commit,
  repository,
  startCli,
  tempDir,
  writeFiles,
} from "./support/project.ts";
import { fault, reply, type Stub, type StubHandler, startStub } from "./support/stub-server.ts";

const LANGUAGE = "\n## Language\n\nAnswer in English.\n";
const CASES = Array.from(
  { length: 5 },
  (_, n) => `id: wish-${n}
turns: [{ user: "Wish ${n}: make it bright." }]
tools:
  - name: light
    description: Switches the light.
    parameters: { type: object, properties: { state: { enum: [on, off] } }, required: [state] }
    results: [{ return: done }]
expect:
  tools: { calls: [{ name: light, args: { state: on } }] }
  completion: [{ answer: { contains: bright } }]
`,
).join("---\n");
const PROJECT = {
  "prompts/base.md": `You run a home.${LANGUAGE}`,
  "cases/wishes.yaml": CASES,
  "evalkit.yaml": "model: stub-model\nretries: 0\nreplay: off\ngate: { metrics: [toolCallAccuracy] }\n",
};
const BETTER = { "prompts/base.md": `You run a home. RULE: bright means light on.${LANGUAGE}` };
const TRIALS = 30;
const RUN = ["run", "--baseline", "main", "--candidate", "better", "--quiet"];
const serverOf = (url: string) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: "stub-key-0123456789" });
const project = () => repository(PROJECT, { better: BETTER });

/** Its replies depend on the request alone, so that any two runs are the same but for their times. */
const obedient: StubHandler = ({ body }) => {
  const [system] = body.messages ?? [];
  if (body.messages?.at(-1)?.role === "tool") return reply("It is bright now. \u2028 So it is.");
  const knows = system?.content.includes("RULE") === true;
  return reply({ calls: [{ name: "light", arguments: { state: knows ? "on" : "off" } }] });
};

/** Random numbers from a seed (mulberry32): each round is the same whenever it is run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const wholeLines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
const keyOf = (line: string): string => {
  const { case: id, arm, trial } = JSON.parse(line);
  return `${id} ${arm} ${trial}`;
};
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));

/** A trial line without what a clock or a race decides. */
function timeless(line: string): unknown {
  const { seconds, startedAt, scores, events, ...rest } = JSON.parse(line);
  const { seconds: _, ...timelessScores } = scores;
  return {
    ...rest,
    scores: timelessScores,
    events: events.map(({ ms, ...event }: { ms?: number }) => event),
  };
}

/** A summary without times and names of runs. */
function timelessSummary(dir: string) {
  const { runId, arms, comparisons, ...rest } = readJson(dir, "summary.json");
  const arm = ({ metrics: { seconds, ...metrics }, ...other }: { metrics: { seconds: unknown } }) => ({
    ...other,
    metrics,
  });
  return {
    ...rest,
    arms: { baseline: arm(arms.baseline), candidate: arm(arms.candidate) },
    comparisons: comparisons.filter((one: { metric: string }) => one.metric !== "seconds"),
  };
}

const byKey = (lines: readonly string[]) =>
  new Map(
    [...lines].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).map((line) => [keyOf(line), timeless(line)]),
  );

let undisturbed: Promise<string> | null = null;
/** The folder of a run that nobody disturbed; run once for all tests. */
function wholeRun(): Promise<string> {
  undisturbed ??= (async () => {
    const stub = await startStub(obedient);
    const cwd = project();
    const run = await cli([...RUN, "--run-id", "whole"], { cwd, env: serverOf(stub.url) });
    expect({ code: run.code, stderr: run.stderr }).toMatchObject({ code: 0 });
    return join(cwd, "reports/whole");
  })();
  return undisturbed;
}

/** Starts a run in a shell of its own, whose limits can be set beforehand. */
function inShell(script: string, options: { cwd: string; env: Record<string, string>; uid?: number }) {
  const bin = join(import.meta.dirname, "../dist/bin.js");
  const child = spawn("sh", ["-c", script, "sh", process.execPath, bin], {
    cwd: options.cwd,
    env: { ...cleanEnv(options.env), HOME: options.cwd },
    stdio: ["ignore", "pipe", "pipe"],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  const texts = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    texts.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    texts.stderr += text;
  });
  return new Promise<CliResult>((done) => {
    child.on("close", (code, signal) => done({ code, signal, ...texts }));
  });
}

test.each([1, 2, 3, 4, 5, 6])(
  "killed again and again at random moments (seed %i): nothing that was finished is lost or touched, and the end is that of a run never disturbed",
  async (seed) => {
    const random = seeded(seed);
    const cwd = project();
    const dir = join(cwd, "reports/r");
    const file = join(dir, "trials.jsonl");
    let alive: ReturnType<typeof startCli> | null = null;
    let killAt = Number.POSITIVE_INFINITY;
    let calls = 0;
    const stub = await startStub(async (request, n) => {
      calls += 1;
      if (calls === killAt) alive?.kill("SIGKILL");
      return { ...(await obedient(request, n)), delayMs: Math.floor(random() * 12) };
    });
    const env = serverOf(stub.url);
    let before: string[] = [];
    for (let life = 0; life < 3; life += 1) {
      calls = 0;
      // Half of the kills hit a moment of the conversation, half any moment at all: start-up, reports, the end.
      killAt = life % 2 === seed % 2 ? 1 + Math.floor(random() * 30) : Number.POSITIVE_INFINITY;
      const known = existsSync(join(dir, "run.json"));
      alive = startCli(
        known ? ["run", "--resume", "r", "--quiet", "-j", "8"] : [...RUN, "--run-id", "r", "-j", "8"],
        {
          cwd,
          env,
        },
      );
      const own = alive;
      if (killAt === Number.POSITIVE_INFINITY) {
        void delay(200 + random() * 1500).then(() => own.kill("SIGKILL"));
      }
      await own.done;
      const lines = wholeLines(file);
      expect(lines.slice(0, before.length)).toEqual(before);
      before = lines;
      if (!known && !existsSync(join(dir, "run.json"))) execFileSync("rm", ["-rf", dir]);
    }
    killAt = Number.POSITIVE_INFINITY;
    const last = existsSync(join(dir, "run.json"))
      ? ["run", "--resume", "r", "--quiet"]
      : [...RUN, "--run-id", "r"];
    const end = await cli(last, { cwd, env });

    expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code: 0 });
    const lines = wholeLines(file);
    expect(lines.slice(0, before.length)).toEqual(before);
    expect(new Set(lines.map(keyOf)).size).toBe(TRIALS);
    expect(lines).toHaveLength(TRIALS);
    const whole = await wholeRun();
    expect(byKey(lines)).toEqual(byKey(wholeLines(join(whole, "trials.jsonl"))));
    expect(timelessSummary(dir)).toEqual(timelessSummary(whole));
    expect(readFileSync(join(dir, "report.md"), "utf8").length).toBeGreaterThan(1000);
    expect(existsSync(join(dir, "lock"))).toBe(false);
  },
);

/** A run cut off after `kept` of its trials, as a crash leaves it. */
async function cutOff(kept: number, tail = ""): Promise<{ cwd: string; dir: string; before: string[] }> {
  const whole = await wholeRun();
  const cwd = project();
  const dir = join(cwd, "reports/r");
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    join(dir, "run.json"),
    readFileSync(join(whole, "run.json"), "utf8").replaceAll('"whole"', '"r"'),
  );
  const before = wholeLines(join(whole, "trials.jsonl")).slice(0, kept);
  writeFileSync(join(dir, "trials.jsonl"), before.map((line) => `${line}\n`).join("") + tail);
  return { cwd, dir, before };
}

test.each([
  { name: "half a line", tail: (next: string) => next.slice(0, 200), more: 20 },
  { name: "half a character", tail: () => '{"case":"\u00e9'.slice(0, 10), more: 20 },
  { name: "zeros, as after a power cut", tail: () => "\0".repeat(5000), more: 20 },
  { name: "a whole line without its end", tail: (next: string) => next, more: 19 },
  { name: "a long torn line", tail: (next: string) => next.slice(0, -2).repeat(400), more: 20 },
])(
  "a torn last line ($name) is mended: what is whole counts, the rest is run again",
  async ({ tail, more }) => {
    const stub = await startStub(obedient);
    const next = wholeLines(join(await wholeRun(), "trials.jsonl"))[10] ?? "";
    const { cwd, dir, before } = await cutOff(10, tail(next));
    const end = await cli(["run", "--resume", "r", "--quiet"], { cwd, env: serverOf(stub.url) });
    expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code: 0 });
    const lines = wholeLines(join(dir, "trials.jsonl"));
    expect(lines.slice(0, 10)).toEqual(before);
    expect(new Set(lines.map(keyOf)).size).toBe(TRIALS);
    expect(lines).toHaveLength(TRIALS);
    expect(stub.requests).toHaveLength(more * 2);
    expect(timelessSummary(dir)).toEqual(timelessSummary(await wholeRun()));
  },
);

test("a line that is no trial in the middle of a run is named by file and line, and nothing is thrown away", async () => {
  const { cwd, dir, before } = await cutOff(10);
  const file = join(dir, "trials.jsonl");
  writeFileSync(file, [...before.slice(0, 4), "{ not json", ...before.slice(4), ""].join("\n"));
  const bytes = readFileSync(file, "utf8");
  const end = await cli(["run", "--resume", "r"], { cwd, env: serverOf("http://127.0.0.1:9/v1") });
  expect(end.code).toBe(2);
  expect(end.stderr).toContain("trials.jsonl:5");
  expect(readFileSync(file, "utf8")).toBe(bytes);
  expect(existsSync(join(dir, "lock"))).toBe(false);
});

/** The number of a process that has just ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await new Promise((done) => child.on("close", done));
  return child.pid ?? 0;
}

test.each([
  { name: "of a process that is gone", lock: async () => JSON.stringify(await deadPid()) },
  {
    name: "of a process whose number another one has been given",
    lock: async () =>
      JSON.stringify({ pid: process.pid, host: execFileSync("hostname").toString().trim(), start: "1" }),
  },
  { name: "that makes no sense", lock: async () => "what?" },
])("a lock $name is taken over", async ({ lock }) => {
  const stub = await startStub(obedient);
  const { cwd, dir } = await cutOff(20);
  writeFileSync(join(dir, "lock"), await lock());
  const end = await cli(["run", "--resume", "r", "--quiet"], { cwd, env: serverOf(stub.url) });
  expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code: 0 });
  expect(wholeLines(join(dir, "trials.jsonl"))).toHaveLength(TRIALS);
  expect(readdirSync(dir).filter((name) => name.includes("lock"))).toEqual([]);
});

test("a lock of another machine is not taken over, and what to do is said", async () => {
  const { cwd, dir, before } = await cutOff(20);
  writeFileSync(join(dir, "lock"), JSON.stringify({ pid: 1, host: "elsewhere", start: "5" }));
  const end = await cli(["run", "--resume", "r"], { cwd, env: serverOf("http://127.0.0.1:9/v1") });
  expect(end.code).toBe(2);
  expect(end.stderr).toContain("elsewhere");
  expect(end.stderr).toContain(join(dir, "lock"));
  expect(wholeLines(join(dir, "trials.jsonl"))).toEqual(before);
});

test("several resumes at once over a dead lock: one runs, the others are refused, and no trial is run twice", async () => {
  const stub = await startStub(async (request, n) => ({ ...(await obedient(request, n)), delayMs: 60 }));
  const { cwd, dir, before } = await cutOff(2);
  writeFileSync(join(dir, "lock"), JSON.stringify(await deadPid()));
  const runs = Array.from({ length: 4 }, () =>
    cli(["run", "--resume", "r", "--quiet", "--retry-broken", "-j", "1"], { cwd, env: serverOf(stub.url) }),
  );
  const ends = await Promise.all(runs);
  expect(ends.map(({ code }) => code).sort()).toEqual([0, 2, 2, 2]);
  for (const { code, stderr } of ends) if (code === 2) expect(stderr).toContain("run-in-use");
  const lines = wholeLines(join(dir, "trials.jsonl"));
  expect(lines.slice(0, 2)).toEqual(before);
  expect(lines).toHaveLength(TRIALS);
  expect(stub.requests).toHaveLength((TRIALS - 2) * 2);
});

test("--retry-broken leaves a run alone that another process is writing to", async () => {
  const stub = await startStub((_, n) => (n < 8 ? fault(500, "boom") : { hang: true }));
  const cwd = project();
  const first = startCli([...RUN, "--run-id", "r", "-j", "8"], { cwd, env: serverOf(stub.url) });
  const file = join(cwd, "reports/r/trials.jsonl");
  while (wholeLines(file).length < 8 || stub.requests.length < 16) await delay(20);
  const bytes = readFileSync(file, "utf8");
  const second = await cli(["run", "--resume", "r", "--retry-broken"], { cwd, env: serverOf(stub.url) });
  expect(second.code).toBe(2);
  expect(second.stderr).toContain("run-in-use");
  expect(readFileSync(file, "utf8")).toBe(bytes);
  expect(existsSync(join(cwd, "reports/r/broken.jsonl"))).toBe(false);
  first.kill("SIGTERM");
  expect((await first.done).code).toBe(130);
});

test("--retry-broken does not touch a byte of the trials that are fine", async () => {
  let sick = true;
  const stub = await startStub((request, n) =>
    sick && n % 4 === 0 ? fault(500, "boom") : obedient(request, n),
  );
  const cwd = project();
  await cli([...RUN, "--run-id", "r"], { cwd, env: serverOf(stub.url) });
  const lines = wholeLines(join(cwd, "reports/r/trials.jsonl"));
  const fine = lines.filter((line) => JSON.parse(line).status === "finished");
  expect(fine.length).toBeLessThan(TRIALS);
  sick = false;
  const again = await cli(["run", "--resume", "r", "--retry-broken"], { cwd, env: serverOf(stub.url) });
  expect(again.code).toBe(0);
  expect(wholeLines(join(cwd, "reports/r/trials.jsonl")).slice(0, fine.length)).toEqual(fine);
  expect(wholeLines(join(cwd, "reports/r/broken.jsonl"))).toEqual(
    lines.filter((line) => JSON.parse(line).status === "broken"),
  );
  expect(timelessSummary(join(cwd, "reports/r"))).toEqual(timelessSummary(await wholeRun()));
});

/** Answers six trials, lets four calls hang, then asks everybody to wait for ten minutes. */
function sickServer(): Promise<Stub> {
  return startStub((request, n) => {
    if (n < 12) return obedient(request, n);
    return n < 16 ? { hang: true } : fault(429, "slow down", {}, { "retry-after": "600" });
  });
}

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s while calls hang and others wait to be tried again: it ends, 130, with a report of what is there",
  async (signal) => {
    const stub = await sickServer();
    const cwd = project();
    const run = startCli([...RUN, "--run-id", "r", "-j", "8", "--retries", "9"], {
      cwd,
      env: serverOf(stub.url),
    });
    while (stub.requests.length < 17) await delay(20);
    await delay(100);
    run.kill(signal);
    const end = await run.done;
    expect({ code: end.code, signal: end.signal }).toEqual({ code: 130, signal: null });
    expect(end.stderr).toContain("--resume r");
    const lines = wholeLines(join(cwd, "reports/r/trials.jsonl"));
    expect(lines.every((line) => JSON.parse(line).status === "finished")).toBe(true);
    const summary = readJson(cwd, "reports/r/summary.json");
    expect(summary.gate).toMatchObject({ verdict: "undecided" });
    expect(existsSync(join(cwd, "reports/r/report.html"))).toBe(true);
    expect(existsSync(join(cwd, "reports/r/lock"))).toBe(false);
  },
);

test.skipIf(!existsSync("/dev/full"))(
  "stdout on a full disk: 4 and a sentence, never 1; stderr that can't be written changes nothing",
  () => {
    const cwd = tempDir();
    const trials = Array.from({ length: 40 }, (_, at) =>
      ["baseline", "candidate"].map((arm) =>
        JSON.stringify({ case: `c${at}`, arm, trial: 1, taskCompletion: 1 }),
      ),
    );
    writeFiles(cwd, { "r.jsonl": `${trials.flat().join("\n")}\n` });
    const shell = (line: string) =>
      spawnSync("sh", ["-c", line, process.execPath, join(import.meta.dirname, "../dist/bin.js")], {
        cwd,
        env: cleanEnv(),
        encoding: "utf8",
      });
    const lost = shell('"$0" "$1" import r.jsonl --run-id r >/dev/full');
    expect(lost.status).toBe(4);
    expect(lost.stderr).toContain("evalkit: stdout can't be written: ENOSPC");
    expect(lost.stderr).not.toContain("    at ");
    expect(readJson(cwd, "reports/r/summary.json").gate).toMatchObject({ verdict: "passed" });
    expect(shell('"$0" "$1" gate r 2>/dev/full').status).toBe(0);
    expect(shell('"$0" "$1" --help >/dev/full').status).toBe(4);
    expect(shell('"$0" "$1" --version >/dev/full').status).toBe(4);
    expect(shell('"$0" "$1" gate r | head -c 1; exit 0').stderr).toBe("");
  },
);

test("a second Ctrl-C does not wait for anything", async () => {
  const stub = await startStub(() => ({ hang: true }));
  const run = startCli([...RUN, "-j", "4"], { cwd: project(), env: serverOf(stub.url) });
  while (stub.requests.length < 4) await delay(20);
  run.kill("SIGINT");
  run.kill("SIGINT");
  const end = await run.done;
  expect(end.code === 130 || end.signal === "SIGINT").toBe(true);
});

const isRoot = process.getuid?.() === 0;

/** A file system of a few kilobytes; null where this machine lets nobody make one. */
function tinyDisk(at: string, kilobytes: number): (() => void) | null {
  mkdirSync(at, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", at], { stdio: "ignore" });
    return () => execFileSync("umount", ["-l", at], { stdio: "ignore" });
  } catch {
    return null;
  }
}

test("a full disk is a clear error, exit 4; the trials that were finished are kept and the run can go on", async (context) => {
  const whole = await wholeRun();
  const stub = await startStub(obedient);
  const cwd = project();
  const size = (name: string) => readFileSync(join(whole, name)).length / 1024;
  // Room for the plan and about half of the trials.
  const kilobytes = Math.ceil(size("run.json") + size("trials.jsonl") / 2) + 8;
  const unmount = isRoot ? tinyDisk(join(cwd, "reports"), kilobytes) : null;
  if (unmount === null) return context.skip("needs to mount a file system");
  try {
    const env = serverOf(stub.url);
    const run = await cli([...RUN, "--run-id", "r", "-j", "2"], { cwd, env });
    expect(run.code).toBe(4);
    expect(run.stderr).toContain("the disk is full");
    expect(run.stderr).toContain("--resume");
    expect(run.stderr).not.toContain("at async");
    const text = readFileSync(join(cwd, "reports/r/trials.jsonl"), "utf8");
    expect(text.endsWith("\n")).toBe(true);
    const kept = wholeLines(join(cwd, "reports/r/trials.jsonl"));
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(TRIALS);
    execFileSync("mount", ["-o", "remount,size=4m", join(cwd, "reports")]);
    const again = await cli(["run", "--resume", "r", "--quiet"], { cwd, env });
    expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 0 });
    const lines = wholeLines(join(cwd, "reports/r/trials.jsonl"));
    expect(lines.slice(0, kept.length)).toEqual(kept);
    expect(lines).toHaveLength(TRIALS);
    expect(timelessSummary(join(cwd, "reports/r"))).toEqual(timelessSummary(await wholeRun()));
  } finally {
    unmount();
  }
});

test("a limit of the file size is told like a full disk", async () => {
  const stub = await startStub(obedient);
  const cwd = project();
  // In blocks of 512 bytes: run.json fits, the trials don't.
  const script = `trap '' XFSZ; ulimit -f 40; exec "$1" "$2" ${RUN.join(" ")} --run-id r -j 2`;
  const run = await inShell(script, { cwd, env: serverOf(stub.url) });
  expect({ code: run.code, stderr: run.stderr }).toMatchObject({ code: 4 });
  expect(run.stderr).toContain("the disk is full");
  const kept = wholeLines(join(cwd, "reports/r/trials.jsonl"));
  expect(kept.length).toBeGreaterThan(0);
  const again = await cli(["run", "--resume", "r", "--quiet"], { cwd, env: serverOf(stub.url) });
  expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 0 });
  expect(wholeLines(join(cwd, "reports/r/trials.jsonl")).slice(0, kept.length)).toEqual(kept);
});

test("recordings that can't be written cost no trial: the run counts, and it is said", async () => {
  const stub = await startStub(obedient);
  const cwd = project();
  symlinkSync("/proc/nowhere/at-all", join(cwd, "recordings"));
  // By flag: a link that leads out of the project is the user's to follow, not a branch's.
  const run = await cli([...RUN, "--run-id", "r", "--replay", "record", "--recordings", "recordings"], {
    cwd,
    env: serverOf(stub.url),
  });
  expect({ code: run.code, stderr: run.stderr }).toMatchObject({ code: 0 });
  expect(run.stderr).toContain("recorded");
  expect(timelessSummary(join(cwd, "reports/r")).arms.candidate.trials.finished).toBe(TRIALS / 2);
});

test("reports that can't be written are refused with exit 2 before any model call", async () => {
  const stub = await startStub(obedient);
  const cwd = project();
  writeFiles(cwd, { reports: "a file where the folder should be" });
  const run = await cli(RUN, { cwd, env: serverOf(stub.url) });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("cannot-write");
  expect(run.stderr).not.toContain("at async");
  expect(stub.requests).toHaveLength(0);
});

test("so are reports in a folder without leave, for a user who is not root", async (context) => {
  if (!isRoot) return context.skip("needs to become another user");
  const stub = await startStub(obedient);
  const cwd = project();
  mkdirSync(join(cwd, "reports"));
  execFileSync("chmod", ["-R", "a+rX", cwd]);
  const script = `exec "$1" "$2" ${RUN.join(" ")} --run-id r`;
  const env = {
    ...serverOf(stub.url),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: "*",
  };
  const run = await inShell(script, { cwd, env, uid: 65534 });
  expect({ code: run.code, stderr: run.stderr }).toMatchObject({ code: 2 });
  expect(run.stderr).toContain("permission denied");
  expect(stub.requests).toHaveLength(0);
  chmodSync(cwd, 0o755);
});

test.each([
  { name: "an unknown run", resume: "nowhere", says: "no-run" },
  { name: "a path that is no run", resume: "../..", says: "no-run" },
  { name: "an imported run", resume: "imported", says: "imported" },
])("--resume of $name is refused, exit 2, without a model call", async ({ resume, says }) => {
  const stub = await startStub(obedient);
  const { cwd } = await cutOff(10);
  writeFiles(cwd, { "results.jsonl": '{"case":"a","arm":"baseline","trial":1,"taskCompletion":1}\n' });
  await cli(["import", "results.jsonl", "--run-id", "imported"], { cwd });
  const end = await cli(["run", "--resume", resume], { cwd, env: serverOf(stub.url) });
  expect(end.code).toBe(2);
  expect(end.stderr).toContain(says);
  expect(stub.requests).toHaveLength(0);
});

test.each([
  {
    name: "a case",
    files: { "cases/wishes.yaml": CASES.replace("Wish 3", "Wish three") },
    says: ["case wish-3"],
  },
  {
    name: "a case that is gone",
    files: { "cases/wishes.yaml": CASES.split("---\n").slice(1).join("---\n") },
    says: ["case wish-0", "missing"],
  },
  {
    name: "a new case",
    files: {
      "cases/new.yaml":
        "id: new\nturns: [{ user: hi }]\nexpect: { completion: [{ answer: { contains: hi } }] }\n",
    },
    says: ["case new"],
  },
  {
    name: "the request",
    files: { "evalkit.yaml": `${PROJECT["evalkit.yaml"]}request: { top_k: 5 }\n` },
    says: [],
  },
])(
  "--resume after a change of $name says what differs, or keeps to what the run was started with",
  async ({ files, says }) => {
    const stub = await startStub(obedient);
    const { cwd, dir, before } = await cutOff(10);
    writeFiles(cwd, files);
    const end = await cli(["run", "--resume", "r", "--quiet"], { cwd, env: serverOf(stub.url) });
    if (says.length === 0) {
      expect(end.code).toBe(0);
      expect(stub.requests.every(({ body }) => body.top_k === undefined)).toBe(true);
      return;
    }
    expect(end.code).toBe(2);
    for (const text of [...says, "resume-differs"]) expect(end.stderr).toContain(text);
    expect(stub.requests).toHaveLength(0);
    expect(wholeLines(join(dir, "trials.jsonl"))).toEqual(before);
  },
);

test("--resume with another model, another prompt by flag: refused with both values", async () => {
  const stub = await startStub(obedient);
  const { cwd } = await cutOff(10);
  commit(cwd, { "prompts/base.md": `Something else.${LANGUAGE}` }, "main moves on");
  const env = serverOf(stub.url);
  const model = await cli(["run", "--resume", "r", "--model", "other-model"], { cwd, env });
  expect(model.code).toBe(2);
  expect(model.stderr).toContain("stub-model");
  expect(model.stderr).toContain("other-model");
  const arm = await cli(["run", "--resume", "r", "--baseline", "main"], { cwd, env });
  expect(arm.code).toBe(2);
  expect(arm.stderr).toContain("baseline");
  expect(stub.requests).toHaveLength(0);
});

test("a resume of a run that has everything calls no model and writes the same summary again", async () => {
  const stub = await startStub(obedient);
  const { cwd, dir, before } = await cutOff(TRIALS);
  const end = await cli(["run", "--resume", "r", "--quiet"], { cwd, env: serverOf(stub.url) });
  expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code: 0 });
  expect(stub.requests).toHaveLength(0);
  expect(wholeLines(join(dir, "trials.jsonl"))).toEqual(before);
  expect(timelessSummary(dir)).toEqual(timelessSummary(await wholeRun()));
});

test("a reader that goes away (| head -1) is no fault: the run's exit code and files are its own", async () => {
  const stub = await startStub(obedient);
  const cwd = project();
  const env = serverOf(stub.url);
  const script = `{ "$1" "$2" ${RUN.join(" ")} --run-id r --json; echo "code $?" >&2; } | head -c 1`;
  const run = await inShell(script, { cwd, env });
  expect(run.stderr).toContain("code 0");
  expect(run.stderr).not.toContain("EPIPE");
  expect(existsSync(join(cwd, "reports/r/report.html"))).toBe(true);
  for (const command of ["show r", "list", "--help", "gate r --json", "flakes --json"]) {
    const other = await inShell(`{ "$1" "$2" ${command}; echo "code $?" >&2; } | head -c 1`, { cwd, env });
    expect({ command, stderr: other.stderr }).toMatchObject({ stderr: expect.stringContaining("code 0") });
    expect(other.stderr).not.toContain("EPIPE");
  }
});

test("stdout that is closed from the start, and stderr too: the run ends as it should", async () => {
  const stub = await startStub(obedient);
  const cwd = project();
  const script = `"$1" "$2" ${RUN.join(" ")} --run-id r >&- 2>&-; exit $?`;
  const run = await inShell(script, { cwd, env: serverOf(stub.url) });
  expect(run.code).toBe(0);
  expect(wholeLines(join(cwd, "reports/r/trials.jsonl"))).toHaveLength(TRIALS);
});

test("a run folder that is deleted or moved while the run goes on: told at once, and no further model call is paid", async () => {
  for (const take of [
    (cwd: string) => rmSync(join(cwd, "reports/r"), { recursive: true }),
    (cwd: string) => rmSync(join(cwd, "reports/r/trials.jsonl")),
    (cwd: string) => renameSync(join(cwd, "reports"), join(cwd, "moved")),
  ]) {
    const cwd = project();
    const stub = await startStub(async (request, n) => {
      if (n === 8) take(cwd);
      return obedient(request, n);
    });
    const { code, stderr } = await cli([...RUN, "--run-id", "r", "-j", "1"], {
      cwd,
      env: serverOf(stub.url),
    });
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining("deleted or moved") });
    expect(stderr).not.toContain("    at ");
    expect(stub.requests.length).toBeLessThan(14);
    if (!existsSync(join(cwd, "moved"))) continue;
    renameSync(join(cwd, "moved"), join(cwd, "reports"));
    const resumed = await cli(["run", "--resume", "r", "--quiet"], { cwd, env: serverOf(stub.url) });
    expect({ code: resumed.code, stderr: resumed.stderr }).toMatchObject({ code: 0 });
    expect(new Set(wholeLines(join(cwd, "reports/r/trials.jsonl")).map(keyOf)).size).toBe(TRIALS);
  }
});

test("an import that was killed half-way is no evidence: what run.json says was there is missed, in compare too", async () => {
  const cwd = project();
  const results = Array.from({ length: 100 }, (_, n) =>
    ["baseline", "candidate"].map((arm) =>
      JSON.stringify({ case: `c${n}`, arm, trial: 1, toolCallAccuracy: n % 2 }),
    ),
  ).flat();
  writeFiles(cwd, { "results.jsonl": results.join("\n") });
  expect((await cli(["import", "results.jsonl", "--run-id", "r"], { cwd })).code).toBe(0);
  expect((await cli(["import", "results.jsonl", "--run-id", "whole"], { cwd })).code).toBe(0);
  const trials = join(cwd, "reports/r/trials.jsonl");
  const lines = wholeLines(trials);
  const gate = async (...args: string[]) => {
    const { code, stdout } = await cli(args, { cwd });
    return { code, stdout };
  };
  writeFileSync(trials, `${lines.slice(0, 120).join("\n")}\n${lines[120]?.slice(0, 30)}`);
  const undecided = { code: 3, stdout: expect.stringContaining("60 of 100 planned trials ended") };
  expect(await gate("gate", "r")).toMatchObject(undecided);
  expect(await gate("compare", "whole#baseline", "r#candidate")).toMatchObject(undecided);
  expect(await gate("compare", "r#baseline", "whole#candidate")).toMatchObject(undecided);
  writeFileSync(trials, `${lines.join("\n")}\n`);
  expect(await gate("gate", "r")).toMatchObject({ code: 0 });
});

test("two runs at once never touch each other's files", async () => {
  const stub = await startStub(async (request, n) => ({ ...(await obedient(request, n)), delayMs: 5 }));
  const cwd = project();
  const env = serverOf(stub.url);
  const ends = await Promise.all(
    ["a", "b", "c"].map((id) => cli([...RUN, "--run-id", id, "--replay", "record"], { cwd, env })),
  );
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
  const whole = await wholeRun();
  for (const id of ["a", "b", "c"]) {
    expect(byKey(wholeLines(join(cwd, "reports", id, "trials.jsonl")))).toEqual(
      new Map([...byKey(wholeLines(join(whole, "trials.jsonl")))].map(([key, line]) => [key, line])),
    );
    const strict = await cli([...RUN, "--run-id", `${id}-again`, "--replay", "strict"], { cwd });
    expect(strict.code).toBe(0);
  }
});

test("half a line in a recordings file, as a crash leaves it, costs that one reply and no other", async () => {
  const stub = await startStub(obedient);
  const cwd = project();
  const env = serverOf(stub.url);
  await cli([...RUN, "--run-id", "a", "--replay", "record"], { cwd, env });
  const asked = stub.requests.length;
  const file = join(cwd, "recordings/wish-0.jsonl");
  appendFileSync(file, wholeLines(file)[0]?.slice(0, 100) ?? "");
  const again = await cli([...RUN, "--run-id", "b", "--replay", "auto", "--trials", "4"], { cwd, env });
  expect(again.code).toBe(0);
  expect(stub.requests.length - asked).toBe(20);
  const strict = await cli([...RUN, "--run-id", "c", "--replay", "strict", "--trials", "4"], { cwd });
  expect(strict.code).toBe(0);
  expect(tempDir()).not.toBe(cwd);
});
