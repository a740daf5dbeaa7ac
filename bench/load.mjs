// npm run bench:load: what large runs cost. 100,000 imported results, 10,000 and 100,000 trials against a stub that
// answers at once, and 5,000 trials with transcripts of 200 kB each (1 GB), through every command that reads a run. `--quick`: a tenth.
// Memory is to stay flat: what counts is that the peak does not grow with the transcripts, and time with the square.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const bin = join(here, "../dist/bin.js");
const scale = process.argv.includes("--quick") ? 10 : 1;
const work = mkdtempSync(join(tmpdir(), "evalkit-load-"));

/** Runs one command under the probe: wall in seconds, peak memory in MiB. */
function measured(args, env = {}) {
  const probe = join(work, "probe.json");
  const child = spawn(process.execPath, ["--import", join(here, "probe.mjs"), bin, ...args], {
    cwd: work,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env, BENCH_PROBE: probe },
  });
  const texts = { out: 0, errors: "" };
  child.stdout.on("data", (bytes) => {
    texts.out += bytes.length;
  });
  child.stderr.on("data", (text) => {
    texts.errors = `${texts.errors}${text}`.slice(-2000);
  });
  return new Promise((done, failed) => {
    child.on("close", (code) => {
      if (code === null || code === 2 || code === 4)
        failed(new Error(`${args.join(" ")} ended with ${code}:\n${texts.errors}`));
      else done({ ...JSON.parse(readFileSync(probe, "utf8")), printed: texts.out });
    });
  });
}

async function row(name, args, env) {
  const { wall, rss, printed } = await measured(args, env);
  process.stdout.write(
    `  ${name.padEnd(34)} ${(wall / 1000).toFixed(2).padStart(7)} s  ${rss.toFixed(0).padStart(5)} MiB  ${(printed / 1024).toFixed(0).padStart(7)} KiB printed\n`,
  );
}

async function commands(id, one) {
  await row("report", ["report", id]);
  await row("report --format junit", ["report", id, "--format", "junit"]);
  await row("show RUN", ["show", id]);
  await row("show RUN CASE", ["show", id, one]);
  await row("gate", ["gate", id]);
  await row("compare", ["compare", `${id}#baseline`, `${id}#candidate`]);
  await row("flakes", ["flakes", id]);
}

function head(title) {
  process.stdout.write(`${title}\n`);
}

/** Writes lines without holding them. */
async function writeLines(file, lines) {
  const stream = createWriteStream(file);
  for (const line of lines) if (!stream.write(`${line}\n`)) await once(stream, "drain");
  stream.end();
  await once(stream, "close");
}

function project() {
  for (const arm of ["a", "b"]) {
    mkdirSync(join(work, arm, "prompts"), { recursive: true });
    writeFileSync(join(work, arm, "prompts/base.md"), `You are ${arm}.\n\n## Language\n\nEnglish.\n`);
  }
  mkdirSync(join(work, "cases"), { recursive: true });
  const cases = Array.from(
    { length: 100 },
    (_, n) =>
      `id: case-${n}\nturns: [{ user: "What is 6 times 7? (${n})" }]\nexpect: { completion: [{ answer: { contains: "42" } }] }\n`,
  );
  writeFileSync(join(work, "cases/all.yaml"), cases.join("---\n"));
}

function* results(count) {
  for (let n = 0; n < count; n += 1) {
    const [arm, trial] = [n % 2 === 0 ? "baseline" : "candidate", 1 + (Math.floor(n / 2) % 10)];
    const taskCompletion = (n * 7919) % 10 < 8 ? 1 : 0;
    yield JSON.stringify({
      case: `case-${Math.floor(n / 20)}`,
      arm,
      trial,
      taskCompletion,
      turns: 1 + (n % 5),
    });
  }
}

/** The trials of a small real run again and again, with transcripts of `bytes` each. */
function* largeTrials(models, count, bytes) {
  const filler = "All work and no play makes a dull transcript. ".repeat(Math.ceil(bytes / 46 / 4));
  for (let n = 0; n < count; n += 1) {
    const model = models[n % models.length];
    const noise = Array.from({ length: 4 }, (_, at) => ({
      ...{ type: "tool", conversation: 0, callId: `call-${at}`, name: "read_file" },
      ...{ result: filler, error: false },
    }));
    const trial = 1 + Math.floor(n / models.length);
    yield JSON.stringify({ ...model, trial, events: [...model.events, ...noise] });
  }
}

async function startStub() {
  const child = spawn(process.execPath, [join(here, "stub.mjs"), "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [text] = await once(child.stdout, "data");
  return { url: `http://127.0.0.1:${String(text).trim()}/v1`, stop: () => child.kill() };
}

project();
const rows = 100_000 / scale;
head(`${rows.toLocaleString("en")} imported results of ${(rows / 20).toLocaleString("en")} cases`);
await writeLines(join(work, "results.jsonl"), results(rows));
await row("import", ["import", "results.jsonl", "--run-id", "imported"]);
await commands("imported", "case-7");

const trials = 50 / scale;
head(`${(trials * 200).toLocaleString("en")} trials against a stub that answers at once, 64 in flight`);
const stub = await startStub();
const env = { OPENAI_BASE_URL: stub.url, OPENAI_API_KEY: "stub" };
const run = [
  "run",
  "--baseline",
  "dir:a",
  "--candidate",
  "dir:b",
  "--model",
  "stub",
  "--no-stream",
  "--quiet",
  "-j",
  "64",
];
await row("run", [...run, "--trials", String(trials), "--run-id", "run"], env);
await row(
  "run, replayed",
  [...run, "--trials", String(trials), "--run-id", "again", "--replay", "strict"],
  env,
);
await row("run --resume, none missing", ["run", "--resume", "run", "--quiet"], env);
await commands("run", "case-7");
await row("sheet export", ["sheet", "export", "run", "--sample", "200", "--out", join(work, "sheets")]);

const many = 500 / scale;
head(`${(many * 200).toLocaleString("en")} trials, the same`);
await row("run", [...run, "--trials", String(many), "--run-id", "many", "--replay", "off"], env);
await row("report", ["report", "many"]);
await row("gate", ["gate", "many"]);

const large = 5_000 / scale;
await measured([...run, "--trials", "1", "--run-id", "large"], env);
stub.stop();
const file = join(work, "reports/large/trials.jsonl");
const models = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
await writeLines(file, largeTrials(models, large, 200_000));
head(`${large.toLocaleString("en")} trials of 200 kB (${(statSync(file).size / 1e6).toFixed(0)} MB)`);
const record = JSON.parse(readFileSync(join(work, "reports/large/run.json"), "utf8"));
writeFileSync(
  join(work, "reports/large/run.json"),
  JSON.stringify({ ...record, trials: Math.ceil(large / models.length) }),
);
rmSync(join(work, "reports/large/summary.json"));
await commands("large", "case-7");
await row("sheet export", [
  "sheet",
  "export",
  "large",
  "--sample",
  "200",
  "--out",
  join(work, "sheets-large"),
]);
rmSync(work, { recursive: true, force: true });
