// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are commands of a shell
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { type ShellPool, shellPool } from "../../src/io/shell-pool.ts";
import { WorldFiles } from "../../src/run/world/files.ts";
import { World } from "../../src/run/world/world.ts";
import { cli, repository, startCli } from "../support/project.ts";
import { reply, startStub } from "../support/stub-server.ts";
import { LANGUAGE, serverOf, trialsOf } from "./support.ts";

/** A command that keeps its thread busy for ever: no counter is asked inside of it, no signal is seen. */
const ENDLESS = "awk 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) } BEGIN { print f(90) }'";
const FOREVER = new AbortController().signal;
const pools: ShellPool[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

function pool(limitMs: number, threads = 1): ShellPool {
  const worker = new URL("../../dist/shell-worker.js", import.meta.url);
  expect(existsSync(worker)).toBe(true);
  const made = shellPool({ worker, threads, limitMs });
  pools.push(made);
  return made;
}

const world = (shells: ShellPool, files = new Map<string, string>()) =>
  new World(new WorldFiles(files, new Map()), {}, shells.open);

test("a command that never ends is stopped by force; its world keeps its files and has a new shell", async () => {
  const shells = pool(3000);
  const own = world(shells, new Map([["a.txt", "one"]]));
  expect(await own.run("echo two > b.txt; cat a.txt", FOREVER)).toMatchObject({ stdout: "one", exitCode: 0 });
  const stopped = await own.run(ENDLESS, FOREVER);
  expect(stopped).toEqual({ stdout: "", stderr: "bash: stopped: ran over 3 seconds\n", exitCode: 126 });
  expect(await own.run("cat a.txt b.txt; ls", FOREVER)).toMatchObject({
    stdout: "onetwo\na.txt\nb.txt\n",
    exitCode: 0,
  });
});

test("others in the same thread lose nothing of their workspace, and wait no longer than the limit", async () => {
  const shells = pool(3000);
  const [bad, good] = [world(shells), world(shells, new Map([["x", "1"]]))];
  await good.run("echo 2 >> x", FOREVER);
  const [first, second] = await Promise.all([
    bad.run(ENDLESS, FOREVER),
    good.run("echo 3 >> x; cat x", FOREVER),
  ]);
  expect(first.exitCode).toBe(126);
  expect(second).toMatchObject({ stdout: "12\n3\n", exitCode: 0 });
});

test("a signal stops it at once", async () => {
  const shells = pool(60_000);
  const stop = new AbortController();
  const running = world(shells).run(ENDLESS, stop.signal);
  await delay(1500);
  stop.abort();
  expect(await running).toMatchObject({ stderr: "bash: stopped\n" });
});

test("memory is bounded: a command that fills it loses its shell and nothing else", async () => {
  const own = world(pool(60_000), new Map([["a", "kept"]]));
  const fill =
    "x=$(head -c 3000 /dev/zero | tr '\\0' x); for i in {1..10}; do x=$x$x; done; a=(); for i in {1..2500}; do a+=(\"$x$i\"); done; echo ${#a[@]}";
  const filled = await own.run(fill, FOREVER);
  expect(filled.stdout.length + filled.stderr.length).toBeGreaterThan(0);
  expect(await own.run("cat a", FOREVER)).toMatchObject({ stdout: "kept", exitCode: 0 });
});

test("threads give what this thread gives: files, folders elsewhere, pages, odd bytes", async () => {
  const commands = [
    "mkdir -p d/e; echo x > d/e/f; ln -s d/e/f link; cat link; echo t > /tmp/t",
    "cat /tmp/t d/e/f; rm -r d; ls -a; printf '\\xff\\x00\\xc3\\xa9' > bytes; wc -c bytes",
    "cat bytes | od -c | head -2; curl -s https://a.example.test/; curl -s https://b.example.test/",
    "cd /; pwd; export X=1",
    "echo $X; pwd",
  ];
  const pages = { "https://a.example.test/": { kind: "static", text: "A", status: 200 } } as const;
  const inThread = new World(
    new WorldFiles(new Map([["s", "\ud800 é"]]), new Map()),
    pages,
    pool(60_000).open,
  );
  const here = new World(new WorldFiles(new Map([["s", "\ud800 é"]]), new Map()), pages);
  for (const command of commands) {
    expect(await inThread.run(command, FOREVER)).toEqual(await here.run(command, FOREVER));
  }
  expect([...inThread.files.texts]).toEqual([...here.files.texts]);
});

const CASE = `id: endless
turns: [{ user: "Go." }]
tools: [execute_command]
expect: { completion: [{ answer: { contains: done } }] }
`;

test("Ctrl-C ends a run whose model has started an endless command", async () => {
  const stub = await startStub(({ body }) =>
    body.messages?.at(-1)?.role === "tool"
      ? reply("done")
      : reply({ content: "", calls: [{ name: "execute_command", arguments: { command: ENDLESS } }] }),
  );
  const cwd = repository({
    "prompts/base.md": `Work.${LANGUAGE}`,
    "cases/endless.yaml": CASE,
    "evalkit.yaml": "model: m\nretries: 0\ntrials: 2\n",
  });
  const run = startCli(["run", "--aa", "--baseline", "main", "--run-id", "r"], {
    cwd,
    env: serverOf(stub.url),
  });
  while (stub.requests.length < 4) await delay(20);
  await delay(1000);
  const asked = performance.now();
  run.kill("SIGINT");
  const end = await run.done;
  expect(end.code).toBe(130);
  // Below the 12 seconds after which the command itself is stopped, with room for a busy machine.
  expect(performance.now() - asked).toBeLessThan(9_000);
  expect(trialsOf(cwd)).toEqual([]);
});

test("the command line runs commands in threads, checks included", async () => {
  const stub = await startStub(({ body }) =>
    body.messages?.at(-1)?.role === "tool"
      ? reply("done")
      : reply({
          content: "",
          calls: [{ name: "execute_command", arguments: { command: "echo hi > out.txt; cat out.txt" } }],
        }),
  );
  const cwd = repository({
    "prompts/base.md": `Work.${LANGUAGE}`,
    "cases/c.yaml": `${CASE.replace("endless", "c").replace("expect: { completion: [", 'expect: { completion: [{ command: { run: "cat out.txt | wc -l", stdout: "1" } }, ')}`,
    "evalkit.yaml": "model: m\nretries: 0\ntrials: 3\n",
  });
  await cli(["run", "--aa", "--baseline", "main", "--run-id", "r", "-j", "8"], {
    cwd,
    env: serverOf(stub.url),
  });
  const trials = trialsOf(cwd);
  expect(trials).toHaveLength(6);
  for (const { events, scores } of trials) {
    expect(events.find(({ type }) => type === "tool")?.result).toBe("hi\n[exit code 0]");
    expect(scores.taskCompletion).toMatchObject({ value: 1 });
  }
});
