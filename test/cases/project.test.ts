import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { leakWarnings, sharedRuns } from "../../src/core/case/shared-runs.ts";
import { ALL_FLAGS } from "../../src/core/config/flags.ts";
import { formatProblem, InputError } from "../../src/core/nouns/problem.ts";
import { openGitTree, resolveCommit } from "../../src/io/git.ts";
import { casesAt, configDriftAt, loadCases, loadProject, readCases } from "../../src/io/project.ts";
import { commit, git, repository, tempDir, writeFiles } from "../support/project.ts";

const one = (id: string, extra = "") =>
  `id: ${id}\nturns: [{user: hi}]\nexpect: {skills: {load: [x]}}\n${extra}`;
const bare = "turns: [{user: hi}]\nexpect: {skills: {load: [x]}}\n";

function open(cwd: string, flags: Readonly<Record<string, readonly string[]>> = {}) {
  const given = ALL_FLAGS.flatMap((flag) => {
    const raw = flags[flag.name];
    return raw === undefined ? [] : [{ flag, raw }];
  });
  return loadProject({ cwd, env: {}, flags: given });
}
const idsOf = async (cwd: string, flags: Readonly<Record<string, readonly string[]>> = {}) =>
  (await loadCases(await open(cwd, flags))).cases.map(({ id }) => id);
const refusal = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof InputError)) throw error ?? new Error("nothing was refused");
  return error.problems.map(formatProblem);
};

test("the project is found from below: nearest config, else the repository's top", async () => {
  const dir = repository({
    "evalkit.yaml": "trials: 5",
    "cases/a.yaml": bare,
    "pkg/evalkit.yaml": "trials: 7",
    "pkg/deep/x": "",
  });
  expect((await open(join(dir, "cases"))).settings.trials).toBe(5);
  expect(await open(join(dir, "pkg/deep"))).toMatchObject({
    root: join(dir, "pkg"),
    settings: { trials: 7 },
    repository: true,
  });
  const plain = repository({ "cases/a.yaml": bare, "sub/x": "" });
  expect(await open(join(plain, "sub"))).toMatchObject({ root: plain, config: null });
  const loose = tempDir();
  expect(await open(loose)).toMatchObject({ root: loose, repository: false });
  expect(await refusal(open(join(loose, "nowhere")))).toEqual([
    `error: there is no folder ${join(loose, "nowhere")} (at -C) [no-such-folder]`,
  ]);
  writeFiles(loose, { "evalkit.yaml": "", "evalkit.yml": "" });
  expect((await refusal(open(loose)))[0]).toMatch(/evalkit\.yaml and evalkit\.yml both lie in/);
});

test("another config file by name", async () => {
  const dir = repository({ "evalkit.yaml": "trials: 5", "ci/strict.yaml": "trials: 9" });
  expect(await loadProject({ cwd: join(dir, "ci"), env: {}, config: "strict.yaml" })).toMatchObject({
    root: dir,
    config: "ci/strict.yaml",
    settings: { trials: 9 },
  });
  expect(await refusal(loadProject({ cwd: dir, env: {}, config: "no.yaml" }))).toEqual([
    "no.yaml: error: the config can't be read (ENOENT) [no-config]",
  ]);
});

test("files, folders, globs with both separators, brackets in real names (BR-103)", async () => {
  const dir = repository({
    "cases/a.yaml": bare,
    "cases/web/b.yml": bare,
    "cases/[draft]/c.yaml": bare,
    "cases/.hidden/d.yaml": "no: case",
    "cases/node_modules/e.yaml": "no: case",
    "cases/notes.md": "# no case",
  });
  expect(await idsOf(dir)).toEqual(["[draft]/c", "a", "web/b"]);
  expect(await idsOf(dir, { cases: ["cases/a.yaml"] })).toEqual(["a"]);
  expect(await idsOf(join(dir, "cases"), { cases: ["web"] })).toEqual(["web/b"]);
  expect(await idsOf(dir, { cases: ["cases/web/"] })).toEqual(["web/b"]);
  expect(await idsOf(dir, { cases: ["cases\\*.yaml"] })).toEqual(["a"]);
  expect(await idsOf(dir, { cases: ["cases\\web\\b.yml"] })).toEqual(["web/b"]);
  expect(await idsOf(dir, { cases: ["cases/**/*.y*ml"] })).toEqual(["[draft]/c", "a", "web/b"]);
  expect(await idsOf(dir, { cases: ["cases/[draft]"] })).toEqual(["[draft]/c"]);
  expect(await idsOf(dir, { cases: ["cases/[draft]/*.yaml"] })).toEqual(["[draft]/c"]);
  expect(await idsOf(dir, { cases: ["cases/[a-b].yaml"] })).toEqual(["a"]);
});

test("nothing selected is an error that says what was looked for and what exists", async () => {
  const dir = repository({
    "cases/a.yaml": one("web-static", "tags: [web]"),
    "cases/b.yaml": one("safety-delete", "tags: [safety]"),
  });
  expect(await idsOf(dir, { filter: ["web-*"] })).toEqual(["web-static"]);
  expect(await idsOf(dir, { filter: ["!web-*"] })).toEqual(["safety-delete"]);
  expect(await idsOf(dir, { tag: ["safety", "other"] })).toEqual(["safety-delete"]);
  await expect(idsOf(dir, { filter: ["web-*", "saftey-delete"] })).rejects.toThrow(
    'no case matches "saftey-delete". Did you mean safety-delete?',
  );
  expect(await refusal(idsOf(dir, { filter: ["web-statc"] }))).toEqual([
    'error: none of the 2 cases matches --filter "web-statc". Did you mean web-static? [no-cases]\n  hint: ids: safety-delete, web-static; tags: safety, web',
  ]);
  expect(await refusal(idsOf(dir, { cases: ["case"] }))).toEqual([
    'error: no case file (yaml, yml, evals.json) matches "case" [no-case-files]\n  hint: case files: cases/a.yaml, cases/b.yaml',
  ]);
  expect((await refusal(idsOf(dir, { cases: ["../elsewhere"] })))[0]).toMatch(
    /"\.\.\/elsewhere" lies outside the project/,
  );
  expect((await refusal(idsOf(tempDir())))[0]).toMatch(
    /no case files \(yaml, yml\) lie below cases\/ in .*\n {2}hint: evalkit init writes a first case/,
  );
});

test("an id that two files claim is an error with both places", async () => {
  const dir = repository({ "cases/a.yaml": one("x"), "cases/b.yaml": `${bare}---\n${one("x")}` });
  expect(await refusal(idsOf(dir))).toEqual([
    'cases/b.yaml:4: error: case id "x" is taken already, at cases/a.yaml:1 (at id) [duplicate-id]\n  hint: give one of them another id',
  ]);
});

test("a world's folder is read beside the case; YAML in it is no case; inline files come first", async () => {
  const dir = repository({
    "cases/a.yaml": `${bare}world: {filesFrom: worlds/shop, files: {README.md: mine}}`,
    "cases/worlds/shop/compose.yaml": "services: {}",
    "cases/worlds/shop/src/app.ts": "\uFEFFexport {}\r\n",
    "cases/worlds/shop/README.md": "theirs",
    "cases/worlds/shop/node_modules/x.js": "x",
  });
  const { cases } = await loadCases(await open(dir));
  expect(cases.map(({ id, world }) => [id, world.filesFrom, world.files])).toEqual([
    ["a", undefined, { "compose.yaml": "services: {}", "src/app.ts": "export {}\n", "README.md": "mine" }],
  ]);
});

test("a world's folder outside the cases, missing, binary or linked out is refused", async () => {
  const from = (path: string) => `${bare}world: {filesFrom: ${path}}`;
  const dir = repository({
    "src/app.ts": "x",
    "cases/a.yaml": from("../src"),
    "cases/b.yaml": from("/etc"),
    "cases/c.yaml": from("gone"),
  });
  expect(await refusal(idsOf(dir))).toEqual([
    'cases/a.yaml:1: error: "../src" leads outside cases/ (at world.filesFrom) [path-outside]\n  hint: name a folder beside the case',
    'cases/b.yaml:1: error: "/etc" leads outside cases/ (at world.filesFrom) [path-outside]\n  hint: name a folder beside the case',
    "cases/c.yaml:1: error: the folder cases/gone is missing or empty (at world.filesFrom) [no-such-folder]",
  ]);
  const odd = repository({ "cases/a.yaml": from("w"), "cases/w/ok.txt": "x", "secret.txt": "secret" });
  writeFileSync(join(odd, "cases/w/logo.png"), Buffer.from([0x89, 0x50, 0, 0]));
  symlinkSync("../../secret.txt", join(odd, "cases/w/link.txt"));
  expect((await refusal(idsOf(odd))).map((text) => text.split("\n")[0])).toEqual([
    'cases/w/link.txt: error: cases/w/link.txt is a link to "../../secret.txt", outside cases/w [link-outside]',
    "cases/w/logo.png: error: cases/w/logo.png holds NUL bytes: it is no text file [not-text]",
  ]);
});

test("a case file that is a link out of the project, too large or no UTF-8 is refused by name", async () => {
  const outside = tempDir();
  writeFiles(outside, { "a.yaml": bare });
  const dir = repository({ "cases/ok.yaml": bare });
  symlinkSync(join(outside, "a.yaml"), join(dir, "cases/link.yaml"));
  writeFileSync(join(dir, "cases/bytes.yaml"), Buffer.from([0x61, 0xff, 0xfe]));
  writeFileSync(join(dir, "cases/huge.yaml"), `a: "${"x".repeat(600_000)}"`);
  const texts = await refusal(idsOf(dir));
  expect(texts.map((text) => text.split(" ").slice(0, 2).join(" ")).sort()).toEqual([
    "cases/bytes.yaml: error:",
    "cases/huge.yaml: error:",
    "cases/link.yaml: error:",
  ]);
  expect(texts.join("\n")).toMatch(/link\.yaml is a link to .*outside its root/);
});

test("eval files beside skills are read as cases", async () => {
  const evals = {
    skill_name: "csv",
    evals: [
      {
        id: 1,
        prompt: "Sum the column.",
        expected_output: "A number.",
        files: ["evals/files/a.csv"],
        assertions: ["Names the sum.", { text: "Shows no code." }],
      },
      { id: "two", prompt: "Say hello.", expected_output: "A greeting.", extra: true },
      { id: 3, prompt: "See the picture.", files: ["evals/files/p.png", "../other/SKILL.md"] },
    ],
  };
  const dir = repository({
    "cases/a.yaml": bare,
    "skills/csv/SKILL.md": "x",
    "skills/csv/evals/evals.json": JSON.stringify(evals, null, 2),
    "skills/csv/evals/files/a.csv": "1,2",
    "skills/other/SKILL.md": "x",
    "skills/loose/evals/evals.json": "no skill lies here",
  });
  writeFileSync(join(dir, "skills/csv/evals/files/p.png"), Buffer.from([0, 1]));
  const { cases, problems } = await loadCases(await open(dir));
  expect(cases.map(({ id }) => id)).toEqual(["a", "evals/csv/1", "evals/csv/two"]);
  expect(cases[1]).toMatchObject({
    turns: [{ user: "Sum the column." }],
    intent: "A number.",
    world: { files: { "evals/files/a.csv": "1,2" } },
    expect: {
      completion: [{ judge: { rubric: "Names the sum." } }, { judge: { rubric: "Shows no code." } }],
    },
    source: { file: "skills/csv/evals/evals.json", line: 4 },
  });
  expect(problems.map(({ severity, code }) => [severity, code])).toContainEqual(["warning", "not-text"]);
  commit(dir, { "skills/csv/evals/evals.json": '{"evals": [{"id": 1, "id": 2, "prompt": 5}]}' }, "Break it");
  expect((await refusal(idsOf(dir)))[0]).toMatch(
    /^skills\/csv\/evals\/evals\.json:1:22: error: key "id" stands twice/,
  );
  writeFiles(dir, { "skills/csv/evals/evals.json": '{"evals": [{"id": 1, "prompt": 5}]}' });
  expect((await refusal(idsOf(dir)))[0]).toMatch(
    /evals\.json:1:22: error: expected a text, got the number 5 .*\(at evals\[0\]\.prompt\)/s,
  );
});

test("the cases of a commit are read from git, the working tree plays no part", async () => {
  const dir = repository({ "cases/a.yaml": `${bare}world: {filesFrom: w}`, "cases/w/x.txt": "old" });
  const project = await open(dir);
  writeFiles(dir, { "cases/a.yaml": "broken: [", "cases/w/x.txt": "new", "cases/b.yaml": bare });
  const tree = await openGitTree(dir, await resolveCommit(dir, "main"));
  expect((await casesAt(project, tree)).map(({ id, world }) => [id, world.files])).toEqual([
    ["a", { "x.txt": "old" }],
  ]);
});

test("what a branch's config sets otherwise than the baseline's is told; flags and environment are not its own", async () => {
  const dir = repository(
    {
      "evalkit.yaml": "gate: {margin: 0.1, critical: true}\nbase-url: https://ours.test/v1\nmodel: a",
      "cases/a.yaml": bare,
    },
    {
      weak: {
        "evalkit.yaml":
          "trials: 3\ngate: {margin: 0.9, critical: false}\nbaseUrl: https://theirs.test/v1\nheaders: {X: y}\nmodel: b",
      },
    },
  );
  git(dir, "checkout", "-q", "weak");
  const tree = await openGitTree(dir, await resolveCommit(dir, "main"));
  expect(await configDriftAt(await open(dir), tree)).toEqual({
    policy: ["gate.critical", "gate.margin"],
    connection: ["base-url", "headers"],
  });
  const env = { EVALKIT_MARGIN: "0.1", OPENAI_BASE_URL: "https://ours.test/v1" };
  expect(await configDriftAt(await loadProject({ cwd: dir, env }), tree)).toEqual({
    policy: ["gate.critical"],
    connection: ["headers"],
  });
});

test("a folder loop of links ends", async () => {
  const dir = tempDir();
  mkdirSync(join(dir, "cases"));
  symlinkSync(".", join(dir, "cases/loop"));
  writeFiles(dir, { "cases/a.yaml": bare });
  expect((await readCases(await open(dir))).cases.map(({ id }) => id)).toEqual(["a"]);
});

test("a case that quotes the text under test is warned about (BR-085)", async () => {
  const said = "First list the files, then read each, then answer in capitals.";
  const texts = new Map([
    ["skills/caps/SKILL.md", `\n${said}\n`],
    ["prompts/base.md", "You are an agent."],
  ]);
  const dir = repository({
    "cases/leak.yaml": `id: leak\nturns: [{user: "${said}"}]\nexpect: {skills: {load: [x]}}`,
    "cases/fine.yaml": one("fine"),
  });
  const { cases } = await loadCases(await open(dir));
  expect(cases.flatMap((item) => leakWarnings(item, texts)).map(formatProblem)).toEqual([
    'cases/leak.yaml:1: warning: case leak shares 11 words in a row with skills/caps/SKILL.md: "first list the files then read each then answer in capitals" [case-quotes-prompt]\n  hint: an agent without that text is told what it says, so the difference shrinks; say it in other words',
  ]);
  expect(sharedRuns("list the files then read each", new Map([["s", said]]))).toEqual([]);
  const chinese = "首先列出所有文件，然后逐个阅读，最后用大写字母回答问题。";
  expect(sharedRuns(`请${chinese}`, new Map([["s", chinese]]))).toHaveLength(1);
  expect(sharedRuns("列出所有文件。", new Map([["s", chinese]]))).toEqual([]);
  expect(sharedRuns("a ".repeat(50_000), new Map([["s", "a ".repeat(50_000)]]))[0]?.words).toBe(10_000);
});
