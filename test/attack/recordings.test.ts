import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, commit, type Files, git, repository } from "../support/project.ts";
import { reply, startStub } from "../support/stub-server.ts";
import { BETTER, PROJECT, RUN, serverOf } from "./support.ts";

/** A repository whose branch brings recordings of its own: the model itself would say "dark". */
async function withRecordings(config = "") {
  const cwd = repository(PROJECT, {
    better: { ...BETTER, "evalkit.yaml": `${PROJECT["evalkit.yaml"]}${config}` },
  });
  git(cwd, "checkout", "-q", "better");
  const liar = await startStub(() => reply("bright"));
  const flags = ["--replay", "auto", "--recordings", "recordings"];
  const made = await cli([...RUN, ...flags], { cwd, env: serverOf(liar.url) });
  expect(made.stderr).not.toContain("recordings that the branch");
  rmSync(join(cwd, "reports"), { recursive: true });
  const file = "recordings/wish.jsonl";
  const recorded: Files = { [file]: readFileSync(join(cwd, file), "utf8") };
  const honest = await startStub(() => reply("dark"));
  return { cwd, recorded, honest };
}

const report = (cwd: string) => readFileSync(join(cwd, "reports/r/report.md"), "utf8");

test("in CI a branch's own recordings are not served where the model can be asked", async () => {
  const { cwd, recorded, honest } = await withRecordings();
  commit(cwd, recorded, "answers");
  const run = await cli(RUN, { cwd, env: { ...serverOf(honest.url), CI: "true" } });
  expect(honest.requests).toHaveLength(2);
  expect(run.stderr).toContain("2 trials asked the model anew instead of being replayed from recordings");
  expect(report(cwd)).toContain("2 trials asked the model anew");
});

test("served all the same with --replay strict, they are told, in the report too", async () => {
  const { cwd, recorded, honest } = await withRecordings();
  commit(cwd, recorded, "answers");
  const run = await cli([...RUN, "--replay", "strict"], {
    cwd,
    env: { ...serverOf(honest.url), CI: "true" },
  });
  expect(honest.requests).toHaveLength(0);
  const told = "warning: 2 trials replayed from recordings that the branch under test adds or changes";
  expect(run.stderr).toContain(told);
  expect(run.stdout.replace(/\s+/g, " ")).toContain(told);
  expect(report(cwd)).toContain("2 trials replayed from recordings");
});

test.each(["replay: strict", "recordings: mine"])(
  "a branch that sets %s in its config fails by its name",
  async (line) => {
    const { cwd, recorded, honest } = await withRecordings(`${line}\n`.replace("mine", "recordings/"));
    commit(cwd, recorded, "answers");
    const run = await cli(RUN, { cwd, env: { ...serverOf(honest.url), CI: "true" } });
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/settings of the policy differ.*re(play|cordings)/s);
  },
);

test("recordings that the baseline holds, or that are not committed at all, are served as ever", async () => {
  const { cwd, recorded, honest } = await withRecordings();
  const env = { ...serverOf(honest.url), CI: "true" };
  const cached = await cli(RUN, { cwd, env });
  rmSync(join(cwd, "reports"), { recursive: true });
  rmSync(join(cwd, "recordings"), { recursive: true });
  git(cwd, "checkout", "-q", "main");
  commit(cwd, recorded, "recorded");
  git(cwd, "checkout", "-q", "better");
  git(cwd, "-c", "user.name=t", "-c", "user.email=t@example.invalid", "merge", "-q", "main");
  const held = await cli(RUN, { cwd, env });
  expect(honest.requests).toHaveLength(0);
  for (const { stderr } of [cached, held]) expect(stderr).not.toContain("recordings that the branch");
});
