import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, commit, git, repository, tempDir, writeFiles } from "../support/project.ts";

const base = "You are an agent.\n\n## Language\n\nEnglish.\n";
const sound = "id: a\nturns: [{user: hi}]\nexpect: {completion: [{answer: {contains: x}}]}\n";

test("init in a real repository, from a folder below: the starter passes validate --strict", async () => {
  const dir = repository({ "src/x.ts": "" });
  const made = await cli(["init"], { cwd: join(dir, "src") });
  expect(made).toMatchObject({ code: 0 });
  expect(made.stdout).toBe(
    [
      "evalkit.yaml",
      "prompts/base.md",
      "prompts/personalities/calm.md",
      "prompts/modes/agent.md",
      "prompts/approvals/auto.md",
      "prompts/approvals/suggest.md",
      "prompts/approvals/never.md",
      "prompts/context/context-management.md",
      "skills/release-note/SKILL.md",
      "cases/first.yaml",
      ".github/workflows/evalkit.yml",
      ".gitignore",
    ]
      .map((path) => `wrote ${path}\n`)
      .join(""),
  );
  expect(made.stderr).toContain("evalkit validate");
  const checked = await cli(["validate", "--strict"], { cwd: dir });
  expect(checked).toEqual({ code: 0, signal: null, stdout: "2 cases in 1 file: no problems\n", stderr: "" });
  const listed = await cli(["list", "--json"], { cwd: dir });
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { id: "port-is-looked-up", critical: true, file: "cases/first.yaml", line: 4 },
    { id: "release-note-skill", tags: ["skills"] },
  ]);
  git(dir, "add", "-A");
  commit(dir, {}, "Add evalkit");
  expect((await cli(["assemble", "--variant", "main"], { cwd: dir })).code).toBe(0);
});

test("init overwrites nothing, twice, and never writes through a link", async () => {
  const dir = repository({ "evalkit.yaml": "trials: 9\n", "prompts/base.md": base, ".gitignore": "x\n" });
  const elsewhere = join(tempDir(), "target");
  writeFiles(dir, { "cases/.keep": "" });
  symlinkSync(elsewhere, join(dir, "cases/first.yaml"));
  const made = await cli(["init"], { cwd: dir });
  expect(made.stdout).toBe(
    "wrote skills/release-note/SKILL.md\nwrote .github/workflows/evalkit.yml\nkept  evalkit.yaml (exists)\nkept  prompts (exists)\nkept  cases/first.yaml (exists)\nkept  .gitignore (exists)\n",
  );
  expect(made.stderr).toContain("Add reports/ to .gitignore");
  expect(readFileSync(join(dir, "evalkit.yaml"), "utf8")).toBe("trials: 9\n");
  expect((await cli(["init"], { cwd: dir })).stdout).not.toContain("wrote");
});

test("init outside of git works and says what is missing", async () => {
  const dir = tempDir();
  const made = await cli(["init"], { cwd: dir });
  expect(made.code).toBe(0);
  expect(made.stderr).toContain("no git repository");
  expect((await cli(["-C", dir, "validate"], { cwd: "/" })).stdout).toBe("2 cases in 1 file: no problems\n");
});

test("validate tells all faults of config, cases, prompts and skills at once, exit 2", async () => {
  const dir = repository({
    "evalkit.yaml": "trials: 3\n",
    "prompts/base.md": "No language here.\n",
    "skills/bad/SKILL.md": "---\nname: a\nname: b\n---\nBody.\n",
    "cases/a.yaml": `${sound}---\nid: a\nturns: []\nexpct: {}\n`,
    "cases/b.yaml": sound,
  });
  const { code, stdout, stderr } = await cli(["validate"], { cwd: dir });
  expect(code).toBe(2);
  expect(stdout).toMatch(/^2 cases in 2 files: \d errors/);
  for (const part of [
    "cases/a.yaml:6:1: error: expected at least 1 item in the list (at turns)",
    'cases/a.yaml:7:1: error: unknown key "expct". Did you mean expect?',
    'cases/b.yaml:1: error: case id "a" is taken already, at cases/a.yaml:1',
    "prompts/base.md",
    "## Language",
  ])
    expect(stderr).toContain(part);
  const broken = repository({ "evalkit.yaml": "trails: 3\n", "cases/a.yaml": sound });
  const told = await cli(["validate"], { cwd: broken });
  expect(told).toMatchObject({ code: 2, stdout: "1 case in 1 file: 1 error\n" });
  expect(told.stderr).toMatch(/^evalkit\.yaml:1:1: error: unknown key "trails"\. Did you mean trials\?/);
});

test("validate --json prints only JSON; warnings fail under --strict only; one file alone", async () => {
  const dir = repository({
    "prompts/base.md": base,
    "cases/a.yaml": "id: a\nturns: [{user: hi}]\n",
    "cases/b.yaml": "nonsense: [",
  });
  const one = await cli(["validate", "cases/a.yaml", "--json"], { cwd: dir });
  const result = JSON.parse(one.stdout);
  expect(one).toMatchObject({ code: 0, stderr: "" });
  expect(result).toMatchObject({ schema: "evalkit.validate/1", cases: 1, files: 1, errors: 0 });
  expect(result.problems).toContainEqual(
    expect.objectContaining({
      code: "no-expectation",
      severity: "warning",
      file: "cases/a.yaml",
      line: 1,
      column: 1,
      key: "expect",
    }),
  );
  expect((await cli(["validate", "cases/a.yaml", "--strict"], { cwd: dir })).code).toBe(2);
  expect((await cli(["validate"], { cwd: dir })).code).toBe(2);
  expect((await cli(["validate", "nope"], { cwd: dir })).stderr).toContain(
    'no case file (yaml, yml, evals.json) matches "nope"',
  );
});

test("control characters of a branch don't reach the terminal", async () => {
  const dir = repository({
    "prompts/base.md": base,
    "cases/a.yaml": 'id: a\nturns: [{user: hi}]\n"\\e[31mx": 1\n',
  });
  const { stderr } = await cli(["validate"], { cwd: dir });
  expect(stderr).toContain("unknown key");
  expect(stderr).not.toContain("\u001b");
});

test("list: columns within the width, selection, and words for what isn't there", async () => {
  const dir = repository({
    "prompts/base.md": base,
    "cases/a.yaml": `${sound}title: ${"A long title ".repeat(10)}\ncritical: true\n`,
    "cases/b.yaml": sound.replace("id: a", "id: b\ntags: [t]"),
  });
  const all = await cli(["list"], { cwd: dir, env: { COLUMNS: "60" } });
  expect(all.stdout).toBe(
    "id            mode   title\na (critical)  agent  A long title A long title A long title…\nb             agent  b\n",
  );
  expect((await cli(["list", "--tag", "t"], { cwd: dir })).stdout).toBe("id  mode   title\nb   agent  b\n");
  expect(await cli(["list", "--tag", "tt"], { cwd: dir })).toMatchObject({ code: 2, stdout: "" });
  expect(await cli(["list", "rnus"], { cwd: dir })).toMatchObject({ code: 2 });
  expect(await cli(["list", "runs"], { cwd: dir })).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "no runs in reports/\n",
  });
  expect((await cli(["list", "runs", "--json"], { cwd: dir })).stdout).toBe("[]\n");
});

test("every command of this file has help with an example", async () => {
  for (const name of ["validate", "list", "init"]) {
    const { code, stdout } = await cli([name, "--help"], { cwd: "/" });
    expect(code).toBe(0);
    expect(stdout).toMatch(/Examples?:\n {2}evalkit/);
  }
});
