// The demo: builds a small git repository with the branches main, branch and regressed out of examples/home-assistant,
// and runs evalkit's main command in it. On recordings of a real model unless OPENAI_API_KEY or OPENAI_BASE_URL is set.
//   npm run demo              recordings, or live if one of the two variables is set
//   npm run demo -- --recorded      recordings in any case
//   npm run demo -- --into=DIR      the repository is made in DIR, which is emptied first
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const example = join(root, "examples", "home-assistant");
const into = process.argv.find((arg) => arg.startsWith("--into="))?.slice("--into=".length);
const demo = into ?? join(root, ".demo", "home-assistant");
const bin = join(root, "dist", "bin.js");
const say = (text) => process.stdout.write(`${text}\n`);

const WHO = { NAME: "evalkit demo", EMAIL: "demo@example.invalid" };
const COMMITS = [
  ["main", "Home assistant: first prompt", "Four tools and one sentence about using them."],
  [
    "branch",
    "Say which tool belongs to which wish",
    'With nothing but "use the tools wisely" the assistant plays music when it should lock a door or switch a lamp.\nA table says what a wish is about, and four wrong and right pairs show it.',
  ],
  [
    "regressed",
    "Drop the examples",
    "The table says the same in fewer tokens, so the wrong and right pairs look redundant.",
  ],
];

if (!existsSync(bin))
  execFileSync(process.execPath, [join(root, "scripts", "build.mjs")], { stdio: "inherit" });
makeRepository();
const live = await liveSettings();
say(live.text);
const args = ["run", "--baseline", "main", "--candidate", "branch", ...live.flags];
say(`\n$ cd ${relative(process.cwd(), demo) || "."}\n$ evalkit ${args.join(" ")}\n`);
const ran = spawnSync(process.execPath, [bin, ...args], { cwd: demo, stdio: "inherit", env: live.env });
finish(ran.status ?? 4);

/** Always the same commits: dates and author are fixed, and nobody's git configuration or hooks take part. */
function makeRepository() {
  rmSync(demo, { recursive: true, force: true });
  mkdirSync(demo, { recursive: true });
  git("init", "--quiet");
  git("symbolic-ref", "HEAD", "refs/heads/main");
  for (const path of ["evalkit.yaml", "cases", "recordings"]) {
    if (existsSync(join(example, path))) cpSync(join(example, path), join(demo, path), { recursive: true });
  }
  writeFileSync(join(demo, ".gitignore"), "reports/\n");
  COMMITS.forEach(([branch, subject, why], at) => {
    if (at > 0) git("checkout", "--quiet", "-b", branch);
    rmSync(join(demo, "prompts"), { recursive: true, force: true });
    cpSync(join(example, branch, "prompts"), join(demo, "prompts"), { recursive: true });
    git("add", "--all");
    git("commit", "--quiet", "--message", subject, "--message", why, `--date=2026-01-0${at + 1}T09:00:00Z`);
  });
  git("checkout", "--quiet", "main");
}

function git(...args) {
  const fixed = ["commit.gpgsign=false", "core.autocrlf=false", "core.hooksPath=/dev/null"].flatMap((set) => [
    "-c",
    set,
  ]);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  for (const name of ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"]) delete env[name];
  for (const role of ["AUTHOR", "COMMITTER"]) {
    for (const [part, value] of Object.entries(WHO)) env[`GIT_${role}_${part}`] = value;
    env[`GIT_${role}_DATE`] = "2026-01-05T09:00:00Z";
  }
  execFileSync("git", [...fixed, ...args], { cwd: demo, env, stdio: ["ignore", "ignore", "inherit"] });
}

/** Which model answers, in words and as flags. */
async function liveSettings() {
  const { OPENAI_API_KEY: key, OPENAI_BASE_URL: url, EVALKIT_MODEL: named } = process.env;
  if (process.argv.includes("--recorded") || (!key && !url)) {
    // Left out, so that a half-set environment can't turn a replay into something else.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(OPENAI|EVALKIT)_/.test(name)),
    );
    const text =
      "On recordings: the replies were made by SmolLM2-135M-Instruct (a real model, run on a processor) and are replayed.\n" +
      "Set OPENAI_API_KEY or OPENAI_BASE_URL to run the same command live (and EVALKIT_MODEL to name the model).";
    return { text, flags: [], env };
  }
  const model = named || (url ? await firstModel(url, key) : "gpt-4o-mini");
  const from = named
    ? "EVALKIT_MODEL"
    : url
      ? "the first that the server lists"
      : "the default; EVALKIT_MODEL names another";
  return {
    text: `Live: ${url || "api.openai.com"}, model ${model} (${from}). 144 short model calls.`,
    flags: ["--model", model, "--replay", "off"],
    env: { ...process.env, OPENAI_API_KEY: key || "none" },
  };
}

async function firstModel(url, key) {
  try {
    const headers = key ? { authorization: `Bearer ${key}` } : {};
    const answer = await fetch(`${url.replace(/\/+$/, "")}/models`, {
      headers,
      signal: AbortSignal.timeout(10_000),
    });
    const id = (await answer.json()).data?.[0]?.id;
    if (typeof id === "string") return id;
  } catch (error) {
    say(`The server's list of models could not be read (${error.message}).`);
  }
  say("Set EVALKIT_MODEL to the model's name, or run npm run demo -- --recorded.");
  process.exit(2);
}

/** The demo has worked if there is a verdict, whichever it is, and a report about it. */
function finish(code) {
  const reports = join(demo, "reports");
  const runs = existsSync(reports)
    ? readdirSync(reports).filter((name) => existsSync(join(reports, name, "report.md")))
    : [];
  const meaning = { 0: "passed", 1: "failed: a regression", 3: "undecided" }[code];
  if (meaning === undefined || runs.length === 0) {
    say(`\nThe demo did not work: exit code ${code}, ${runs.length} report(s).`);
    process.exit(1);
  }
  const here = relative(process.cwd(), demo) || ".";
  say(`\nExit code ${code} (${meaning}). What it left behind:`);
  for (const run of runs)
    for (const file of ["report.md", "report.html"]) say(`  ${join(here, "reports", run, file)}`);
  say(
    "\nA prompt that gets worse: the branch regressed drops the examples to save tokens. See exit code 1 with",
  );
  say(`  cd ${here} && node ${relative(demo, bin)} run --baseline branch --candidate regressed`);
}
