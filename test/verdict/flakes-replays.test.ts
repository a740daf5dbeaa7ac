import { expect, test } from "vitest";
import { evalkit } from "../support/in-process.ts";
import { repository } from "../support/project.ts";
import { reply, startStub } from "../support/stub-server.ts";

const LANGUAGE = "\n## Language\n\nAnswer in English.\n";
const PROJECT = {
  "prompts/base.md": `Greet.${LANGUAGE}`,
  "cases/hello.yaml":
    "id: hello\nturns: [{ user: Hello }]\nexpect: { completion: [{ answer: { contains: Hello } }] }\n",
  "evalkit.yaml": "model: stub-model\nretries: 0\ntrials: 3\n",
};

test("the baseline's trials are recorded once and replayed by every further run: flakes counts them once", async () => {
  const stub = await startStub(() => reply("Hello."));
  const branches = ["one", "two", "three"];
  const cwd = repository(
    PROJECT,
    Object.fromEntries(
      branches.map((name) => [name, { "prompts/base.md": `Greet, version ${name}.${LANGUAGE}` }]),
    ),
  );
  for (const name of branches) {
    const arms = ["--baseline", "main", "--candidate", name, "--run-id", name];
    await evalkit(cwd, "run", ...arms, "--base-url", stub.url, "--quiet");
  }
  expect(stub.requests).toHaveLength(12);

  const told = await evalkit(cwd, "flakes");
  expect(told.out).toContain("6 trials left out: replays of recordings");
  const { copies, cases, neverFailed } = JSON.parse((await evalkit(cwd, "flakes", "--json")).out);
  expect({ copies, cases }).toMatchObject({ copies: 6, cases: [{ id: "hello", trials: 12, runs: 3 }] });
  expect(neverFailed[0]).toMatchObject({ passed: 12 });
  await stub.close();
});
