// npm run bench: start-up, cost a call, throughput, memory, replay and resume, beside the bare `openai` client in the
// same run. Absolute figures belong to the machine; the ratios are what is promised. `--quick` leaves out the 10,000.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "..");
const bin = join(root, "dist/bin.js");
const quick = process.argv.includes("--quick");
const work = mkdtempSync(join(tmpdir(), "evalkit-bench-"));
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const row = (name, text) => process.stdout.write(`${name.padEnd(44)} ${text}\n`);

function startUp(args, runs = 21) {
  const times = [];
  for (let run = 0; run < runs; run += 1) {
    const from = performance.now();
    spawnSync(process.execPath, args, { stdio: "ignore" });
    times.push(performance.now() - from);
  }
  return median(times);
}

/** Runs a program under the probe and returns its cost: wall and CPU in ms, peak memory in MiB. */
function measured(args, options = {}) {
  const probe = join(work, "probe.json");
  const child = spawn(process.execPath, ["--import", join(here, "probe.mjs"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    ...options,
    env: { ...process.env, ...options.env, BENCH_PROBE: probe },
  });
  let errors = "";
  child.stdout.resume();
  child.stderr.on("data", (text) => {
    errors += text;
  });
  return new Promise((done, failed) => {
    child.on("exit", (code) => {
      if (![0, 3].includes(code))
        failed(new Error(`${args.join(" ")} ended with ${code}:\n${errors.slice(-2000)}`));
      else done(JSON.parse(readFileSync(probe, "utf8")));
    });
  });
}

async function startStub(latency) {
  const child = spawn(process.execPath, [join(here, "stub.mjs"), String(latency)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise((done) => child.stdout.once("data", (text) => done(String(text).trim())));
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}

/** A project with `cases` one-call cases and two arms that differ by a sentence. */
function project(cases) {
  const dir = mkdtempSync(join(work, "project-"));
  for (const arm of ["a", "b"]) {
    mkdirSync(join(dir, arm), { recursive: true });
    cpSync(join(root, "prompts"), join(dir, arm, "prompts"), { recursive: true });
    cpSync(join(root, "skills"), join(dir, arm, "skills"), { recursive: true });
  }
  const base = join(dir, "b/prompts/base.md");
  writeFileSync(base, `${readFileSync(base, "utf8")}\nKeep answers short.\n`);
  mkdirSync(join(dir, "cases"));
  const texts = Array.from(
    { length: cases },
    (_, n) =>
      `id: case-${n}\nturns: [{ user: "What is 6 times 7? (${n})" }]\nexpect: { completion: [{ answer: { contains: "42" } }] }\n`,
  );
  writeFileSync(join(dir, "cases/all.yaml"), texts.join("---\n"));
  return dir;
}

function evalkit(dir, stub, flags) {
  const args = [
    bin,
    "run",
    "--baseline",
    "dir:a",
    "--candidate",
    "dir:b",
    "--model",
    "stub",
    "--no-stream",
    "--quiet",
    ...flags,
  ];
  return measured(args, { cwd: dir, env: { OPENAI_BASE_URL: `${stub.url}/v1`, OPENAI_API_KEY: "stub" } });
}

async function bare(stub, body, calls, inFlight) {
  return measured([join(here, "bare.mjs"), `${stub.url}/v1`, body, String(calls), String(inFlight)]);
}

async function beside(name, stub, { cases, trials, inFlight }) {
  const dir = project(cases);
  const calls = cases * trials * 2;
  const ours = await evalkit(dir, stub, [
    "--trials",
    String(trials),
    "-j",
    String(inFlight),
    "--replay",
    "off",
  ]);
  const body = join(work, "body.json");
  writeFileSync(body, await (await fetch(`${stub.url}/body`)).text());
  const theirs = await bare(stub, body, calls, inFlight);
  row(
    name,
    `${(ours.wall / 1000).toFixed(2)} s against ${(theirs.wall / 1000).toFixed(2)} s (×${(ours.wall / theirs.wall).toFixed(2)}) · ` +
      `CPU a call ${(ours.cpu / calls).toFixed(2)} against ${(theirs.cpu / calls).toFixed(2)} ms (+${((ours.cpu - theirs.cpu) / calls).toFixed(2)}) · ` +
      `peak ${ours.rss.toFixed(0)} against ${theirs.rss.toFixed(0)} MiB (+${(ours.rss - theirs.rss).toFixed(0)})`,
  );
}

const node = startUp(["-e", "0"]);
const version = startUp([bin, "--version"]);
row(
  "start-up: evalkit --version",
  `${version.toFixed(0)} ms, node -e 0 ${node.toFixed(0)} ms (+${(version - node).toFixed(0)} ms)`,
);

const stub = await startStub(50);
await beside("1,000 trials, 64 in flight, 50 ms", stub, { cases: 100, trials: 5, inFlight: 64 });
if (!quick) {
  await beside("10,000 trials, 64 in flight, 50 ms", stub, { cases: 100, trials: 50, inFlight: 64 });
  for (const inFlight of [1, 4, 256]) {
    const trials = inFlight === 1 ? 1 : 10;
    await beside(`${trials * 100} trials, ${inFlight} in flight, 50 ms`, stub, {
      cases: 50,
      trials,
      inFlight,
    });
  }
}
const dir = project(100);
await evalkit(dir, stub, ["--trials", "5", "-j", "64", "--replay", "record", "--run-id", "recorded"]);
/** A command over the saved run: what it costs to come back to it. */
async function again(name, args) {
  const cost = await measured([bin, ...args], { cwd: dir, env: { OPENAI_BASE_URL: `${stub.url}/v1` } });
  row(name, `${(cost.wall / 1000).toFixed(2)} s · peak ${cost.rss.toFixed(0)} MiB`);
}
const replays = [];
for (let n = 0; n < 5; n += 1) {
  replays.push((await evalkit(dir, stub, ["--trials", "5", "-j", "64", "--replay", "strict"])).wall);
}
await again("report of 1,000 trials", ["report", "recorded"]);
await again("resume of 1,000 trials, none missing", ["run", "--resume", "recorded", "--quiet"]);
row(
  "1,000 trials replayed from recordings",
  `${(median(replays) / 1000).toFixed(2)} s (median of 5, whole process)`,
);
stub.stop();
rmSync(work, { recursive: true, force: true });
