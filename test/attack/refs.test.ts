import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, git, repository, tempDir, writeFiles } from "../support/project.ts";
import { reply, startStub } from "../support/stub-server.ts";
import { BETTER, LANGUAGE, PROJECT, serverOf } from "./support.ts";

const REFS = [
  "--upload-pack=touch pwned",
  "--output=pwned",
  "-h",
  "--help",
  "-",
  "--",
  "--exec=touch pwned",
  "main;touch pwned",
  "main && touch pwned",
  "main|touch pwned",
  "$(touch pwned)",
  "`touch pwned`",
  "main\ntouch pwned",
  "main --output=pwned",
  "ext::sh -c touch% pwned",
  "main:prompts/base.md",
  "main..better",
  "^main",
  "main^{tree}",
  "../../../etc/passwd",
  "/etc/passwd",
  "refs/heads/../../config",
  "%(touch pwned)",
  "\u001b[31mmain",
  "x".repeat(5000),
];

test.each(REFS)("a ref that is none (%j): exit 2, told as one, nothing run, nothing written", async (ref) => {
  const stub = await startStub(() => reply("bright"));
  const cwd = repository(PROJECT, { better: BETTER });
  const before = readdirSync(cwd);
  for (const args of [
    [`--baseline=${ref}`, "--candidate", "better"],
    ["--baseline", "main", `--candidate=${ref}`],
  ]) {
    const run = await cli(["run", ...args], { cwd, env: serverOf(stub.url) });
    expect({ code: run.code, stderr: run.stderr.slice(0, 300) }).toMatchObject({ code: 2 });
    expect(run.stderr).toMatch(/revision|variant|baseline|candidate/);
    expect(run.stderr).not.toContain("\u001b");
    expect(run.stderr).not.toContain("    at ");
  }
  expect(stub.requests).toHaveLength(0);
  expect(readdirSync(cwd)).toEqual(before);
  expect(existsSync(join(cwd, "pwned"))).toBe(false);
});

test.each([
  "main+layer:../../etc/passwd=better",
  "main+layer:/etc/passwd=better",
  "main+layer:modes/../../x.md=better",
  "main+layer:..\\..\\etc\\passwd=better",
  "main+layer:C:/x.md=better",
  "main+layer:base.md=--upload-pack=touch pwned",
  "main+layer:base.md=$(touch pwned)",
  "main+layer:base.md=dir:/etc",
  "main+layer:~/x.md=better",
  "main+skill:../../x=off",
  "main+skill:__proto__=off",
  "main+only-skill:constructor",
  "main+delivery:__proto__",
  "main+toString:x",
])("a suffix that leads elsewhere (%j): exit 2, before any call", async (variant) => {
  const stub = await startStub(() => reply("bright"));
  const cwd = repository(PROJECT, { better: BETTER });
  const run = await cli(["run", "--baseline", "better", "--candidate", variant], {
    cwd,
    env: serverOf(stub.url),
  });
  expect({ code: run.code, stderr: run.stderr }).toMatchObject({ code: 2 });
  expect(run.stderr).not.toContain("root:");
  expect(run.stderr).not.toContain("    at ");
  expect(stub.requests).toHaveLength(0);
  expect(existsSync(join(cwd, "pwned"))).toBe(false);
});

test("branches and files may have any name that git allows: they are read as they are, and run nothing", async () => {
  const stub = await startStub(() => reply("bright"));
  const cwd = repository({
    ...PROJECT,
    "skills/$(touch pwned)/SKILL.md": "---\nname: odd\ndescription: Odd.\n---\nOdd body.\n",
    "skills/a;b|c&d/SKILL.md": "---\nname: odder\ndescription: Odder.\n---\nOdder body.\n",
    "cases/`touch pwned`.yaml":
      "turns: [{ user: hi }]\nexpect: { completion: [{ answer: { contains: bright } }] }\n",
  });
  for (const branch of ["a;touch-pwned", "$(touch-pwned)", "feature/c++", "a'b\"c", "名前", "@x"]) {
    git(cwd, "branch", branch);
    const run = await cli(["assemble", "--variant", branch], { cwd });
    expect({ branch, code: run.code, stderr: run.stderr }).toMatchObject({ code: 0 });
    expect(run.stdout).toContain("You run a home.");
  }
  const run = await cli(["run", "--aa", "--baseline", "$(touch-pwned)", "--run-id", "r"], {
    cwd,
    env: serverOf(stub.url),
  });
  expect(run.code).not.toBe(2);
  expect(stub.requests.length).toBeGreaterThan(0);
  expect(existsSync(join(cwd, "pwned"))).toBe(false);
});

test("dir: and -C with odd paths are folders and nothing else", async () => {
  const cwd = repository(PROJECT, { better: BETTER });
  const odd = tempDir();
  writeFiles(odd, { "$(touch pwned)/prompts/base.md": `Odd.${LANGUAGE}` });
  const run = await cli(["assemble", "--variant", `dir:${odd}/$(touch pwned)`], { cwd });
  expect(run.stdout).toContain("Odd.");
  for (const path of ["/etc", "/proc/self", "/dev/null", "nowhere", "prompts/base.md"]) {
    const other = await cli(["assemble", "--variant", `dir:${path}`], { cwd });
    expect(other.code).toBe(2);
    expect(other.stderr).not.toContain("    at ");
  }
  const elsewhere = await cli(["-C", "/proc/self/environ", "list"], {
    cwd,
    env: { A_TOKEN: "sesame-0123456789" },
  });
  expect(elsewhere.code).toBe(2);
  expect(elsewhere.stderr).not.toContain("sesame");
});
