// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of hostile files
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, repository, writeFiles } from "../support/project.ts";
import { fault, reply, startStub } from "../support/stub-server.ts";
import { BETTER, filesBelow, LANGUAGE, PROJECT, RUN, serverOf, trialsOf } from "./support.ts";

/** Secrets with signs that JSON, URLs and regular expressions treat apart. */
const SECRETS = {
  OPENAI_API_KEY: 'sk-stub/+=key"quoted\\back.0123456789',
  MY_TOKEN: "token-with-$pecial.(chars)[]{}|^*?-0123",
  DB_PASSWORD: "passwörd-ünïcode-0123456789",
  DEPLOY_SECRET: "secret secret with blanks 0123",
};
const FORMS = Object.values(SECRETS).flatMap((secret) => {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
  ];
});

/** Files and outputs that hold a secret in any form. */
function leaks(cwd: string, ...outputs: string[]): string[] {
  const texts = [...filesBelow(cwd), ...outputs.map((text, n): [string, string] => [`output ${n}`, text])];
  return texts.filter(([, text]) => FORMS.some((form) => text.includes(form))).map(([name]) => name);
}

const everything = Object.values(SECRETS).join(" and ");
const encoded = Object.values(SECRETS)
  .map((secret) => `${encodeURIComponent(secret)} ${Buffer.from(`x${secret}`).toString("base64")}`)
  .join(" ");

test("secrets that a server quotes in answers, reasoning, arguments and names of tools are in no file and no output", async () => {
  const stub = await startStub(({ body }) => {
    if (body.messages?.at(-1)?.role === "tool") return reply(`${everything} bright ${encoded}`);
    return reply({
      content: everything,
      calls: [
        { id: SECRETS.MY_TOKEN, name: "read_file", arguments: { path: everything } },
        { name: "write_file", arguments: { path: "a.txt", content: everything } },
        { name: "execute_command", arguments: { command: `echo '${SECRETS.DB_PASSWORD}' > b; cat b` } },
        { name: SECRETS.DEPLOY_SECRET, arguments: everything },
        { name: "load_skill", arguments: { name: SECRETS.MY_TOKEN } },
      ],
    });
  });
  const cwd = repository(
    {
      ...PROJECT,
      "cases/wish.yaml":
        'id: wish\nturns: [{ user: "Go." }]\nexpect: { completion: [{ answer: { contains: bright } }] }\n',
    },
    { better: BETTER },
  );
  const env = { ...serverOf(stub.url), ...SECRETS };
  const run = await cli([...RUN, "--replay", "record"], { cwd, env });
  expect({ code: run.code, stderr: run.stderr }).not.toMatchObject({ code: 2 });
  expect(trialsOf(cwd).map(({ status }) => status)).toEqual(["finished", "finished"]);
  const outputs = [run.stdout, run.stderr];
  for (const args of [
    ["show", "r"],
    ["show", "r", "wish"],
    ["report", "r", "--format", "junit"],
    ["gate", "r", "--json"],
    ["sheet", "export", "r", "--raters", "ann", "--out", join(cwd, "sheets")],
    ["flakes", "--json"],
  ]) {
    const other = await cli(args, { cwd });
    outputs.push(other.stdout, other.stderr);
  }
  expect(leaks(cwd, ...outputs)).toEqual([]);
  expect(filesBelow(cwd).get("recordings/wish.jsonl")).toContain("[masked]");
});

test.each([400, 401, 403, 404, 429, 500])(
  "a %i that quotes the key and the headers: shown without them",
  async (status) => {
    const stub = await startStub(({ headers }) =>
      fault(
        status,
        `bad key ${everything} ${JSON.stringify(headers)} ${encoded}`,
        { headers },
        { "x-echo": SECRETS.MY_TOKEN.replace(/[^\x20-\x7e]/g, "") },
      ),
    );
    const cwd = repository(
      {
        ...PROJECT,
        "evalkit.yaml": `${PROJECT["evalkit.yaml"]}headers: { X-Api-Key: "\${MY_TOKEN}", Authorization: "Bearer \${DEPLOY_SECRET}" }\n`,
      },
      { better: BETTER },
    );
    const run = await cli(RUN, { cwd, env: { ...serverOf(stub.url), ...SECRETS } });
    expect(run.code).toBe(4);
    expect(stub.requests[0]?.headers["x-api-key"]).toBe(SECRETS.MY_TOKEN);
    expect(leaks(cwd, run.stdout, run.stderr)).toEqual([]);
    const { stdout, stderr } = await cli(["doctor"], { cwd, env: { ...serverOf(stub.url), ...SECRETS } });
    expect(leaks(cwd, stdout, stderr)).toEqual([]);
  },
);

test("pages instead of JSON, streams that break, redirects: what is quoted of them is masked too", async () => {
  const bodies = [
    { status: 200, body: `<html><title>${everything}</title>${encoded}</html>` },
    { status: 502, body: `<html>${everything}</html>` },
    { status: 200, body: `{"choices":"${SECRETS.MY_TOKEN}`, headers: { "content-type": "application/json" } },
    {
      status: 200,
      body: `data: {"error":{"message":${JSON.stringify(everything)}}}\n\n`,
      headers: { "content-type": "text/event-stream" },
    },
    {
      status: 200,
      body: `data: not json ${everything}\n\ndata: more\n\n`,
      headers: { "content-type": "text/event-stream" },
    },
    { status: 302, headers: { location: "http://127.0.0.1:1/?key=token-with-0123456789" }, body: everything },
  ];
  for (const answer of bodies) {
    const stub = await startStub(() => answer);
    const cwd = repository(PROJECT, { better: BETTER });
    const run = await cli(RUN, { cwd, env: { ...serverOf(stub.url), ...SECRETS } });
    expect(run.code).toBe(4);
    expect(leaks(cwd, run.stdout, run.stderr)).toEqual([]);
  }
});

test("a redirect is not followed: the key goes to no other host", async () => {
  const other = await startStub(() => reply("bright"));
  const stub = await startStub(() => ({
    status: 307,
    headers: { location: `${other.url}/chat/completions` },
    body: "",
  }));
  const cwd = repository(PROJECT, { better: BETTER });
  const run = await cli(RUN, { cwd, env: { ...serverOf(stub.url), ...SECRETS } });
  expect(run.code).toBe(4);
  expect(other.requests).toHaveLength(0);
});

test("${NAME} of a branch's prompts, skills, cases and settings stays as it is written; only headers and keys are filled", async () => {
  const stub = await startStub(() => reply("bright ${MY_TOKEN}"));
  const evil = "${MY_TOKEN} $MY_TOKEN {{MY_TOKEN}} %MY_TOKEN% `echo $MY_TOKEN` ${OPENAI_API_KEY}";
  const cwd = repository(
    {
      ...PROJECT,
      "cases/wish.yaml": `id: wish\nturns: [{ user: ${JSON.stringify(evil)} }]\ncontext: ${JSON.stringify(evil)}\nworld: { files: { "a.txt": ${JSON.stringify(evil)} } }\ntools: [{ name: t, description: ${JSON.stringify(evil)} }]\nexpect: { completion: [{ answer: { contains: bright } }, { command: { run: "cat a.txt; echo $MY_TOKEN ${"$"}{OPENAI_API_KEY}", exitCode: 0 } }] }\n`,
      "evalkit.yaml": `model: "m-\${MY_TOKEN}"\nretries: 0\ntrials: 1\nrequest: { user: "\${MY_TOKEN}" }\n`,
      "skills/s/SKILL.md": `---\nname: s\ndescription: ${JSON.stringify(evil)}\n---\n${evil}\n`,
    },
    { better: { "prompts/base.md": `${evil.replace("{{MY_TOKEN}}", "")}${LANGUAGE}` } },
  );
  const run = await cli(RUN, { cwd, env: { ...serverOf(stub.url), ...SECRETS } });
  expect({ code: run.code, stderr: run.stderr }).not.toMatchObject({ code: 2 });
  expect(stub.requests.length).toBeGreaterThan(0);
  for (const { text } of stub.requests) for (const form of FORMS) expect(text).not.toContain(form);
  expect(stub.requests[0]?.body.model).toBe("m-${MY_TOKEN}");
  expect(leaks(cwd, run.stdout, run.stderr)).toEqual([]);
});

test("a key written into the config, and one in a header of the config, are masked as well, and warned of", async () => {
  const own = "config-key-0123456789abcdef";
  const stub = await startStub(() => reply(`bright ${own} and header-secret-0123456789`));
  const cwd = repository(
    {
      ...PROJECT,
      "evalkit.yaml": `${PROJECT["evalkit.yaml"]}api-key: ${own}\nheaders: { X-Auth-Token: header-secret-0123456789 }\n`,
    },
    { better: BETTER },
  );
  const run = await cli(RUN, { cwd, env: { OPENAI_BASE_URL: stub.url } });
  expect(run.stderr).toContain("secret-in-file");
  const files = [...filesBelow(cwd)].filter(([name]) => name !== "evalkit.yaml");
  expect(
    files
      .filter(([, text]) => text.includes(own) || text.includes("header-secret-0123456789"))
      .map(([name]) => name),
  ).toEqual([]);
  expect(run.stdout + run.stderr).not.toContain(own);
});

test("imported results are masked like any others", async () => {
  const cwd = repository(PROJECT);
  writeFiles(cwd, {
    "results.jsonl": `{"case":${JSON.stringify(SECRETS.MY_TOKEN)},"arm":"baseline","trial":1,"taskCompletion":1}\n`,
  });
  const run = await cli(["import", "results.jsonl", "--run-id", "r"], { cwd, env: SECRETS });
  expect(run.code).toBe(0);
  const found = leaks(join(cwd, "reports"), run.stdout, run.stderr);
  expect(found).toEqual([]);
});

test("secrets that are numbers or words of our own files leave every file readable", async () => {
  const stub = await startStub(() => reply("bright, says 33333333 and finished and 66666666"));
  const cases = [1, 2, 3].map(
    (n) =>
      `id: wish-${n}\nturns: [{ user: "Go ${n}." }]\nexpect: { completion: [{ answer: { contains: ${n === 1 ? "dark" : "bright"} } }] }\n`,
  );
  const cwd = repository({ ...PROJECT, "cases/wish.yaml": cases.join("---\n") }, { better: BETTER });
  const env = {
    A_KEY: "33333333",
    B_KEY: "66666666",
    C_TOKEN: "finished",
    D_SECRET: "baseline",
    E_PASSWORD: "toolCallAccuracy",
    F_TOKEN: '"scored"',
    G_KEY: "00000000",
  };
  const run = await cli([...RUN, "--replay", "record"], { cwd, env: { ...serverOf(stub.url), ...env } });
  expect({ code: run.code, stderr: run.stderr }).toMatchObject({ code: 3 });
  expect(
    JSON.parse(filesBelow(cwd).get("reports/r/summary.json") ?? "").arms.baseline.metrics.taskCompletion.mean,
  ).toBeCloseTo(2 / 3);
  expect(trialsOf(cwd)[0]?.answer).toBe("bright, says [masked] and finished and [masked]");
  for (const args of [
    ["gate", "r"],
    ["show", "r"],
    ["report", "r"],
    [...RUN.slice(0, -1), "again", "--replay", "strict"],
  ]) {
    const other = await cli(args, { cwd, env });
    expect({ args, code: other.code, stderr: other.stderr }).not.toMatchObject({ code: 2 });
    expect(other.code).not.toBe(4);
  }
});
