// node bench/recordings.mjs: how long 50,000 recorded replies take to be opened, served and recorded. The module is
// bundled on the fly, so that the figures are of the source as it stands.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "evalkit-bench-"));
const outfile = join(work, "recordings.mjs");
await build({
  entryPoints: [join(root, "src/io/recordings.ts")],
  bundle: true,
  platform: "node",
  format: "esm",
  outfile,
  logLevel: "error",
});
const { withRecordings } = await import(pathToFileURL(outfile));

const CASES = 50;
const TRIALS = 1000;
const settings = { temperature: 0, maxTokens: null, seed: null, stream: false, extra: {} };
const message = { role: "assistant", content: "An answer of some length. ".repeat(32) };
const raw = {
  id: "bench",
  choices: [{ index: 0, message, finish_reason: "stop" }],
  usage: { prompt_tokens: 2000, completion_tokens: 200, total_tokens: 2200 },
};
const live = { call: async () => ({ ok: true, reply: null, raw, ms: 50, attempts: 1, replayed: false }) };
const prompt = "A layer of the system prompt. ".repeat(280);
const request = {
  model: "bench",
  messages: [
    { role: "system", content: prompt },
    { role: "user", content: "What is 6 times 7?" },
  ],
  tools: [],
};
const signal = new AbortController().signal;
const context = (name, trial) => ({
  key: { case: name, arm: "baseline", trial },
  salt: "",
  occurrence: 0,
  signal,
});
const open = (inner) =>
  withRecordings(inner, {
    dir: join(work, "recordings"),
    mode: inner === null ? "strict" : "auto",
    settings,
    mask: (text) => text,
  });

async function timed(name, inner, trials) {
  const from = performance.now();
  const model = await open(inner);
  for (let n = 0; n < CASES; n += 1) {
    for (let trial = 1; trial <= trials; trial += 1) {
      const result = await model.call(structuredClone(request), context(`case-${n}`, trial));
      if (!result.ok) throw new Error(result.failure.message);
    }
  }
  const ms = performance.now() - from;
  const rss = process.memoryUsage().rss / 1024 / 1024;
  process.stdout.write(`${name.padEnd(44)} ${(ms / 1000).toFixed(2)} s · ${rss.toFixed(0)} MiB\n`);
}

await timed("50,000 replies recorded", live, TRIALS);
await timed("50 files of 1,000 opened, one reply served of each", null, 1);
await timed("50,000 replies served", null, TRIALS);
const files = readdirSync(join(work, "recordings")).map(
  (name) => statSync(join(work, "recordings", name)).size,
);
const total = files.reduce((sum, size) => sum + size, 0);
process.stdout.write(`${"on disk".padEnd(44)} ${(total / 1e6).toFixed(0)} MB\n`);
rmSync(work, { recursive: true, force: true });
