import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/nouns/problem.ts";
import { assemblePrompt } from "../../src/core/prompt/assemble.ts";
import { openSkills, openVariant, type VariantOptions } from "../../src/io/variants.ts";
import { commit, type Files, git, repository, tempDir, writeFiles } from "../support/project.ts";

const OPTIONS: VariantOptions = {
  prompts: "prompts",
  skills: "skills",
  profile: "layered",
  delivery: null,
  personality: "calm",
  tierDir: ".evalkit",
  userDir: null,
  env: process.env,
};
const skillText = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\nBody of ${name}.\n`;
const BASE: Files = {
  "prompts/base.md": "# Base\n\n## Language\n\nEnglish.\n",
  "prompts/modes/agent.md": "Agent.\n",
  "skills/fmt/SKILL.md": skillText("fmt", "built-in copy"),
  "skills/web/SKILL.md": skillText("web", "The web."),
};
const open = (root: string, text: string, more: Partial<VariantOptions> = {}) =>
  openVariant(root, text, { ...OPTIONS, ...more });
const problemsOf = async (run: Promise<unknown>) => {
  try {
    await run;
  } catch (error) {
    if (error instanceof InputError) return error.problems;
    throw error;
  }
  throw new Error("nothing was refused");
};
const skillNames = (variant: { skills: readonly { name: string; enabled: boolean }[] }) =>
  variant.skills.map((skill) => `${skill.name}${skill.enabled ? "" : " (off)"}`);

describe("sources", () => {
  test("a commit, the working tree and a folder with the same files have one digest", async () => {
    const root = repository(BASE);
    const folder = tempDir();
    writeFiles(folder, BASE);
    const [byGit, byDisk, byDir] = [
      await open(root, "main"),
      await open(root, "worktree"),
      await open(root, `dir:${folder}`),
    ];
    expect(byDisk.digest).toBe(byGit.digest);
    expect(byDir.digest).toBe(byGit.digest);
    const sha = git(root, "rev-parse", "HEAD").trim();
    expect([byGit.source, byDisk.source, byDir.source]).toEqual([
      { kind: "git", rev: "main", commit: sha },
      { kind: "worktree", commit: sha, dirty: false },
      { kind: "dir", path: folder },
    ]);
  });

  test("a dirty tree is recorded as such and never read for a commit", async () => {
    const root = repository(BASE);
    const before = await open(root, "main");
    writeFiles(root, { "prompts/base.md": "## Language\n\nOther.\n" });
    expect((await open(root, "worktree")).source).toMatchObject({ dirty: true });
    expect((await open(root, "worktree")).digest).not.toBe(before.digest);
    expect((await open(root, "main")).digest).toBe(before.digest);
  });

  test("line ends, a BOM and header keys that nobody reads make no difference", async () => {
    const root = repository(BASE, {
      crlf: {
        "prompts/base.md": "\uFEFF# Base\r\n\r\n## Language\r\n\r\nEnglish.\r\n",
        "skills/fmt/SKILL.md": `${skillText("fmt", "built-in copy").replace("---\n\n", "license: MIT\n---\n\n").replaceAll("\n", "\r\n")}`,
      },
      changed: { "prompts/base.md": "# Base\n\n## Language\n\nGerman.\n" },
    });
    const main = await open(root, "main");
    expect((await open(root, "crlf")).digest).toBe(main.digest);
    expect((await open(root, "changed")).digest).not.toBe(main.digest);
  });

  test("a project without git is read from disk; a missing folder is named", async () => {
    const folder = tempDir();
    writeFiles(folder, BASE);
    expect((await open(folder, "worktree")).source).toEqual({ kind: "worktree", commit: null, dirty: false });
    expect(await problemsOf(open(folder, "dir:nowhere"))).toMatchObject([{ code: "no-folder" }]);
    writeFiles(folder, { "a-file": "x" });
    expect(await problemsOf(open(folder, "dir:a-file"))).toMatchObject([
      { code: "no-folder", message: "this is a file, not a folder" },
    ]);
  });
});

describe("suffixes", () => {
  const root = repository(
    { ...BASE, ".evalkit/skills.json": '{"disabled":["web"]}' },
    { other: { "prompts/base.md": "## Language\n\nOther.\n", "prompts/modes/agent.md": "Other agent.\n" } },
  );
  test("skills are switched off, on, or left alone", async () => {
    expect(skillNames(await open(root, "main"))).toEqual(["fmt", "web (off)"]);
    expect(skillNames(await open(root, "main+skill:web=on+skill:fmt=off"))).toEqual(["fmt (off)", "web"]);
    expect(skillNames(await open(root, "main+only-skill:web"))).toEqual(["fmt (off)", "web"]);
  });
  test("an unknown skill is answered with the nearest", async () => {
    const [problem] = await problemsOf(open(root, "main+skill:webb=off"));
    expect(problem?.message).toContain("Did you mean web?");
  });
  test("delivery, model and profile are part of the digest", async () => {
    const digests = await Promise.all(
      [
        "main",
        "main+delivery:system-prompt",
        "main+model:m",
        "main+skill:fmt=off",
        "main+layer:modes/agent.md=other",
      ].map(async (text) => (await open(root, text)).digest),
    );
    expect(new Set(digests).size).toBe(5);
    expect(await open(root, "main+delivery:tool-result+model:m")).toMatchObject({
      delivery: "tool-result",
      model: "m",
    });
    expect(await open(root, "main", { profile: "two-layer" })).toMatchObject({
      delivery: "tool-result",
      layers: [{ path: "base.md" }],
    });
  });
  test("one layer is taken from another variant", async () => {
    const mixed = await open(root, "main+layer:modes/agent.md=other");
    expect(mixed.layers.find((layer) => layer.path === "modes/agent.md")).toMatchObject({
      text: "Other agent.\n",
      file: "other:prompts/modes/agent.md",
      replaces: ["prompts/modes/agent.md"],
    });
    expect((await problemsOf(open(root, "main+layer:mode/agent.md=other")))[0]?.message).toContain(
      "Did you mean modes/agent.md?",
    );
    expect(await problemsOf(open(root, "main+layer:modes/plan.md=other"))).toMatchObject([
      { code: "missing-layer" },
    ]);
  });
  test("a disabled skill's text is nothing that a model sees", async () => {
    const both = repository(BASE, { edited: { "skills/fmt/SKILL.md": skillText("fmt", "rewritten") } });
    expect((await open(both, "main+skill:fmt=off")).digest).toBe(
      (await open(both, "edited+skill:fmt=off")).digest,
    );
  });
});

describe("tiers", () => {
  const project: Files = {
    ...BASE,
    ".evalkit/prompts/modes/agent.md": "Project agent.\n",
    ".evalkit/skills/fmt/SKILL.md": skillText("fmt", "project copy"),
  };
  const userDir = tempDir();
  writeFiles(userDir, {
    "prompts/modes/agent.md": "User agent.\n",
    "prompts/approvals/auto.md": "User auto.\n",
    "skills/fmt/SKILL.md": skillText("fmt", "user copy"),
    "skills/mine/SKILL.md": skillText("mine", "only mine"),
  });

  test("project beats user beats built-in, and what was replaced is shown", async () => {
    const variant = await open(repository(project), "main", { userDir });
    expect(variant.layers.find((layer) => layer.path === "modes/agent.md")).toMatchObject({
      tier: "project",
      text: "Project agent.\n",
      file: ".evalkit/prompts/modes/agent.md",
      replaces: ["prompts/modes/agent.md", join(userDir, "prompts/modes/agent.md")],
    });
    expect(variant.layers.find((layer) => layer.path === "approvals/auto.md")?.tier).toBe("user");
    expect(variant.skills.map((skill) => [skill.name, skill.tier, skill.replaces.length])).toEqual([
      ["fmt", "project", 2],
      ["mine", "user", 0],
      ["web", "builtin", 0],
    ]);
    expect(variant.skillCounts).toEqual({ found: 5, loaded: 5, refused: 0 });
  });

  test("the user tier is not there unless it is asked for", async () => {
    const variant = await open(repository(BASE), "main");
    expect(variant.skills.map((skill) => [skill.name, skill.description])).toEqual([
      ["fmt", "built-in copy"],
      ["web", "The web."],
    ]);
  });

  test("a skill in the user's folder may be a clone; the project's may not", async () => {
    const home = tempDir();
    writeFiles(home, { "skills/mine/SKILL.md": skillText("mine", "Cloned."), "skills/mine/.git/HEAD": "x" });
    expect(skillNames(await open(repository(BASE), "main", { userDir: home }))).toEqual([
      "fmt",
      "mine",
      "web",
    ]);
    const root = repository(BASE);
    writeFiles(root, { "skills/mine/SKILL.md": skillText("mine", "Cloned."), "skills/mine/.git/HEAD": "x" });
    const variant = await open(root, "worktree");
    expect([skillNames(variant), variant.notes.map((note) => note.code)]).toEqual([
      ["fmt", "web"],
      ["submodule"],
    ]);
  });

  test("the tier folder's name is a setting", async () => {
    const root = repository({ ...BASE, ".paicli/prompts/modes/agent.md": "PaiCLI agent.\n" });
    const variant = await open(root, "main", { tierDir: ".paicli" });
    expect(
      assemblePrompt(variant, {
        role: "agent",
        approval: "auto",
        context: "",
        handoff: "",
        skills: [],
        values: {},
      }).text,
    ).toContain("PaiCLI agent.");
    expect(await problemsOf(open(root, "main", { tierDir: "../outside" }))).toMatchObject([
      { code: "bad-folder" },
    ]);
  });

  test("an empty override is an error that names the file, and never falls back", async () => {
    const root = repository({ ...BASE, ".evalkit/prompts/modes/agent.md": " \n" });
    expect(await problemsOf(open(root, "main"))).toMatchObject([
      { code: "empty-layer", where: { file: "main:.evalkit/prompts/modes/agent.md" } },
    ]);
  });
});

describe("layers that stop a run", () => {
  const refused = async (files: Files, text = "worktree", more: Partial<VariantOptions> = {}) =>
    (await problemsOf(open(repository({ ...BASE, ...files }), text, more))).map((problem) => [
      problem.code,
      problem.where.file,
      problem.where.line,
    ]);

  test("no base.md, no Language section, a pointer, no UTF-8, an unfilled placeholder, a personality that isn't there", async () => {
    expect(await refused({ "prompts/base.md": null })).toEqual([
      ["missing-layer", "prompts/base.md", undefined],
    ]);
    expect(await refused({ "prompts/base.md": "# Base\n" }, "main")).toEqual([
      ["no-language-section", "main:prompts/base.md", undefined],
    ]);
    expect(
      await refused(
        { "prompts/base.md": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n" },
        "main",
      ),
    ).toEqual([["lfs-pointer", "main:prompts/base.md", undefined]]);
    expect(await refused({ "prompts/modes/agent.md": "a\nYou work in {{workdir}}.\n" }, "main")).toEqual([
      ["placeholder-not-filled", "main:prompts/modes/agent.md", 2],
    ]);
    expect(await refused({ "prompts/base.md": "x".repeat(1_100_000) }, "main")).toEqual([
      ["too-large", "main:prompts/base.md", undefined],
    ]);
    expect(await refused({}, "worktree", { personality: "brisk" })).toEqual([
      ["missing-layer", undefined, undefined],
    ]);
    expect(await refused({}, "worktree", { personality: "../../etc/passwd" })).toEqual([
      ["layer-path", undefined, undefined],
    ]);
  });

  test("braces in other layers are bytes, with a warning", async () => {
    const root = repository({ ...BASE, "prompts/base.md": "## Language\n\nToday is {{date}}.\n" });
    expect((await open(root, "main")).notes).toMatchObject([
      {
        code: "placeholder-not-filled",
        severity: "warning",
        where: { file: "main:prompts/base.md", line: 3 },
      },
    ]);
  });

  test("a Markdown file that is no layer is told, with the nearest", async () => {
    const root = repository({ ...BASE, "prompts/mode/agent.md": "x", "prompts/README.md": "x" });
    const { notes } = await open(root, "main");
    expect(notes.map((note) => note.message)).toEqual([
      expect.stringContaining("Did you mean modes/agent.md?"),
    ]);
  });

  test.each(["main", "worktree"])(
    "links out of the tier and submodules are refused by name (%s)",
    async (text) => {
      const root = repository({
        ...BASE,
        "outside.md": "secret",
        "prompts/shared/auto.md": "Shared auto.\n",
      });
      mkdirSync(join(root, "prompts/approvals"));
      symlinkSync("../shared/auto.md", join(root, "prompts/approvals/auto.md"));
      commit(root, {}, "A link inside the tier");
      expect((await open(root, text)).layers.find((layer) => layer.path === "approvals/auto.md")?.text).toBe(
        "Shared auto.\n",
      );
      for (const target of [
        "../../outside.md",
        "/etc/passwd",
        "../shared/../../outside.md",
        "missing.md",
        "never.md",
      ]) {
        writeFiles(root, { "prompts/approvals/never.md": null });
        symlinkSync(target, join(root, "prompts/approvals/never.md"));
        commit(root, {}, "A link");
        const [problem] = await problemsOf(open(root, text));
        expect([problem?.code, problem?.where.file?.replace("main:", "")]).toEqual([
          target === "missing.md" ? "dangling-link" : target === "never.md" ? "link-loop" : "link-outside",
          "prompts/approvals/never.md",
        ]);
        expect(JSON.stringify(problem)).not.toContain("secret");
      }
    },
  );

  test("a folder that is a link out of the tier, and one that is a submodule", async () => {
    const root = repository({ ...BASE, "elsewhere/agent.md": "x", "prompts/modes/agent.md": null });
    symlinkSync("../elsewhere", join(root, "prompts/modes"));
    commit(root, {}, "Modes are a link");
    for (const text of ["main", "worktree"])
      expect((await problemsOf(open(root, text)))[0]?.code).toBe("link-outside");
    const inner = repository({ "agent.md": "x" });
    commit(root, { "prompts/modes": null }, "No link any more");
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "prompts/modes");
    commit(root, {}, "Modes are a submodule");
    for (const text of ["main", "worktree"])
      expect((await problemsOf(open(root, text)))[0]?.code).toBe("submodule");
  });
});

describe("skills", () => {
  const read = async (files: Files) => {
    const root = repository({ "prompts/base.md": "## Language\n", ...files });
    return openSkills(root, "main", OPTIONS);
  };
  const simple = skillText;

  test("at any depth, not below another skill, never in node_modules", async () => {
    const { skills, counts } = await read({
      "skills/tool/SKILL.md": simple("tool", "The real one."),
      "skills/tool/references/SKILL.md": simple("inner", "No."),
      "skills/tool/node_modules/dep/SKILL.md": simple("dep", "No."),
      "skills/node_modules/dep/SKILL.md": simple("dep", "No."),
      "skills/group/deep/er/SKILL.md": simple("deep", "Yes."),
    });
    expect(skills.map((skill) => skill.name)).toEqual(["deep", "tool"]);
    expect(counts).toEqual({ found: 2, loaded: 2, refused: 0 });
  });

  test("what can't be read is refused by name, line and reason, and counted; the others load", async () => {
    const { skills, counts, notes } = await read({
      "skills/good/SKILL.md": simple("good", "Yes."),
      "skills/extras/SKILL.md": "---\nname: extras\nneeds: [tool[extra], other]\n---\n",
      "skills/lone/skill.md": simple("lone", "No."),
      "skills/SKILL.md": simple("root", "No."),
      "skills/lfs/SKILL.md": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    });
    expect(skills.map((skill) => skill.name)).toEqual(["good"]);
    expect(counts).toEqual({ found: 5, loaded: 1, refused: 4 });
    expect(notes.map((note) => [note.code, note.where.file, note.where.line])).toEqual([
      ["skill-at-root", "main:skills/SKILL.md", undefined],
      ["skill-file-name", "main:skills/lone/skill.md", undefined],
      ["front-matter-yaml", "main:skills/extras/SKILL.md", 3],
      ["lfs-pointer", "main:skills/lfs/SKILL.md", undefined],
    ]);
  });

  test("one name twice in a tier is an error with both paths", async () => {
    const problems = await problemsOf(
      read({
        "skills/one/SKILL.md": simple("same", "First."),
        "skills/two/SKILL.md": simple("same", "Second."),
      }),
    );
    expect(problems).toMatchObject([
      {
        code: "skill-twice",
        message: expect.stringMatching(/skills\/one\/SKILL\.md and skills\/two\/SKILL\.md/),
      },
    ]);
  });

  test("a refused override hides the lower skill instead of letting it pass for the new one", async () => {
    const { skills, notes } = await read({
      "skills/fmt/SKILL.md": simple("fmt", "old"),
      ".evalkit/skills/fmt/SKILL.md": "---\nname: fmt\n",
    });
    expect(skills).toEqual([]);
    expect(notes.map((note) => note.code)).toEqual(["front-matter-open", "skill-hidden"]);
  });

  test.each(["main", "worktree"])(
    "a SKILL.md or a folder that is a link out of the root is refused (%s)",
    async (text) => {
      const root = repository({
        ...BASE,
        "outside.txt": "outside text",
        "skills/x/notes.md": "n",
        "elsewhere/y/SKILL.md": simple("y", "y"),
      });
      symlinkSync("../../outside.txt", join(root, "skills/x/SKILL.md"));
      symlinkSync("../elsewhere/y", join(root, "skills/y"));
      symlinkSync("/etc/hostname", join(root, "skills/fmt/host.md"));
      commit(root, {}, "Links");
      const { skills, counts, notes } = await openSkills(root, text, OPTIONS);
      expect(skills.map((skill) => [skill.name, skill.files.length])).toEqual([
        ["fmt", 0],
        ["web", 0],
      ]);
      expect(counts.refused).toBe(2);
      expect(notes.map((note) => note.code)).toEqual(["link-outside", "link-outside", "link-outside"]);
      expect(JSON.stringify([skills, notes])).not.toContain("outside text");
    },
  );

  test("files beside SKILL.md are read as text, others left out by name", async () => {
    const { skills, notes } = await read({
      "skills/a/SKILL.md": simple("a", "A."),
      "skills/a/references/one.md": "One\r\n",
      "skills/a/logo.png": "\u0000\u0001",
      "skills/a/.hidden": "x",
      "skills/a/huge.txt": "x".repeat(300_000),
    });
    expect(skills[0]?.files).toMatchObject([{ path: "references/one.md", text: "One\n" }]);
    expect(notes.map((note) => [note.code, note.where.file])).toEqual([
      ["too-large", "main:skills/a/huge.txt"],
      ["not-text", "main:skills/a/logo.png"],
    ]);
  });

  test("the state file is checked, an unknown name in it is told", async () => {
    expect((await read({ ...BASE, ".evalkit/skills.json": '{"disabled":["wbe"]}' })).notes).toMatchObject([
      { code: "unknown-skill", message: expect.stringContaining("Did you mean web?") },
    ]);
    for (const text of ["{", "[]", '{"disabled":"web"}', '{"off":[]}'])
      expect(await problemsOf(read({ ...BASE, ".evalkit/skills.json": text }))).toMatchObject([
        { code: "skill-state", where: { file: "main:.evalkit/skills.json" } },
      ]);
  });

  test("a folder where a file is expected is bad input, never taken for no file", async () => {
    const state = { code: "not-a-file", message: expect.stringContaining("the skill state is a folder") };
    const full = repository({ ...BASE, ".evalkit/skills.json/x": "x" });
    for (const variant of ["main", "worktree"])
      expect(await problemsOf(openSkills(full, variant, OPTIONS))).toMatchObject([state]);
    const empty = repository(BASE);
    mkdirSync(join(empty, ".evalkit/skills.json"), { recursive: true });
    expect(await problemsOf(openSkills(empty, "worktree", OPTIONS))).toMatchObject([state]);
    expect((await openSkills(empty, "main", OPTIONS)).errors).toEqual([]);
    const layer = repository({ ...BASE, ".evalkit/prompts/base.md/x": "x" });
    expect(await problemsOf(open(layer, "main"))).toMatchObject([
      { code: "not-a-file", message: expect.stringContaining("the layer base.md is a folder") },
    ]);
  });

  test("a folder without leave to read is bad input", async () => {
    if (process.getuid?.() === 0) return;
    const root = repository(BASE);
    chmodSync(join(root, "skills/fmt"), 0o000);
    const problems = await problemsOf(openSkills(root, "worktree", OPTIONS));
    chmodSync(join(root, "skills/fmt"), 0o755);
    expect(problems).toMatchObject([{ code: "unreadable" }]);
  });
});
